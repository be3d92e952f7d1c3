import BeamscribeIO
import BeamscribeInput
import BeamscribeTLS
import BeamscribeTerminal
import Testing

import struct Foundation.Data
import class Foundation.Pipe
import struct Foundation.UUID

@testable import Beamscribe
@testable import BeamscribeCommand
@testable import BeamscribeCore

/// An operator at random, beside an input, with a real host: what was typed and sent is said once and
/// in order, what was said off the record never, and no key does what it was not pressed for.
@Suite struct OperatorDeskTests {
    /// What of the operator's doing has to be there in the end.
    private struct Expected {
        /// Lines that were sent, in order.
        var lines: [String] = []
        /// What waits for the event to go on.
        var waiting: [String] = []
        /// The line that is open: what was typed into it.
        var open = ""
        /// Whether something in it was pasted.
        var isPasted = false
        /// Lines that were pasted behind it.
        var pasted: [String] = []
        /// What of the open line was there when the event went off the record.
        var onRecord = ""
        var gate = InputGate.open
        /// Beside an input that is paused what is typed goes out.
        let hasInput: Bool

        init(hasInput: Bool) { self.hasInput = hasInput }

        mutating func enter() {
            let text = open.trimmed
            (open, isPasted) = ("", false)
            if !pasted.isEmpty { (open, isPasted) = (pasted.removeFirst(), true) }
            if !text.isEmpty { send(text) }
        }

        mutating func send(_ text: String) {
            switch gate {
            case .open: lines.append(text)
            case .paused where hasInput: lines.append(text)
            case .paused: waiting.append(text)
            case .offRecord: break
            }
        }

        mutating func paste(_ parts: [String]) {
            var parts = parts
            if pasted.isEmpty { open += parts.removeFirst() }
            pasted += parts
            isPasted = true
        }

        mutating func togglePause() {
            switch gate {
            case .open: gate = .paused
            case .paused: goOn()
            case .offRecord: break
            }
        }

        mutating func toggleRecord() {
            guard gate == .offRecord else {
                (gate, waiting, onRecord) = (.offRecord, [], open)
                return
            }
            if !open.isEmpty, open != onRecord { (open, isPasted, pasted) = ("", false, []) }
            goOn()
        }

        private mutating func goOn() {
            lines += waiting
            (gate, waiting) = (.open, [])
        }

        /// The host stops, or the event ends: what was begun and what waits goes out.
        mutating func end() {
            let rest = isPasted ? "" : open.trimmed
            if !rest.isEmpty { send(rest) }
            lines += waiting
        }
    }

    /// An operator at work.
    private final class Run {
        let host: Host
        let desk: OperatorDesk
        var generator: SeededGenerator
        var expected: Expected
        var count = 0
        /// What the input has brought, in order; and what of it the event was off the record for.
        var heard: [String] = []
        var unheard: Set<String> = []
        private let pipe: Pipe?

        init(_ seed: UInt64, _ kind: ConsoleKind, key: HostKey, on thread: LoopThread) throws {
            generator = SeededGenerator(seed: seed)
            expected = Expected(hasInput: kind == .keys)
            var configuration = HostConfiguration(
                eventName: "Town Hall", deviceName: "stage", deviceID: UUID(),
                security: HostSecurity(key))
            configuration.port = .number(0)
            configuration.addresses = [IPAddress("127.0.0.1")!]
            configuration.announces = false
            configuration.bluetooth = .nothing
            configuration.inputFormat = .text
            configuration.input = .typed
            pipe = kind == .typed ? nil : Pipe()
            if let pipe {
                let number = pipe.fileHandleForReading.fileDescriptor
                configuration.input = .file("/proc/self/fd/\(number)")
            }
            host = try Host(configuration, on: thread)
            desk = OperatorDesk(
                of: host, kind, speakers: [], page: nil, keep: { _ in nil })
        }

        func press(_ keys: Key...) async { for key in keys { await desk.take([key]) } }

        func write(_ text: String) async {
            for character in text { await press(.character(character)) }
        }

        var isTyping: Bool {
            get async { await desk.content().editor != nil }
        }

        // MARK: What an operator does

