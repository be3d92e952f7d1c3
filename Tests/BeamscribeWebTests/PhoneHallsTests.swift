import Beamscribe
import BeamscribeCore
import NIOCore
import NIOPosix
import Testing

@testable import BeamscribeWeb

/// Which phones read together.
@Suite struct PhoneHallsTests {
    @Test func choicesOfLogs_haveAHallEach_andBeyondTheLimitOneOfAll() async throws {
        let stage = try await WebStage()
        let threads = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let feed = await stage.host.feed
        let halls = PhoneHalls(feed, on: WebExecutor(threads.next()), maximum: 100)
        await halls.begin()
        func selection(of words: String...) async -> FeedSelection? {
            await halls.hall(of: words).source.selection
        }
        #expect(await selection(of: "floor") == nil)
        #expect(await selection(of: "no such room") == nil)
        #expect(await selection(of: "all") == FeedSelection(["all"]))
        // Those that nobody reads give way.
        for number in 1...100 { _ = await halls.hall(of: ["floor", "\(number)"]) }
        #expect(await selection(of: "floor", "new") == FeedSelection(["floor", "new"]))
        for number in 1...Limits.feedSelections {
            let hall = await halls.hall(of: ["floor", "read \(number)"])
            let (_, place) = await hall.source.arrival(after: FeedMarks(""), tail: nil)
            _ = await hall.hub.arrive(at: place, by: StreamLane(), from: "192.0.2.7")
        }
        #expect(await selection(of: "floor", "one more") == .everything)
        #expect(await selection(of: "floor", "read 3") == FeedSelection(["floor", "read 3"]))
        #expect(await halls.count == Limits.feedSelections)
        await halls.end()
        await stage.host.stop()
        try await threads.shutdownGracefully()
    }
}
