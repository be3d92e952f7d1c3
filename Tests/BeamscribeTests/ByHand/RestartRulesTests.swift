import BeamscribeIO
import Testing

@testable import Beamscribe

/// When a recogniser that has ended is started again.
@Suite struct RestartRulesTests {
    private func pauses(running time: Duration, times: Int) -> [Int64] {
        var rules = RestartRules()
        var now = Duration.seconds(50)
        return (0..<times).map { _ in
            rules.begin(at: now)
            now += time
            guard
                case .again(let pause) = rules.end(.signalled(9), endsByItself: true, at: now)
            else { return -1 }
            now += pause
            return pause.components.seconds
        }
    }

    @Test func pauses_grow_whileItFails() {
        #expect(pauses(running: .milliseconds(9_999), times: 7) == [1, 2, 4, 8, 16, 30, 30])
    }

    @Test func pauses_beginAnew_onceItHasRunForAWhile() {
        #expect(pauses(running: .seconds(10), times: 3) == [1, 1, 1])
    }

    @Test func goodEnd_isAnEnd_whereThatIsWanted() {
        var rules = RestartRules()
        #expect(rules.end(.exited(code: 0), endsByItself: true, at: .zero) == .isDone)
        #expect(
            rules.end(.exited(code: 0), endsByItself: false, at: .zero)
                == .again(after: .seconds(1))
        )
    }

    @Test(arguments: [Int32(126), 127])
    func missingCommand_isGivenUp_theFirstTimeOnly(code: Int32) {
        var rules = RestartRules()
        #expect(rules.end(.exited(code: code), endsByItself: false, at: .zero) == .cannotRun)
        #expect(
            rules.end(.exited(code: code), endsByItself: false, at: .zero)
                == .again(after: .seconds(1)))
    }
}
