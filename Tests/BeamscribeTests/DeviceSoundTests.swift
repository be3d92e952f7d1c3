import BeamscribeVoice
import Testing

@testable import Beamscribe

/// What becomes of a microphone and a loudspeaker, whatever happens to the server and the devices.
@Suite final class DeviceSoundTests {
    private let loop = ManualLoop()
    private let world = FakeSoundWorld()
    private var news: [DeviceNews] = []
    private var heard: [[Float]] = []
    private var lost = 0
    private var sound: DeviceSound!

    private func begin(microphone: SoundEnd? = .device(nil), speaker: SoundEnd? = .device(nil)) {
        sound = DeviceSound(
            DeviceSound.Choice(microphone: microphone, speaker: speaker), on: loop,
            for: DeviceSound.Listener(
                hear: { [unowned self] in
                    heard.append($0)
                    lost += $1
                },
                give: { [Float](repeating: 0.5, count: $0) },
                happened: { [unowned self] in news.append($0) }),
            connect: { [world] name, news throws(SoundServerError) in
                try world.connect(name, news)
            })
        sound.begin()
        world.tell(.told)
    }

    private func take() -> [DeviceNews] {
        defer { news = [] }
        return news
    }

    @Test func microphone_isOpen_fromWhenItIsWanted_until30SecondsAfter() {
        begin()
        #expect(take() == [.uses(.speaker, "Speaker a", isChange: false)])
        sound.isMicrophoneWanted = true
        #expect(
            take() == [
                .microphone(isOpen: true), .uses(.microphone, "Microphone a", isChange: false),
            ])
        sound.isMicrophoneWanted = false
        loop.advance(by: .seconds(29))
        sound.isMicrophoneWanted = true
        sound.isMicrophoneWanted = false
        loop.advance(by: .seconds(29))
        #expect(take().isEmpty)
        loop.advance(by: .seconds(1))
        #expect(take() == [.microphone(isOpen: false)])
        #expect(world.ports[.microphone] == nil)
    }

    @Test func whatTheMicrophoneHears_isHeard_andWhatWasLostIsCounted() throws {
        begin()
        sound.isMicrophoneWanted = true
        let port = try #require(world.ports[.microphone])
        port.give([1, 2, 3])
        #expect(heard == [[1, 2, 3]])
        port.faults = 100
        port.give([4, 5])
        #expect(heard.last == [])
        #expect(lost == 102)
    }

    @Test func loudspeaker_hasOnePeriodWaiting_andMoreWhereThatWasTooLittle() throws {
        begin()
        let port = try #require(world.ports[.speaker])
        port.period = 128
        port.wake()
        #expect(port.level == 128)
        port.level = 0
        port.faults = 1
        port.wake()
        #expect(port.level == 256)
        port.level = 0
        loop.advance(by: .seconds(10))
        port.wake()
        #expect(port.level == 128)
    }

    @Test func usualDevice_takesThePlaceOfWhatIsPulledOut_untilItIsBack() throws {
        world.devices = FakeSoundWorld.devices("a", "b")
        begin(microphone: .device("mic-b"))
        sound.isMicrophoneWanted = true
        _ = take()
        world.devices = FakeSoundWorld.devices("a")
        world.ports[.microphone]?.device = world.devices[0]
        world.tell(.changed)
        #expect(take() == [.uses(.microphone, "Microphone a", isChange: true)])
        world.devices = FakeSoundWorld.devices("a", "b")
        world.tell(.changed)
        #expect(take() == [.uses(.microphone, "Microphone b", isChange: true)])
        // Somebody wants it otherwise.
        world.ports[.microphone]?.device = world.devices[0]
        world.tell(.changed)
        #expect(take() == [.uses(.microphone, "Microphone a", isChange: true)])
        #expect(world.opened == ["speaker -", "microphone mic-b", "microphone mic-b"])
    }

    @Test func deviceThatIsChosen_takesTheOthersPlace_atOnceOrOnceItIsOpened() {
        world.devices = FakeSoundWorld.devices("a", "b")
        world.devices[0].isUsual = true
        begin()
        #expect(sound.devices.filter(\.isUsed).map(\.device.name) == ["mic-a", "spk-a"])
        _ = take()
        sound.choose(world.devices.first { $0.name == "spk-b" } ?? world.devices[0])
        #expect(take() == [.uses(.speaker, "Speaker b", isChange: true)])
        sound.choose(world.devices.first { $0.name == "mic-b" } ?? world.devices[0])
        #expect(take().isEmpty)
        #expect(sound.devices.filter(\.isUsed).map(\.device.name) == ["mic-b", "spk-b"])
        sound.isMicrophoneWanted = true
        #expect(
            take() == [
                .microphone(isOpen: true), .uses(.microphone, "Microphone b", isChange: false),
            ])
    }

    @Test func deviceThatIsChosenAndGone_isReplacedByTheUsualOne() {
        world.devices = FakeSoundWorld.devices("a", "b")
        begin()
        let chosen = world.devices.first { $0.name == "mic-b" } ?? world.devices[0]
        sound.choose(chosen)
        world.devices = FakeSoundWorld.devices("a")
        world.tell(.changed)
        _ = take()
        sound.isMicrophoneWanted = true
        #expect(
            take() == [
                .microphone(isOpen: true), .uses(.microphone, "Microphone a", isChange: false),
            ])
    }

    @Test func deviceThatIsChosen_isNone_whereNoneOfItsKindIsWanted() {
        begin(microphone: nil)
        sound.choose(world.devices[0])
        #expect(sound.devices.map(\.device.direction) == [.speaker])
        sound.isMicrophoneWanted = true
        #expect(world.ports[.microphone] == nil)
    }

    @Test func deviceThatGoes_isMissed_afterASecond() {
        begin()
        _ = take()
        world.ports[.speaker]?.device = nil
        world.tell(.changed)
        #expect(take().isEmpty)
        loop.advance(by: .seconds(1))
        #expect(take() == [.missing(.speaker)])
        world.ports[.speaker]?.device = world.devices[1]
        world.tell(.changed)
        #expect(take() == [.uses(.speaker, "Speaker a", isChange: false)])
    }

    @Test func serverThatGoes_isTriedAgain_moreAndMoreSlowly() {
        begin()
        sound.isMicrophoneWanted = true
        _ = take()
        world.isThere = false
        world.tell(.lost)
        #expect(take() == [.microphone(isOpen: false), .lost])
        let before = world.attempts
        loop.advance(by: .seconds(60))
        // After 0.25, 0.5, 1, 2, 4 s, and then every 5.
        #expect(world.attempts - before == 15)
        world.isThere = true
        loop.advance(by: .seconds(5))
        // Not by another door.
        #expect(world.wanted == "Fake")
        world.tell(.told)
        #expect(
            take() == [
                .uses(.speaker, "Speaker a", isChange: false), .microphone(isOpen: true),
                .uses(.microphone, "Microphone a", isChange: false),
            ])
    }

    @Test func streamThatNobodyLinks_isOpenedAgain() {
        begin()
        _ = take()
        world.linksNothing = true
        sound.isMicrophoneWanted = true
        #expect(take() == [.microphone(isOpen: true)])
        loop.advance(by: .seconds(5))
        #expect(take() == [.missing(.microphone), .microphone(isOpen: false)])
        world.linksNothing = false
        loop.advance(by: .milliseconds(250))
        #expect(
            take() == [
                .microphone(isOpen: true), .uses(.microphone, "Microphone a", isChange: false),
            ])
    }

    @Test func serverThatSaysNothing_isNone() {
        sound = DeviceSound(
            DeviceSound.Choice(speaker: .device(nil)), on: loop,
            for: DeviceSound.Listener(
                hear: { _, _ in }, give: { _ in [] },
                happened: { [unowned self] in news.append($0) }),
            connect: { [world] name, news throws(SoundServerError) in
                try world.connect(name, news)
            })
        sound.begin()
        loop.advance(by: .seconds(5))
        #expect(take() == [.refused("the sound server does not answer")])
    }

    @Test func whatNeverWas_isRefused() {
        begin(microphone: .device("mic-c"))
        #expect(take() == [.refused("there is no mic-c")])
        world.isThere = false
        begin()
        #expect(take() == [.refused("there is no server")])
    }

    /// As ALSA's do.
    @Test func deviceThatFails_isReplacedByTheUsualOne_andTriedAgain() throws {
        world.devices = FakeSoundWorld.devices("a", "b")
        begin(speaker: .device("spk-b"))
        _ = take()
        world.devices = FakeSoundWorld.devices("a")
        world.refusesEarly = false
        let port = try #require(world.ports[.speaker])
        port.hasFailed = true
        port.wake()
        #expect(take() == [.missing(.speaker)])
        loop.advance(by: .milliseconds(250))
        #expect(take() == [.uses(.speaker, "Speaker a", isChange: false)])
        world.devices = FakeSoundWorld.devices("a", "b")
        loop.advance(by: .seconds(5))
        #expect(take() == [.uses(.speaker, "Speaker b", isChange: true)])
    }
}

