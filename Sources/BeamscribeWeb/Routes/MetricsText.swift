import Beamscribe
import BeamscribeCore

/// The event's figures in the text format that Prometheus reads (version 0.0.4).
enum MetricsText {
    static func of(
        _ event: HostMetrics, phones: Int, arrivals: Int, phoneBytes: Int, phoneLag: Int
    ) -> String {
        """
        # HELP beamscribe_guests Guests that are connected.
        # TYPE beamscribe_guests gauge
        beamscribe_guests{state="connecting"} \(event.counts.connecting)
        beamscribe_guests{state="syncing"} \(event.counts.syncing)
        beamscribe_guests{state="stable"} \(event.counts.stable)
        # HELP beamscribe_serving_guests Guests that serve the event to others.
        # TYPE beamscribe_serving_guests gauge
        beamscribe_serving_guests \(event.counts.serving)
        # HELP beamscribe_phones Browsers that read.
        # TYPE beamscribe_phones gauge
        beamscribe_phones \(phones)
        # HELP beamscribe_phones_total Browsers that ever came.
        # TYPE beamscribe_phones_total counter
        beamscribe_phones_total \(arrivals)
        # HELP beamscribe_unstable_guests_total Guests that went as soon as they had come.
        # TYPE beamscribe_unstable_guests_total counter
        beamscribe_unstable_guests_total \(event.counts.unstable)
        # HELP beamscribe_lag_lines Lines that the reader who is farthest behind has not got.
        # TYPE beamscribe_lag_lines gauge
        beamscribe_lag_lines{reader="guest"} \(event.guestLag)
        beamscribe_lag_lines{reader="phone"} \(phoneLag)
        # HELP beamscribe_lines_total Finished lines.
        # TYPE beamscribe_lines_total counter
        beamscribe_lines_total \(event.lines)
        # HELP beamscribe_transcript_bytes Bytes of the transcript in the host's memory.
        # TYPE beamscribe_transcript_bytes gauge
        beamscribe_transcript_bytes \(event.transcriptBytes)
        # HELP beamscribe_sent_bytes_total Bytes of captions sent.
        # TYPE beamscribe_sent_bytes_total counter
        beamscribe_sent_bytes_total{reader="guest"} \(event.sentBytes)
        beamscribe_sent_bytes_total{reader="phone"} \(phoneBytes)
        # HELP beamscribe_input_age_seconds Seconds since the input last said something.
        # TYPE beamscribe_input_age_seconds gauge
        beamscribe_input_age_seconds \(event.inputAge)

        """
    }
}
