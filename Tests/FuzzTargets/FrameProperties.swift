import BeamscribeCore

/// The frame decoder yields what the wire's definition says, however the stream is cut.
enum FrameProperties {
    static func check(_ bytes: UnsafeRawBufferPointer) throws(BrokenProperty) {
        var choices = Choices(bytes)
        let limit = choices.pick([16, 1, 300, Limits.guestFramePayload])
        let seed = choices.byte()
        let stop = choices.below(8)
        let stream = choices.remainder()
        let expected = definition(stream, limit)
        let cuts = [[stream], Splits.bytewise(stream), Splits.random(stream, seed: seed)]
        for parts in cuts {
            let found = decode(parts, limit)
            try expect(found == expected, "\(found) where \(expected) was sent in \(parts)")
        }
        let stopped = decode([stream], limit, stopAfter: stop + 1).payloads
        try expect(
            stopped == Array(expected.payloads.prefix(stop + 1)), "went on after it was stopped")
    }

    private struct Reading: Equatable {
        enum End: Equatable { case between, inside, empty, tooLong(Int) }
        var payloads: [[UInt8]] = []
        var end = End.between
    }

    private static func decode(
        _ parts: [[UInt8]], _ limit: Int, stopAfter stop: Int = .max
    ) -> Reading {
        var decoder = FrameDecoder(limit: limit)
        var reading = Reading()
        for part in parts {
            // A piece is a heap block of its own: a sanitizer sees a read behind its end.
            let error = part.withUnsafeBytes { bytes -> FrameError? in
                do throws(FrameError) {
                    try decoder.decode(bytes) { payload in
                        reading.payloads.append(Array(payload))
                        return reading.payloads.count < stop
                    }
                    return nil
                } catch {
                    return error
                }
            }
            if let error { return Reading(payloads: reading.payloads, end: end(error)) }
            if reading.payloads.count >= stop { break }
        }
        reading.end = decoder.isInsideFrame ? .inside : .between
        return reading
    }

    private static func end(_ error: FrameError) -> Reading.End {
        switch error {
        case .empty, .end: .empty
        case .tooLong(let length, _, _): .tooLong(length)
        }
    }

    /// The wire's definition, written down once more without regard to speed.
    private static func definition(_ stream: [UInt8], _ limit: Int) -> Reading {
        var reading = Reading()
        var rest = stream[...]
        while rest.count >= 4 {
            let length = rest.prefix(4).reduce(0) { $0 * 256 + Int($1) }
            if length == 0 || length > limit {
                reading.end = length == 0 ? .empty : .tooLong(length)
                return reading
            }
            guard rest.count >= 4 + length else { break }
            reading.payloads.append(Array(rest.dropFirst(4).prefix(length)))
            rest = rest.dropFirst(4 + length)
        }
        reading.end = rest.isEmpty ? .between : .inside
        return reading
    }
}
