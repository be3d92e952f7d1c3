import Beamscribe
import BeamscribeCore

/// The event's figures in the text format that Prometheus reads (version 0.0.4).
enum MetricsText {
    static func of(
        _ event: HostMetrics, phones: Int, arrivals: Int, phoneBytes: Int, phoneLag: Int
    ) -> String {
        let counts = event.counts
        return family(
            "beamscribe_guests", "gauge", "Guests that are connected.",
            [
                (#"{state="connecting"}"#, "\(counts.connecting)"),
                (#"{state="syncing"}"#, "\(counts.syncing)"),
                (#"{state="stable"}"#, "\(counts.stable)"),
            ])
            + family("beamscribe_phones", "gauge", "Browsers that read.", "\(phones)")
            + family(
                "beamscribe_phones_total", "counter", "Browsers that ever came.", "\(arrivals)")
            + family(
                "beamscribe_unstable_guests_total", "counter",
                "Guests that went as soon as they had come.", "\(counts.unstable)")
            + family(
                "beamscribe_lag_lines", "gauge",
                "Lines that the reader who is farthest behind has not got.",
                [
                    (#"{reader="guest"}"#, "\(event.guestLag)"),
                    (#"{reader="phone"}"#, "\(phoneLag)"),
                ])
            + family("beamscribe_lines_total", "counter", "Finished lines.", "\(event.lines)")
            + family(
                "beamscribe_transcript_bytes", "gauge",
                "Bytes of the transcript in the host's memory.", "\(event.transcriptBytes)")
            + family(
                "beamscribe_sent_bytes_total", "counter", "Bytes of captions sent.",
                [
                    (#"{reader="guest"}"#, "\(event.sentBytes)"),
                    (#"{reader="phone"}"#, "\(phoneBytes)"),
                ])
            + family(
                "beamscribe_input_age_seconds", "gauge",
                "Seconds since the input last said something.", "\(event.inputAge)")
    }

    private static func family(
        _ name: String, _ type: String, _ help: String, _ value: String
    ) -> String {
        family(name, type, help, [("", value)])
    }

    private static func family(
        _ name: String, _ type: String, _ help: String, _ samples: [(String, String)]
    ) -> String {
        "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
            + samples.map { "\(name)\($0.0) \($0.1)\n" }.joined()
    }
}
