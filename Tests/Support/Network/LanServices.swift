/// The daemons of one host, as far as they were started.
struct LanServices: Sendable {
    var bus: RunningProgram?
    var avahi: RunningProgram?
}
