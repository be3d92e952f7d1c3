import Beamscribe
import BeamscribeCore
import BeamscribeIO
import BeamscribeTLS
import FoundationEssentials
import Glibc
import Synchronization
import TestSupport
import Testing

/// A host whose operator steps in, and a guest that sees it, over loopback.
@Suite struct HostControlsTests {
    /// What a guest has told.
    private final class Told: Sendable {
        private let events = Mutex<[GuestEvent]>([])

        var all: [GuestEvent] { events.withLock(\.self) }

        func add(_ batch: [GuestEvent]) { events.withLock { $0 += batch } }
    }

    /// A host with a guest that has joined, and what the guest was told so far.
    private final class Stage: Sendable {
        let host: Host
        let guest: Guest
        private let input: Int32
        private let told = Told()

        init(
            _ input: HostConfiguration.Input, _ descriptor: Int32, stalledAfter: Duration? = nil
        ) async throws {
            var configuration = HostConfiguration(
                eventName: "Town Hall", deviceName: "stage", deviceID: UUID(),
                security: HostSecurity(try HostKey()))
            configuration.port = .number(0)
            configuration.addresses = [IPAddress("127.0.0.1")!]
            configuration.announces = false
            configuration.bluetooth = .nothing
            configuration.input = input
            configuration.timing.stalledAfter = stalledAfter
            self.input = descriptor
            host = try Host(configuration)
            try await host.start()
            var endpoint: Endpoint?
            for await batch in host.news {
                for case .listening(let endpoints) in batch { endpoint = endpoints[0] }
                if endpoint != nil { break }
            }
            var guestConfiguration = GuestConfiguration(
                target: .endpoints([endpoint!], name: "here"),
                session: GuestSession.Configuration(displayName: "Ann"),
                device: DeviceSecret(UUID()), security: GuestSecurity())
            guestConfiguration.usesBluetooth = false
            guest = try Guest(guestConfiguration)
            await guest.start()
            let (guest, told) = (guest, told)
            Task { for await batch in guest.events { told.add(batch) } }
            // Of a pause that was over before it came a guest learns nothing.
            try await wait("the guest to join") { events in
                events.contains { if case .joined = $0 { true } else { false } }
            }
        }

        deinit { if input >= 0 { close(input) } }

        func write(_ text: String) {
            var text = text
            text.withUTF8 { _ = Glibc.write(input, $0.baseAddress, $0.count) }
        }

        /// Waits until the host has taken all that was written.
        nonisolated(nonsending) func waitUntilRead() async throws {
            try await eventually("the host to read its input") {
                var waiting: Int32 = 1
                return ioctl(input, UInt(clamping: FIONREAD), &waiting) == 0 && waiting == 0
            }
        }

        nonisolated(nonsending) func wait(
            _ what: String, for matches: ([GuestEvent]) -> Bool
        ) async throws {
            try await eventually(what, within: .seconds(20), seen: { "\(told.all)" }) {
                matches(told.all)
            }
        }

        nonisolated(nonsending) func waitForLine(_ text: String) async throws {
            try await wait("the line \(text)") { events in
                events.contains {
                    if case .line(let line) = $0 { line.text == text } else { false }
                }
            }
        }

        nonisolated(nonsending) func waitForAlert(_ kind: String) async throws {
            try await wait("the alert \(kind)") { events in
                events.contains { if case .alert(kind, _) = $0 { true } else { false } }
            }
        }

        var lines: [TranscriptLine] {
            told.all.compactMap { if case .line(let line) = $0 { line } else { nil } }
        }
        var partials: [String] {
            told.all.compactMap {
                if case .partial(let partial) = $0 { partial.spokenText } else { nil }
            }
        }
        var alerts: [String] {
            told.all.compactMap { if case .alert(let kind, _) = $0 { kind } else { nil } }
        }

        func stop() async {
            await guest.stop()
            await host.stop()
        }
    }

    /// A stage whose input is a pipe.
    private func piped(
        _ folder: TemporaryFolder, stalledAfter: Duration? = nil
    ) async throws -> Stage {
        let path = folder.path(of: "input")
        mkfifo(path, 0o600)
        return try await Stage(
            .file(path), open(path, O_RDWR | O_CLOEXEC), stalledAfter: stalledAfter)
    }

    private func typed() async throws -> Stage { try await Stage(.typed, -1) }

    @Test func pause_holdsWhatComesIn_andResumeLetsItOut_inOrder() async throws {
        let stage = try await piped(try TemporaryFolder())
        stage.write("line 0\n")
        try await stage.waitForLine("line 0")
        await stage.host.pause()
        try await stage.waitForAlert("paused")
        stage.write((1...500).map { "line \($0)\n" }.joined())
        // What the operator does himself goes out all the same, and so shows that the rest waits.
        #expect(await stage.host.type("a word of the host's") == .sent(2))
        #expect(await stage.host.correct(1, text: "line zero") == .sent(3))
        try await stage.waitForLine("line zero")
        #expect(await stage.host.view().gate == .paused)
        #expect(stage.lines.count == 3)
        await stage.host.resume()
        try await stage.waitForLine("line 500")
        #expect(stage.lines.dropFirst(3).map(\.text) == (1...500).map { "line \($0)" })
        #expect(stage.alerts == ["paused", "resumed"])
        await stage.stop()
    }

