import TestSupport
import Testing

/// A host whose power fails while somebody looks at a list with it.
@Suite(Skip.withoutLanAndTmux, .serialized, .timeLimit(.minutes(2))) struct CrashTests {
    @Test func openLists_offerTheHostNoLonger_whenItCrashes() async throws {
        try await Lan.with(hosts: 3, avahi: true) { lan in
            _ = try await lan[0].announce("Doomed")
            let watcher = try lan[1].browse("--watch", "--json")
            try await watcher.waitForLine(containing: "\"joinable\":true")
            let screen = try await lan[2].joinOnTerminal("Another")
            try await screen.waitForScreen(containing: "1 Doomed")
            let said = watcher.standardOutputLines.count
            try await lan[0].crash()
            let stopwatch = Stopwatch()
            try await watcher.waitForLine("its end", after: said) { line in
                line.contains("removed") || line.contains("\"joinable\":false")
            }
            stopwatch.report("a crash to the end in `browse --watch`")
            try await screen.waitForScreen("no such choice") { rows in
                !rows.contains { $0.contains("1 Doomed") }
            }
            stopwatch.report("a crash to the end in the picker")
        }
    }
}
