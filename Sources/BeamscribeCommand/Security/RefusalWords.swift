import BeamscribeCore
import FoundationEssentials

/// Why a guest does not trust a host, for people: what was found, and what to do about it.
extension SecurityRefusal {
    /// Of one who was passed over for others, at a place such as "192.0.2.9:23267".
    func passedOver(at place: String) -> String {
        "Not joined at \(place): \(finding)"
    }

    /// The question to somebody who can say yes to the key all the same; nil where there is none.
    var question: String? {
        switch self {
        case .newHost, .codeIsGone: "\(capitalised(finding)) Join? [y/N] "
        default: nil
        }
    }

    /// A sentence, which begins in lower case as what follows "beamscribe:" does.
    fileprivate var finding: String {
        switch self {
        case .keyChanged(let identity, let remembered, let since, let offered):
            """
            \(name(of: identity)) has another key than on \(date(since)): \(offered) now, \
            \(remembered) then.
            """
        case .notPinned(let pin, let offered):
            "the host's key is \(offered), not the \(pin.groups) of --fingerprint."
        case .anotherHost(let offered):
            """
            what answers where the host was has another key (\(offered)), three times in a row.
            """
        case .newHost(let event, let known, let device, let offered):
            """
            \(quoted(event)) was always hosted by \(hosts(known)); this is \(this(device)), \
            \(offered), which has not hosted it before.
            """
        case .codeIsGone(let event, let device, let offered):
            """
            \(quoted(event)) always asked for a code, and this host (\(this(device)), \(offered)) \
            asks for none.
            """
        case .codeNeeded: "the event asks for a code."
        case .wrongCode: "the code is not this event's."
        case .hostWithoutCode: "what answers does not ask for the code."
        case .doorClosed:
            "the machine that answers takes nobody from this address for now, after too many wrong codes "
                + "from here."
        }
    }

    fileprivate var advice: String {
        switch self {
        case .keyChanged:
            """
            It may have been set up anew, or another machine may be passing itself off as it. \
            Compare with what the host shows; if it is the host's, join with --forget.
            """
        case .notPinned:
            """
            It is another host, or a machine that passes itself off as it. Compare with what the \
            host shows.
            """
        case .anotherHost:
            """
            Another machine may be passing itself off as the host. Join anew to see what is there.
            """
        case .newHost, .codeIsGone:
            """
            Another machine may be passing itself off as the host. Compare with what the host \
            shows; if it is right, join with --fingerprint and these digits, or with \
            --accept-new-host.
            """
        case .codeNeeded:
            """
            Give it in \(GivenCode.variable), or with --code, or join from a terminal to be asked.
            """
        case .wrongCode: "Type it as the host shows it."
        case .hostWithoutCode:
            """
            It is an event without one (then join without), or something that passes itself off \
            as the host.
            """
        case .doorClosed: "Try again in a minute."
        }
    }

    private func name(of identity: HostIdentity) -> String {
        switch identity {
        case .device(let name): "the host \(quoted(name))"
        case .address(let address): "the host at \(SafeText.line(address))"
        }
    }

    /// The two seen last, which are enough to compare with.
    private func hosts(_ known: [KnownHosts.EventHost]) -> String {
        let named = known.prefix(2).map { "\(this($0.device)), \($0.fingerprint)" }
        return named.joined(separator: ", or ") + (known.count > 2 ? ", or others" : "")
    }

    private func this(_ device: String?) -> String {
        device.map { SafeText.line($0) } ?? "another machine"
    }

    private func quoted(_ name: String) -> String { "\"\(SafeText.line(name))\"" }

    private func capitalised(_ sentence: String) -> String {
        sentence.prefix(1).uppercased() + sentence.dropFirst()
    }

    private func date(_ time: Double) -> String {
        // A file may hold any number, and a calendar has an end.
        let date = Date(timeIntervalSince1970: min(max(time, 0), 253_402_300_799))
        return date.formatted(.iso8601.year().month().day())
    }
}

extension Failure {
    /// Why a guest does not join, what that may mean, and what to do.
    init(_ refusal: SecurityRefusal) {
        self.init(.refused, "\(refusal.finding) \(refusal.advice)")
    }
}
