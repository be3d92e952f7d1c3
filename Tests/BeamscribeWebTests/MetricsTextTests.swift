import Beamscribe
import BeamscribeCore
import TestSupport
import Testing

@testable import BeamscribeWeb

/// What Prometheus reads.
@Suite struct MetricsTextTests {
    private func figures() async throws -> HostMetrics {
        try await WebStage().host.metrics()
    }

    @Test func figures_areWhereTheyBelong() async throws {
        var event = try await figures()
        (event.counts.connecting, event.counts.syncing, event.counts.stable) = (1, 2, 3)
        (event.counts.unstable, event.counts.serving) = (4, 14)
        (event.lines, event.transcriptBytes, event.sentBytes) = (5, 6, 7)
        (event.guestLag, event.inputAge) = (8, 9.5)
        let text = MetricsText.of(event, phones: 10, arrivals: 11, phoneBytes: 12, phoneLag: 13)
        let samples = try PrometheusText(text).samples
        #expect(
            samples == [
                #"beamscribe_guests{state="connecting"}"#: 1,
                #"beamscribe_guests{state="syncing"}"#: 2,
                #"beamscribe_guests{state="stable"}"#: 3,
                "beamscribe_serving_guests": 14,
                "beamscribe_phones": 10, "beamscribe_phones_total": 11,
                "beamscribe_unstable_guests_total": 4,
                #"beamscribe_lag_lines{reader="guest"}"#: 8,
                #"beamscribe_lag_lines{reader="phone"}"#: 13,
                "beamscribe_lines_total": 5, "beamscribe_transcript_bytes": 6,
                #"beamscribe_sent_bytes_total{reader="guest"}"#: 7,
                #"beamscribe_sent_bytes_total{reader="phone"}"#: 12,
                "beamscribe_input_age_seconds": 9.5,
            ])
    }

    @Test func numbers_areReadable_whateverTheyAre() async throws {
        var event = try await figures()
        for age in [0, 0.000_001, 1e-9, 4.25, 1e9, 1e17] {
            event.inputAge = age
            event.sentBytes = .max
            let text = MetricsText.of(event, phones: 0, arrivals: 0, phoneBytes: 0, phoneLag: 0)
            let samples = try PrometheusText(text).samples
            #expect(samples["beamscribe_input_age_seconds"] == age)
        }
    }
}
