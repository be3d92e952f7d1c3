import Beamscribe
import BeamscribeCore
import BeamscribeIO
import Logging

/// Tells whoever sits at a node of a mesh what becomes of it and of the others.
struct MeshReporter: Reporter {
    let logger: Logger
    private let event: String
    private let label: String
    private let readsKeyboard: Bool
    /// What a host would tell as well.
    private var host: HostReporter
    private let security: SecurityReporter
    /// Nodes that were said to be here.
    private var here: Set<String> = []
    private var wasAnnounced = true

    /// Why what came in cannot be read any more, or is not saved; nil where that is well.
    var inputFailure: SystemError? { host.inputFailure }
    var storageFailure: String? { host.storageFailure }

    init(
        _ event: String, as label: String, readsKeyboard: Bool,
        by host: HostReporter, _ security: SecurityReporter
    ) {
        (logger, self.event, self.label) = (host.logger, event, label)
        self.readsKeyboard = readsKeyboard
        (self.host, self.security) = (host, security)
    }

    mutating func report(_ news: HostNews, isFounder: Bool) {
        switch news {
        case .listening(let endpoints): tellBeginning(endpoints, isFounder)
        case .guests(.doorClosed, _): host.report(news)
        case .addressesChanged, .announced, .announcementFailed, .beacon, .beaconFailed,
            .channelsFailed, .guests:
            break
        case .mesh(let news): report(news)
        case .inputEnded(let lines):
            say("The input has ended after \(plural(lines, "line")).", "input_ended")
        case .finished(let lines, _):
            say("Left after \(plural(lines, "line")) of one's own.", "finished")
        default: host.report(news)
        }
    }

    private func tellBeginning(_ endpoints: [Endpoint], _ isFounder: Bool) {
        say(
            isFounder
                ? "No event called \"\(event)\" is open here: \"\(label)\" begins it."
                : "\"\(label)\" takes part in \"\(event)\".", "mesh_begun")
        say("Where others do not find it:", "addresses")
        for endpoint in endpoints.prefix(4) {
            say(
                "    beamscribe mesh \(ShellWord(event).quoted) --host \(endpoint)", "address")
        }
        security.beginInMesh()
        if readsKeyboard {
            say("Type a line and press Enter to send it; Ctrl-D ends the input.", "keyboard")
        }
    }

    private mutating func report(_ news: MeshNews) {
        switch news {
        case .peer(let peer, let all): report(peer, among: all)
        case .met(_, let name):
            detail("A node of another event, \"\(SafeText.line(name))\", answered.", "mesh_met")
        case .wentOver:
            say(
                "\"\(event)\" was begun twice: this machine goes on in the other one, with all that was "
                    + "said.", "mesh_went_over")
        case .foundedAnew:
            say(
                "Whoever began \"\(event)\" is gone, and nobody here has had a word of it: this machine has "
                    + "begun it again, with all that was said.", "mesh_founded_anew")
        case .linkEnded(_, let why): detail("A link was not made, or has ended: \(why).", "link")
        case .announcementFailed(let reason):
            guard wasAnnounced else { return }
            wasAnnounced = false
            warn(
                "\(reason), so others cannot find this machine by themselves; they can give its "
                    + "address as above. (`beamscribe doctor` says what to do.)", "not_announced")
        }
    }

    private mutating func report(_ peer: MeshPeer, among all: [MeshPeer]) {
        let more: Logger.Metadata = [
            "node": "\(peer.node)", "device": "\(peer.name)", "state": "\(peer.state.rawValue)",
            "linked": "\(all.count { $0.isLinked })", "known": "\(all.count)",
        ]
        let name = peer.name.isEmpty ? "node \(peer.node.prefix(8))" : peer.name
        let count = "\(all.count { $0.isLinked }) of \(all.count) linked"
        switch peer.state {
        case .stable:
            here.insert(peer.node)
            log(.info, "+ \(name) is here (\(count)).", "peer", more)
        case .lost where here.remove(peer.node) != nil:
            log(
                .info, "- \(name) is gone (\(count)); it is looked for as long as this runs.",
                "peer", more)
        case .discovered, .connecting, .syncing, .unstable, .lost:
            log(.debug, "\(name): \(peer.state.rawValue) (\(count)).", "peer", more)
        }
    }
}
