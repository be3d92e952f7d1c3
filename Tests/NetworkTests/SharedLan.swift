import TestSupport
import Testing

/// A network that all tests of a suite share, with events that run from before the first test
/// until after the last.
struct SharedLan: SuiteTrait, TestScoping {
    /// The network of the suite whose test is running.
    static var current: Lan {
        get throws { try #require(inScope) }
    }

    @TaskLocal private static var inScope: Lan?
    let hosts: Int
    let setUp: @Sendable (Lan) async throws -> [RunningProgram]

    func provideScope(
        for test: Test, testCase: Test.Case?, performing body: @Sendable () async throws -> Void
    ) async throws {
        try await Lan.with(hosts: hosts, avahi: true) { lan in
            let programs = try await setUp(lan)
            try await SharedLan.$inScope.withValue(lan) { try await body() }
            programs.forEach { $0.stop() }
        }
    }
}

extension Trait where Self == SharedLan {
    /// A network of `hosts` hosts with Avahi, where `setUp` starts the programs that all tests
    /// need.
    static func lan(
        hosts: Int, _ setUp: @escaping @Sendable (Lan) async throws -> [RunningProgram]
    ) -> SharedLan {
        SharedLan(hosts: hosts, setUp: setUp)
    }
}