    @Test func pause_isNoStall_howeverLongItIs() async throws {
        let stage = try await piped(try TemporaryFolder(), stalledAfter: .milliseconds(200))
        stage.write("one\n")
        try await stage.waitForLine("one")
        await stage.host.pause()
        try await stage.waitForAlert("paused")
        try await eventually("a pause longer than a stall") {
            (await stage.host.view().inputAge ?? .zero) > .milliseconds(600)
        }
        #expect(stage.alerts.last == "paused")
        await stage.host.resume()
        // From here on it counts again.
        try await stage.wait("a stall after the pause") { _ in
            stage.alerts.suffix(2) == ["resumed", "input_stalled"]
        }
        await stage.stop()
    }

    @Test func offRecord_dropsWhatComesIn_andTakesTheOpenLineBack() async throws {
        let stage = try await piped(try TemporaryFolder())
        stage.write("one\nopen li")
        try await stage.wait("the open line") { events in
            events.contains {
                if case .partial(let open) = $0 { open.text == "open li" } else { false }
            }
        }
        await stage.host.goOffRecord()
        await stage.host.pause()
        #expect(await stage.host.view().gate == .offRecord, "what waits would come out later")
        try await stage.waitForAlert("off_record")
        stage.write("ne secret\nsecret\nhalf a sec")
        #expect(await stage.host.type("a secret of the host's") == .offRecord)
        try await stage.waitUntilRead()
        await stage.host.resume()
        stage.write("t\ntwo\n")
        try await stage.waitForLine("two")
        #expect(stage.lines.map(\.text) == ["one", "two"])
        #expect(stage.partials.last == "")
        #expect(!stage.partials.contains { $0.contains("sec") })
        #expect(stage.alerts == ["off_record", "resumed"])
        await stage.stop()
    }

    @Test func typedLine_isSeenAsItGrows_andIsOneLine() async throws {
        let stage = try await typed()
        for text in ["H", "He", "Hel", "Hello"] { await stage.host.type(partial: text) }
        #expect(await stage.host.type("Hello", speaker: "Ann") == .sent(1))
        await stage.host.type(partial: "and")
        await stage.host.type(partial: "")
        #expect(await stage.host.type("  ") == .refused)
        try await stage.waitForLine("Hello")
        #expect(stage.lines.map(\.spokenText) == ["Ann: Hello"])
        await stage.host.endTyping()
        try await stage.waitForAlert("input_ended")
        #expect(await stage.host.type("too late") == .refused)
        await stage.stop()
    }

    @Test func typedLines_wait_whilePaused_andTheEndOfTypingToo() async throws {
        let stage = try await typed()
        await stage.host.pause()
        await stage.host.type(partial: "one")
        #expect(await stage.host.type("one") == .waits)
        #expect(await stage.host.type("two") == .waits)
        #expect(await stage.host.view().waitingLines == 2)
        await stage.host.endTyping()
        #expect(await !stage.host.view().isInputOver)
        await stage.host.resume()
        try await stage.waitForAlert("input_ended")
        #expect(stage.lines.map(\.text) == ["one", "two"])
        #expect(stage.alerts == ["paused", "resumed", "input_ended"])
        await stage.stop()
    }

    @Test func typedLines_areRefused_whenTooManyWait() async throws {
        let stage = try await typed()
        await stage.host.pause()
        for _ in 0..<Limits.typedLines { _ = await stage.host.type("x") }
        #expect(await stage.host.type("x") == .refused)
        await stage.host.goOffRecord()
        #expect(await stage.host.view().waitingLines == 0, "they were not for anybody")
        await stage.stop()
    }

    @Test func view_showsWhatReadersSee() async throws {
        let stage = try await typed()
        let begin = Clock.uptime
        _ = await stage.host.type("Good mourning all")
        await stage.host.type(partial: "and")
        _ = await stage.host.correct(1, text: "Good morning all")
        let view = await stage.host.view(withGuests: true)
        #expect(view.lines.map(\.text) == ["Good morning all"] && view.lines[0].isCorrected)
        #expect(view.open.map(\.text) == ["and"])
        #expect(
            view.lineCount == 1 && view.lastSeq == 2 && view.linesPerMinute == 1
                && view.wordsPerMinute == 3)
        #expect(try #require(view.inputAge) <= Clock.uptime - begin)
        await stage.stop()
    }

    @Test(.timeLimit(.minutes(1)))
    func event_isOver_whenTheOperatorEndsIt() async throws {
        let stage = try await typed()
        _ = await stage.host.type("last words")
        try await stage.waitForLine("last words")
        await stage.host.mark()
        await stage.host.mark()
        await stage.host.endEvent()
        try await stage.waitForAlert("ended")
        #expect(stage.alerts == ["mark", "ended"], "one place is one mark")
        #expect(await stage.host.type("more") == .refused)
        var news: [HostNews] = []
        for await batch in stage.host.news { news += batch }
        #expect(news.contains(.marked(after: 1)) && news.last == .finished(lines: 1, isOver: true))
        await stage.guest.stop()
    }

    @Test func endOfInput_isTold_whenItCameOffTheRecord() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path(of: "input")
        mkfifo(path, 0o600)
        let writer = open(path, O_RDWR | O_CLOEXEC)
        let stage = try await Stage(.file(path), -1)
        await stage.host.goOffRecord()
        #expect(Glibc.write(writer, "secret", 6) == 6)
        close(writer)
        try await eventually("the input's end") { await stage.host.view().isInputOver }
        await stage.host.resume()
        try await stage.waitForAlert("input_ended")
        #expect(stage.alerts == ["off_record", "resumed", "input_ended"] && stage.lines.isEmpty)
        await stage.stop()
    }
}
