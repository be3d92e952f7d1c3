import BeamscribeCore
import FuzzTargets
import Testing

/// What fuzzing has found stays found, and every property holds of some thousands of inputs more.
/// scripts/fuzz looks for new ones for as long as it is told.
@Suite struct PropertyTests {
    @Test(arguments: FuzzTarget.all)
    func corpus_keepsEveryPromise_fromItsFirstInputToItsLast(_ target: FuzzTarget) {
        let inputs = Corpus.inputs(of: target)
        #expect(!inputs.isEmpty, "\(Corpus.folder)\(target) has no inputs")
        for input in inputs { check(target, input.bytes, "\(input)") }
    }

    @Test(arguments: FuzzTarget.all)
    func changedInputs_keepEveryPromise_whateverTheChange(_ target: FuzzTarget) {
        let inputs = Corpus.inputs(of: target).map(\.bytes).filter { $0.count <= 600 }
        var mutation = Mutation(of: inputs + [[]], words: target.words, seed: 1)
        for round in 0..<Self.rounds {
            check(target, mutation.next(longest: 800), "round \(round)")
        }
    }

    private func check(_ target: FuzzTarget, _ bytes: [UInt8], _ name: String) {
        do {
            try target.check(bytes)
        } catch {
            Issue.record("\(target), \(name): \(error); the input is \(bytes)")
        }
    }

    /// Some tenths of a second a target in a debug build.
    private static let rounds = 500
}

extension FuzzTarget {
    fileprivate func check(_ bytes: [UInt8]) throws(BrokenProperty) {
        let broken = bytes.withUnsafeBytes { bytes -> BrokenProperty? in
            do throws(BrokenProperty) {
                try check(bytes)
                return nil
            } catch {
                return error
            }
        }
        if let broken { throw broken }
    }
}