/// A sound server that is none.
final class FakeSoundWorld {
    var devices = devices("a")
    var isThere = true
    var refusesEarly = true
    var linksNothing = false
    private(set) var attempts = 0
    private(set) var wanted: String?
    private(set) var opened: [String] = []
    var ports: [SoundDevice.Direction: FakePort] {
        open.compactMapValues(\.port)
    }
    private var open: [SoundDevice.Direction: Weak] = [:]
    private var news: (SoundServerNews) -> Void = { _ in }

    private struct Weak {
        weak var port: FakePort?
    }

    /// A microphone and a loudspeaker of each name.
    static func devices(_ names: String...) -> [SoundDevice] {
        names.flatMap { name in
            [
                SoundDevice(.microphone, name: "mic-\(name)", description: "Microphone \(name)"),
                SoundDevice(.speaker, name: "spk-\(name)", description: "Speaker \(name)"),
            ]
        }
    }

    func tell(_ what: SoundServerNews) { news(what) }

    func connect(
        _ name: String?, _ news: @escaping (SoundServerNews) -> Void
    ) throws(SoundServerError) -> any SoundServer {
        attempts += 1
        wanted = name
        guard isThere else { throw SoundServerError("there is no server") }
        self.news = news
        return Server(world: self)
    }

    private final class Server: SoundServer {
        let name = "Fake"
        private unowned let world: FakeSoundWorld
        var devices: [SoundDevice] { world.devices }

