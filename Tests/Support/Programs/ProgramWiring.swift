import Glibc

/// What to do with descriptor 0 or 1 of a new process, and the end of the pipe that stays here.
struct ProgramWiring {
    var actions: [SpawnAction]
    var ours: Descriptor?

    static func input(_ kind: StandardInput) throws(SpawnFailed) -> ProgramWiring {
        switch kind {
        case .pipe:
            let (reading, writing) = try Descriptor.pipe()
            return ProgramWiring(actions: [.duplicate(reading, as: 0)], ours: writing)
        case .file(let path):
            let file = try Descriptor.open(path, O_RDONLY)
            return ProgramWiring(actions: [.duplicate(file, as: 0)])
        case .null:
            return ProgramWiring(actions: [.open("/dev/null", flags: O_RDONLY, as: 0)])
        case .closed:
            return ProgramWiring(actions: [.close(0)])
        }
    }

    static func output(_ kind: StandardOutput) throws(SpawnFailed) -> ProgramWiring {
        switch kind {
        case .collected, .unread:
            let (reading, writing) = try Descriptor.pipe()
            return ProgramWiring(actions: [.duplicate(writing, as: 1)], ours: reading)
        case .file(let path):
            let flags = O_WRONLY | O_CREAT | O_TRUNC
            return ProgramWiring(actions: [.open(path, flags: flags, as: 1)])
        case .closed:
            return ProgramWiring(actions: [.close(1)])
        }
    }
}