        func step() async {
            count += 1
            switch Int.random(in: 0..<20, using: &generator) {
            case 0...5: await type("word\(count) ")
            case 6...8: await enter()
            case 9: await paste()
            case 10...11:
                await press(.control("p"))
                expected.togglePause()
            case 12: await toggleRecord()
            case 13: await press(.control("k"), .control("l"), .control("g"), .control("y"))
            case 14: await askForTheEnd()
            case 15...16: await correct()
            case 17:
                await press(.control("f"))
                await write("pok")
                await press(.escape)
            default: hear()
            }
        }

        private func type(_ word: String) async {
            if await !isTyping { await press(.control("t")) }
            await write(word)
            expected.open += word
        }

        private func enter() async {
            guard await isTyping else { return }
            await press(.enter)
            expected.enter()
        }

        private func paste() async {
            let parts = (0...Int.random(in: 0...2, using: &generator)).map { "p\(count)-\($0) " }
            await press(.pasted(parts.joined(separator: "\n")))
            expected.paste(parts)
        }

        private func toggleRecord() async {
            if expected.gate != .offRecord {
                let out = await Set(host.spoken)
                unheard.formUnion(heard.filter { !out.contains($0) })
            }
            await press(.control("o"))
            expected.toggleRecord()
        }

        /// It was not meant; and what somebody goes on typing are words.
        private func askForTheEnd() async {
            let wasTyping = await isTyping
            await press(.control("x"))
            await write("en\(count) ")
            if wasTyping { expected.open += "en\(count) " }
        }

        private func correct() async {
            guard await isTyping else { return }
            await press(.up)
            guard let seq = await desk.content().editor?.correcting,
                let old = await desk.content().lines.first(where: { $0.seq == seq })?.text
            else { return }
            await write("z")
            guard Bool.random(using: &generator) else { return await press(.escape) }
            await press(.enter)
            expected.lines = expected.lines.map { $0 == old ? old + "z" : $0 }
            heard = heard.map { $0 == old ? old + "z" : $0 }
        }

        private func hear() {
            guard let pipe, expected.gate != .offRecord else { return }
            heard.append("heard\(count)")
            pipe.fileHandleForWriting.write(Data("heard\(count)\n".utf8))
        }

        /// A signal comes, or the operator ends the event.
        func end() async {
            if Bool.random(using: &generator) {
                await desk.sendTyped()
                await host.stop()
            } else {
                await press(.control("x"))
                await write("end")
                await press(.enter)
            }
            expected.end()
            for await _ in host.news {}
        }
    }

    @Test(arguments: [ConsoleKind.typed, .keys], 0..<10)
    func everythingSent_isSaidOnce_whateverIsPressed(kind: ConsoleKind, batch: Int) async throws {
        let (key, thread) = (try HostKey(), try LoopThread())
        for seed in 0..<50 {
            let run = try Run(UInt64(batch * 50 + seed), kind, key: key, on: thread)
            try await run.host.start()
            for _ in 0..<40 { await run.step() }
            await run.end()
            let said = await run.host.spoken
            let typed = said.filter { !$0.hasPrefix("heard") }
            #expect(typed == run.expected.lines, "\(kind), seed \(batch * 50 + seed)")
            // The host has read so far, and missed nothing of it.
            let heard = said.filter { $0.hasPrefix("heard") }
            let read = run.heard.prefix { $0 != heard.last } + (heard.last.map { [$0] } ?? [])
            let wanted = read.filter { heard.contains($0) || !run.unheard.contains($0) }
            #expect(heard == (heard.isEmpty ? [] : wanted), "\(kind), seed \(batch * 50 + seed)")
        }
    }
}

extension Host {
    /// The lines as readers have them in the end.
    fileprivate var spoken: [String] {
        var (texts, corrections) = ([(Int, String)](), Corrections(rememberingAll: true))
        log.forEachFinal(from: 1) { seq, chunk in
            if let root = corrections.add(seq, replacing: chunk.replaces) {
                texts = texts.map { $0.0 == root ? (root, chunk.text) : $0 }
            } else {
                texts.append((seq, chunk.text))
            }
        }
        return texts.map(\.1)
    }
}

extension String {
    fileprivate var trimmed: String {
        String(reversed().drop { $0 == " " }.reversed())
    }
}