        init(world: FakeSoundWorld) { self.world = world }

        func refusal(
            of direction: SoundDevice.Direction, _ device: String?
        ) -> SoundServerError? {
            world.refusesEarly ? world.refusal(direction, device) : nil
        }

        func open(
            _ direction: SoundDevice.Direction, _ device: String?, ready: @escaping () -> Void
        ) throws(SoundServerError) -> any SoundPort {
            if let refusal = world.refusal(direction, device) { throw refusal }
            world.opened.append("\(direction.rawValue) \(device ?? "-")")
            let port = FakePort(ready)
            port.device =
                world.linksNothing
                ? nil
                : world.devices.first {
                    $0.direction == direction && $0.name == device ?? $0.name
                }
            world.open[direction] = Weak(port: port)
            return port
        }
    }

    private func refusal(
        _ direction: SoundDevice.Direction, _ device: String?
    ) -> SoundServerError? {
        let isHere = devices.contains {
            $0.direction == direction && $0.name == device ?? $0.name
        }
        return isHere ? nil : SoundServerError("there is no \(device ?? direction.rawValue)")
    }
}

/// A device that is none.
final class FakePort: SoundPort {
    var device: SoundDevice?
    var period = 0
    var level = 0
    var faults = 0
    var hasFailed = false
    private var samples: [Float] = []
    private let ready: () -> Void

    init(_ ready: @escaping () -> Void) { self.ready = ready }

    func wake() { ready() }

    func give(_ samples: [Float]) {
        self.samples = samples
        ready()
    }

    func read() -> [Float] {
        defer { samples = [] }
        return samples
    }

    func write(_ samples: UnsafeBufferPointer<Float>) -> Bool {
        level += samples.count
        return true
    }
}
