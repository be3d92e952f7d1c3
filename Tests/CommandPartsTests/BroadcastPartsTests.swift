import Testing

@testable import BeamscribeCommand

/// Elements that are sent to all who listen.
@Suite struct BroadcastPartsTests {
    @Test func firstWhoListens_getsTheElementsThatNobodyHeard_onceAndInOrder() async {
        let broadcast = Broadcast<Int>(keepsUnheard: true, limit: 3)
        for number in 1...4 { broadcast.send(number) }
        let first = Task { [stream = broadcast.listen()] in await Self.take(3, of: stream) }
        #expect(await first.value == [2, 3, 4])
        // He has gone.
        broadcast.send(5)
        broadcast.send(6)
        let second = broadcast.listen()
        broadcast.send(7)
        #expect(await Self.take(3, of: second) == [5, 6, 7])
    }

    private static func take(_ count: Int, of stream: AsyncStream<Int>) async -> [Int] {
        var taken: [Int] = []
        for await number in stream {
            taken.append(number)
            if taken.count == count { break }
        }
        return taken
    }
}
