/// Every limit in the program, each with its reason.
///
/// A length that comes from outside is checked against one of these before anything is reserved.
public enum Limits {
    // MARK: Wire

    /// The largest payload of a frame, in bytes (the contract's 10 MiB).
    public static let framePayload = 10_485_760

    /// The largest payload that a host accepts from a guest, in bytes. A guest says who it is and
    /// that it lives: a few hundred bytes. With 1,024 guests this bounds what the host holds for
    /// half-received frames to 64 MiB, where the wire's own limit would allow 10 GiB.
    public static let guestFramePayload = 65_536

    /// The largest payload that is read into memory as JSON objects, in bytes; captions and
    /// keep-alives of the usual shape are read where they lie. That memory may be 27 times as much,
    /// which 7 MiB are, and 270 would not be for the wire's own limit. A line with every byte escaped
    /// takes under 54,000; the rest is for the runs of a session that is started anew every few
    /// seconds for a day.
    public static let packetPayload = 262_144

    /// What a guest may send in any ``guestBytesWindow``, in bytes. An honest guest sends about
    /// 300 bytes every three seconds.
    public static let guestBytesPerWindow = 262_144

    /// The same of a guest who talks and whose packets go by its connection: 600 kb/s of them, and what their
    /// writing takes.
    public static let voiceBytesPerWindow = 2_097_152

    /// The window of ``guestBytesPerWindow``.
    public static let guestBytesWindow: Duration = .seconds(10)

    /// The longest text of one line, in bytes of UTF-8. Input over it is split at a space; a host
    /// that sends more breaks the protocol. 4 KiB is about four minutes of speech.
    public static let lineBytes = 4_096

    /// The longest speaker, language or line id, in bytes of UTF-8.
    public static let labelBytes = 255

    /// The longest event name, in bytes of UTF-8.
    public static let eventNameBytes = 255

    /// The longest device name, in bytes of UTF-8 (a TXT string holds 255 with its key).
    public static let deviceNameBytes = 200

    /// The longest alert message, in bytes of UTF-8.
    public static let messageBytes = 1_024

    /// Lines that may be open (shown as partials) at once; the oldest gives way. Recognisers hold
    /// one, or one a speaker.
    public static let openLines = 16

    /// Withdrawn lines that a log remembers for readers who are behind: many times what a reader can
    /// show, for it may miss much between two looks. One takes some 150 bytes.
    static let withdrawnLines = 256

    /// The greatest number of a line that a guest takes a history through: the greatest whole
    /// number that every JSON reader has (RFC 8259, section 6), far from where adding overflows.
    public static let lineNumber = 9_007_199_254_740_991

    /// The greatest time or length that comes from outside, in seconds either way: times up to the
    /// year 2286, and ages that a reader can be told.
    public static let seconds = 1e10

    /// How far a line's place in the event's order may be above that of its log's line before: more
    /// lines than any event has. A writer who always says the most needs 9 billion lines to come to
    /// ``lineNumber``, which at ``linesPerSecond`` takes 14 years.
    static let placeStep = 1_000_000

    /// The step in places before the first line of a restarted event: more lines than a host can
    /// lose with its disk. So translations of lost lines stay below the new lines.
    package static let runStep = 10_000

    /// How far a place of another log may be above those that are explained by the lines since the
    /// main log's newest: lines of logs that are not read here, or not yet.
    static let placesAhead = 10_000

    /// The highest place of a line before which nothing of its log is known: a million times
    /// ``placeStep``, far below ``lineNumber``.
    static let firstPlace = 1_000_000_000_000

    /// Finals that an input may correct by the id of their line. Recognisers that send a line again
    /// with capitals and commas do so within seconds.
    public static let correctableLines = 1_024

    // MARK: Host

    /// Guests at once, unless `--max-guests` says otherwise.
    public static let guests = 1_024

    /// Guests over Bluetooth at once: what the connections of one ordinary adapter allow, and what
    /// the air has room for.
    public static let bluetoothGuests = 7

    /// Connections beyond the guests' number that have not said who they are, or were refused and
    /// have not gone. Where there are more, the source that has most of them gives way, so that a
    /// flood costs neither descriptors nor memory.
    public static let pendingConnections = 512

    /// Connections that may wait at a port to be accepted: what Linux allows
    /// (net.core.somaxconn), so that a room that comes at once finds a place.
    public static let connectionsAtDoor = 4_096

    /// Devices of which a host remembers something beyond their connection: that they know of a
    /// resumed session, how often they came and went.
    public static let rememberedDevices = 65_536

    /// Memory for the transcript, in bytes, unless `--history` says otherwise: over 1,000,000
    /// lines, or four days of speech.
    public static let history = 268_435_456

    /// The size of the transcript's chunks, in bytes: large enough that one send fills the
    /// kernel's buffer, small enough that letting one go frees memory soon.
    public static let chunk = 1_048_576

    /// Gaps of a resumed session's log that are kept apart in memory; beyond them the oldest lines
    /// go. A log with more is a ruin, and each costs some memory and a step of every search.
    public static let rememberedGaps = 10_000

    /// Gaps that a reader was told by who holds a log, and whose lines it asks the log's host for.
    /// Each is looked at with every line that comes again; of more the first ones are asked for.
    static let lackingGaps = 64

    /// Lines that a reader has again from who holds a log, for the sake of one before them that was
    /// lacking: a second or less of a network's time.
    static let linesReadAgain = 10_000

    /// Starts of a host on one session that are told apart. Each is a number in every guest's
    /// welcome and 80 bytes of the session's record, of which 1 MiB can be read; a host that
    /// crashes and is started again every 2 s needs half an hour for as many. Beyond it guests get
    /// the lines again that came since the last of them when they come back.
    public static let runs = 1_000

    /// What a host says at most before it signs, in bytes of frames: a batch is what one read of the
    /// input completed, which can be tens of thousands of short lines.
    public static let unsealedBytes = 262_144

    /// What a guest holds of a log that is not proven yet, in bytes of packets: what a host says
    /// before it signs, and as much again as one line may have.
    public static let unprovenBytes = 1_048_576

    /// What a guest holds of a history that one signature is to prove, in bytes of packets. A signature
    /// takes as long as a hundred lines' hashes; more at once would only be more memory.
    public static let provenAtOnce = 262_144
    /// Lines of which a guest remembers when they were done, so that nobody shows it what they began with.
    static let linesDone = 256

    /// Of how many lines that a guest has of a history one may wait for a later proof: a slow line fills
    /// the screen early, and then by steps that stay small beside what is there.
    static let linesProvenPerLineHeld = 8

    /// Machines that have an event, and how many addresses of each are looked at: with Ethernet and
    /// Wi-Fi it has two of each family. A guest that has lost its host looks at one each for as many.
    public static let nodes = 64
    public static let addressesPerNode = 4

    /// Links of a node of a mesh, but for those that it wants itself: ``neighbours`` each way.
    public static let links = 16

    /// With how many of the nodes before it, and of those behind it, a node of a mesh has links, by the order
    /// of their ids: where there are no more of all together, each has one with each.
    static let neighbours = 4

    /// How often a node of a mesh passes on that another is still there: each second time that it hears of it,
    /// so that nobody takes it for gone. Where all are linked with all everybody has it from himself, and
    /// nobody knows that of the others.
    static let headsPassedOn: Duration = .seconds(7)

    /// The shortest time between two words on a log's new record, and with it its new name, to
    /// programs and people. Readers of 64 writers who rename theirs all the time are told 16 times
    /// a second.
    static let recordsPassedOn: Duration = .seconds(4)

    /// How often a node of a mesh dials at addresses that were typed or discovered, or at which it
    /// has met somebody: 32 at once, as when a mesh comes back from behind a partition, and 8 a
    /// second then. All 64 nodes that it knows are dialled again each 10 s at most.
    static let dials = DialRate(burst: 32, interval: .milliseconds(125))

    /// The same at addresses of which only others have told: a node has eight neighbours, and who
    /// makes addresses up has it open 2 connections a second, which no machine and no firewall
    /// minds.
    static let dialsByHearsay = DialRate(burst: 8, interval: .milliseconds(500))

    /// Addresses of hearsay that did not answer, of which the pause is remembered: two minutes of
    /// dials at ``dialsByHearsay``.
    static let pausedAddresses = 256

    /// Events of the wanted name that are looked at of those that a server keeps: one a week for
    /// twenty years. Each has a name, and the keys of ``logs`` writers.
    static let catalogueEvents = 1_024

    /// Other events of which it is remembered that something was skipped, 16 bytes each. Beyond
    /// that all counts as skipped, and is read twice.
    static let catalogueSkipped = 65_536

    /// Memory for heads that come before the record of their log, in bytes, and the largest of
    /// them: one of a thousand runs has 9,000.
    static let catalogueHeads = 4_194_304
    static let catalogueHead = 16_384

    /// The latest time that a clock is believed to show, in seconds since 1970: the year 3000.
    static let calendar = 32_503_680_000.0

    /// For how long an event at a server counts as one that is on in which everybody may write, after the last
    /// of them was heard there. Machines' clocks may differ by minutes.
    static let openEventHeard: Duration = .seconds(900)

    /// For how many a log can be that is not for everybody.
    public static let audience = 16

    /// How many such logs a node writes.
    public static let audiences = 32

    /// How many lines of a log's history a node of a mesh takes at once: a day of speech. Beyond that it is the
    /// same as of what is being said.
    static let freeLines = 100_000

    /// How often a node asks the network anew who takes part: an announcement may have been lost, and who was
    /// behind a partition is to be found where none of his neighbours knows of him.
    public static let nodesSought: Duration = .seconds(15)

    /// How long a node takes part in an event whose founder's record nobody brings: then it founds another.
    static let foundersRecord: Duration = .seconds(10)

    /// How long a node waits to be dialled by one that is to dial it, before it does that itself: a firewall may
    /// let connections in by one of the two ways only.
    static let dialledByOther: Duration = .seconds(5)

    /// How long a host that goes on asks others for lines that its disk has lost. Who holds them answers
    /// in milliseconds; Avahi takes a second to tell of everybody.
    public static let recall: Duration = .seconds(2)

    /// Pages of others that a page's readers are told of. Each is asked in its turn, for some seconds,
    /// before a phone goes there: nobody waits for more.
    public static let otherPages = 8

    /// What a machine says of its page: `https:65535`.
    public static let pageDoorBytes = 11

    /// How often guests are told of other machines at most: anybody can say that it serves the event, and
    /// go, and come again.
    public static let peersInterval: Duration = .seconds(5)

    /// How many of those who hold an event may lack the same lines, in a row, until these count as gone: one
    /// may have come late, or keep them back, and the next has them. It takes seven seconds.
    public static let gapOffers = 4

    /// How many may, of lines that are others each time, as where a small memory moves on: fifteen seconds.
    static let gapWords = 6

    /// When a guest who says that lines of a log that he brings are gone is asked for them again: they count as
    /// gone after ``gapOffers`` such words.
    static let gapPause: Duration = .seconds(15)

    /// The number of machines that hold the event to try before the host is tried again.
    public static let holdersTried = 4

    /// How long a guest dials its host before it looks for it, and for others that have its event: most
    /// hosts answer at once.
    public static let dialledAlone: Duration = .seconds(1)

    /// The logs of an event besides its main one, and those that ask to be let in: rooms, languages, a
    /// second captioner.
    public static let logs = 64

    /// How long a guest may ask for other logs once the event is over. A guest that has asked for all
    /// leaves at once.
    public static let lateAsking: Duration = .seconds(3)

    /// Of those that ask so many by one connection: who serves the event asks for others.
    public static let logsAskedFor = 8

    /// The largest packet that says what one of an event's other logs is, or lets it in, in bytes.
    public static let logRecord = 4_096

    /// What is handed at once to a connection of a log that is written here, in bytes.
    public static let offeredAtOnce = 262_144

    /// Memory for the lines of another's log, in bytes: an eighth of ``history``, some 120,000 lines.
    public static let shelvedLog = history / 8

    /// How many lines a second one who captions in another's event may bring on average. People who speak
    /// are captioned with one in two seconds, and nobody reads as fast as this.
    public static let linesPerSecond = 20

    /// How many partials a second are checked of all logs of one writer: recognisers say ten a
    /// second and less. Of what is more, the newest counts.
    static let partialsPerSecond = 50

    /// How many heads of a log a second are checked of one link. A writer says one in four seconds,
    /// and one for each change. Of what is more, the newest counts.
    static let headsPerSecond = 4

    /// The number of logs with an end that a head names, in some 3 KB.
    public static let putOutInHead = 32

    /// The time for which a machine that serves an event may lack logs that the host offers,
    /// before readers are told. The host's next head comes within 4 to 10 s, and records follow
    /// it.
    static let logsLacked: Duration = .seconds(25)

    /// How many records and grants a link may say: a second on average, and at once. An event has
    /// 128.
    static let introductionsPerSecond = 20
    static let introductionsAtOnce = 1_000

    /// The logs that one key may write in an event: the rooms or languages that one machine
    /// captions. Those of writers who were put out do not count.
    public static let logsOfWriter = 8

    /// The same in a mesh, where a node that is started again begins another log.
    static let logsOfNode = 16

    /// Of how many of a log's newest lines it is remembered what they hash to, to compare them with what
    /// others say that their writer has signed: an hour of captions.
    static let comparedLines = 2_048

    /// How many heads are kept of lines that are not here, to be compared with these.
    static let comparedHeads = 16

    /// How long it is before an operator is told again that a writer brings too much.
    public static let floodTold: Duration = .seconds(300)

    /// The longest pause between two heads that a log's writer is believed to make, in seconds: nobody
    /// is to think for longer that a host is there.
    public static let headPause = 60.0

    /// How often a turn to write is taken at most: more than any event has, and a number that another can
    /// still be put on top of.
    public static let air = 1_000_000
    /// The highest number of turns that captioners come to by themselves.
    static let honestAir = air / 2

    /// How long nobody goes on air for want of others who were not heard yet, and how long somebody has who
    /// is handed the captions: for as long as a head tells how its log stands.
    public static let airPatience: Duration = .seconds(10)

    /// How often is looked at whose turn to caption it is, whatever comes.
    public static let airLook: Duration = .seconds(1)

    /// How long a captioner whose turn is over may still say the line that is open.
    public static let airLastLine: Duration = .seconds(5)

    /// What a captioner who waits has heard within this time is said where whoever had the turn is heard no
    /// more, as far as it came after his last word: longer than it takes to notice that.
    public static let airMemory: Duration = .seconds(50)

    /// How many lines that are at most.
    public static let airMemoryLines = 64

    /// Without input for this long there is nothing to go on air with: a recogniser may hang, and another
    /// captioner's does not.
    public static let airInput: Duration = .seconds(60)

    /// For how long somebody's voice may wait that goes by a connection. Later nobody wants to hear it.
    public static let voiceByConnection: Duration = .milliseconds(200)

    /// How many bytes may wait at a guest before its voice, which goes by its connection: about as many as it says in
    /// ``voiceByConnection``.
    public static let voiceInLine = 4_096

    /// What may wait in a guest's own queue (answers, alerts, partials), in bytes. Finals never
    /// wait there.
    public static let controlQueue = 262_144

    /// The largest payload of a frame in a session's log, in bytes: a line of ``lineBytes``, the
    /// same before its words were masked, and its labels, with every byte escaped as JSON may do
    /// it, are under 54,000.
    public static let journalFramePayload = 65_536

    /// How long a host that has no descriptor left looks away from its doors: whoever waits there
    /// would have it look again in every turn.
    public static let exhaustionPause: Duration = .seconds(1)

    // MARK: Input

    /// Bytes of one `read` of the input.
    public static let inputRead = 65_536

    /// How long a turn of the loop reads the input before guests are served, and what is finished is
    /// sent. Whoever joins needs some six turns, and has an answer within 50 ms also where a piece
    /// takes longer than this.
    public static let inputTurn: Duration = .milliseconds(2)

    /// Bytes of the input that are read without a look at the clock. A thousand lines, each of a
    /// letter, take 12 ms in a debug build.
    public static let inputPiece = 2_048

    /// The longest line of JSON input, in bytes; a longer one is passed over with a warning.
    public static let inputObject = 1_048_576

    /// What is kept of a recogniser's errors (`--run`): its last words, as many as an operator reads.
    public static let recogniserWords = 4_096
    public static let recogniserWordLines = 10

    /// How long a recogniser that has ended is waited for, the first time; each time twice as long,
    /// up to the longest. One that has run for a while has earned a quick start.
    public static let recogniserPause: Duration = .seconds(1)
    public static let recogniserLongestPause: Duration = .seconds(30)
    public static let recogniserHealthyAfter: Duration = .seconds(10)

    /// How long a recogniser may take to end once it is asked to (SIGTERM): then it is killed.
    public static let recogniserMercy: Duration = .seconds(2)

    /// How often it is looked whether it has.
    public static let recogniserLook: Duration = .milliseconds(10)

    /// How long a translator (`--translate`) may take for a line, and for the first one, before which
    /// it may have a model to load: on a small machine that takes a minute.
    public static let translationPatience: Duration = .seconds(30)
    public static let translationBeginning: Duration = .seconds(180)

    /// How long a log is waited for that is to be translated: an event tells of its logs at once.
    public static let logPatience: Duration = .seconds(5)

    /// How many lines ahead of what a writer's machine knows of an event those may be that he translates: who
    /// prints translations has read them by a connection of his own.
    public static let translationLead = 1_000

    /// How many places of the event's order an interpreter's line may be behind his last one, for
    /// readers to take it for all that was said between: more than two minutes of a quick speaker.
    public static let interpretedPlaces = 32

    /// How long ago a line may have been said whose translation comes, before the operator is told.
    public static let translationDelay: Duration = .seconds(20)

    /// How long nothing comes before an input whose form leaves that open has ended what it says.
    public static let inputQuiet: Duration = .seconds(1)

    /// Captions that may wait until it is their time (`--pace`) before the input rests: some minutes
    /// of speech.
    public static let pacedEvents = 256

    /// The newest lines that an operator sees and can correct by hand: more than a screen has.
    public static let recentLines = 64

    /// How often what the operator's screen shows is looked at anew.
    public static let consoleInterval: Duration = .milliseconds(250)

    /// How often the table of guests is shown unasked, with --verbose.
    public static let guestTableInterval: Duration = .seconds(30)

    /// Guests who are not gone by then are worth a word to an operator who waits for the end.
    public static let partingPatience: Duration = .seconds(2)

    /// How long an input has to have ended before that ends the event (`--until-eof`): one Ctrl-C ends
    /// the recogniser and stops the host, whichever is heard of first, and stopping must win.
    public static let inputEndSettling: Duration = .milliseconds(200)

    /// How long a host that has ended its event serves those who come late, unless `--linger` says
    /// otherwise: somebody who was asked to look has found the place and joined by then. The longest
    /// is what a person forgets about.
    public static let linger: Duration = .seconds(60)
    public static let longestLinger: Duration = .seconds(3_600)

    /// How long the end of an event is told to guests who wait: they try again every 12 s at most.
    public static let endTelling: Duration = .seconds(15)

    /// How long ago an event may have been interrupted for a new host of its name to go on with it:
    /// longer than a machine takes to be mended, shorter than from one lecture to the next of its name.
    public static let interruptedEvent: Duration = .seconds(3_600)

    /// How long ago something may have been heard of an event that is held for another for this machine to
    /// serve it again, unasked, when it is started: over a night, and not for a week.
    public static let keptEvent: Duration = .seconds(86_400)

    /// Gaps of a log that is held of which it is noted what came before them, about 120 bytes each in the
    /// session's record. Behind more than these nothing is proven after a start; it is fetched again.
    public static let keptJoints = 1_000

    /// How long an operator has to say whether to go on with an interrupted event. Then the host does
    /// by itself: guests wait.
    public static let resumeQuestion: Duration = .seconds(20)

    /// How long the end of the program waits for lines that wait for the command of `--exec`, or for
    /// a caption service.
    public static let lastCommands: Duration = .seconds(5)

    /// Lines that are typed while the event is paused, and wait: an hour of typing. What is typed
    /// beyond that is refused.
    public static let typedLines = 1_024

    /// What is pasted into the console at once; what is longer comes as several.
    public static let pasteBytes = 65_536

    /// Lines that were pasted and wait, each for its Enter: a long speech.
    public static let pastedLines = 1_024

    /// How many characters that come in one piece are a paste, in a terminal that does not mark one:
    /// nobody presses so many keys at once.
    public static let burst = 4

    /// How long the console waits for the word that ends an event.
    public static let endQuestion: Duration = .seconds(10)

    /// Lines of the log that are looked at in one turn of the loop, for the operator's search.
    public static let searchedLines = 256

    /// Keys that may wait for the console before it stops reading the terminal. What is pasted
    /// beyond that waits with the system.
    public static let waitingKeys = 4_096

    /// Places of an event that are kept as marked; the oldest go beyond it.
    public static let marks = 1_000

    // MARK: Discovery

    /// The longest DNS-SD instance name, in bytes of UTF-8 (RFC 6763, section 4.1.1).
    public static let instanceNameBytes = 63

    /// The longest string of a TXT record, in bytes with its key (RFC 6763, section 6.1).
    public static let txtStringBytes = 255

    /// Hosts that a browser keeps; a LAN that announces more is not telling the truth.
    public static let discoveredHosts = 256

    /// Addresses kept of one host.
    public static let addressesPerHost = 16

    /// Addresses at which a guest looks for a host that it has lost, of all who announce the host's
    /// session: anybody can, and each takes a try.
    public static let waysToHost = 64

    /// By when Avahi says that it has told of everybody whom it knows, which takes it a second on a
    /// quiet LAN; it is said to be silent then, half a second before a `browse` that finds nothing
    /// ends.
    public static let avahiBrowsing: Duration = .milliseconds(2_500)

    /// By when Avahi has an announcement done, which takes it a second, and one more for each other
    /// host that has the name already.
    public static let avahiAnnouncing: Duration = .seconds(4)

    /// How long everybody on a quiet LAN needs to be heard and resolved, and then some.
    public static let avahiSettling: Duration = .seconds(2)

    /// How long a host is held back whose namesake is not resolved yet, for one of two that is seen
    /// alone is taken for the one that is meant. Less than ``avahiSettling``, by which all are told.
    public static let namesakes: Duration = .milliseconds(1_500)

    /// When Avahi is asked anew: a client fails at once while there is no bus, whatever its flags.
    public static let avahiRetry: Duration = .seconds(2)

    /// How long Avahi that does not run is waited for by whoever asks how it is: D-Bus may be about
    /// to start it.
    public static let avahiAppearing: Duration = .milliseconds(300)

    /// How long is waited, once a service was found on all interfaces that count, for what it is
    /// found on besides, which comes at once if it comes.
    public static let echoLinger: Duration = .milliseconds(150)

    /// How often the network is asked past Avahi while somebody looks for hosts: it may have missed
    /// an announcement.
    public static let pokeInterval: Duration = .seconds(4)

    /// How long a host that was found may take to answer at its port, to be offered.
    public static let probeTimeout: Duration = .seconds(2)

    /// How long it may take before those are asked as well who hold its event. One on this network
    /// answers within milliseconds, and `browse` has a second and a half left for all of it.
    public static let holderPatience: Duration = .milliseconds(500)

    /// How long after a change of this machine's addresses nothing may follow before it is told: one
    /// change comes as many messages.
    public static let addressesQuiet: Duration = .milliseconds(100)

    // MARK: Bluetooth

    /// How long a call of bluetoothd may take. A registration takes a tenth of a second.
    public static let bluetoothCall: Duration = .seconds(10)

    /// The pause before something that bluetoothd refused is tried again.
    public static let bluetoothRetry: Duration = .seconds(10)

    /// The pause before a search is begun again where there was another one.
    public static let bluetoothBusy: Duration = .seconds(2)

    /// How long bluetoothd may rest while it is to listen. It does so for 5 s.
    public static let bluetoothIdle: Duration = .seconds(8)

    /// How long after somebody has connected the beacon is sent anew.
    public static let beaconRenewal: Duration = .milliseconds(300)

    /// The pause after bluetoothd has taken an advertisement back, which it does before it says
    /// that the adapter is gone.
    public static let beaconRelease: Duration = .seconds(1)

    /// How long Bluetooth must be worse than before for that to be told. A bluetoothd that ends or
    /// begins has its adapters switched off, then none, then is gone, or the other way round, in a
    /// tenth of a second.
    public static let bluetoothTrouble: Duration = .milliseconds(300)

    /// How long a beacon may be silent. bluetoothd listens for about 10 s and rests for 5, and a
    /// beacon that is sent every 1.3 s may be missed a few times.
    public static let beaconSilence: Duration = .seconds(30)

    /// How long whoever is in reach needs to be heard: 2 s where a third of all is lost.
    public static let beaconSettling: Duration = .seconds(2)

    /// When an owner is told that all were heard even though bluetoothd has not answered yet.
    public static let beaconSettlingLimit: Duration = .seconds(5)

    /// How long a guest on a channel listens for beacons once its network has changed: a round of
    /// bluetoothd's listening, and the rest between two.
    public static let beaconListening: Duration = .seconds(15)

    /// Values read of one D-Bus message. BlueZ's list of all its objects has about 30 for each
    /// device that it remembers; a message of more values than this costs more memory than a
    /// beacon is worth.
    public static let busValues = 262_144

    /// Containers within containers of a D-Bus message. BlueZ's list of objects has eleven.
    public static let busDepth = 16

    /// Adapters that are used at once; a machine has one, or two.
    public static let bluetoothAdapters = 16

    /// Devices kept of those that send beacons; a hall with more hosts is not telling the truth.
    public static let heardBeacons = 256

    // MARK: Guest

    /// How long the ways to a host may take to answer, all together.
    public static let connecting: Duration = .seconds(10)

    /// The same where channels are among them. While another program listens for beacons, Linux may
    /// hear nothing new of a device before bluetoothd's round of listening and the rest after it are
    /// over: 10.24 s and 5 s.
    public static let connectingByChannel: Duration = .seconds(20)

    /// How long the ways over the network may take to answer while there is a channel.
    public static let moving: Duration = .seconds(5)

    /// How often a guest on a channel tries to leave it for a network.
    public static let moveInterval: Duration = .seconds(10)

    /// How long a host may take for a guest's handshake.
    public static let guestHandshake: Duration = .seconds(10)

    /// The same where there are other ways to try.
    public static let guestHandshakeAmongWays: Duration = .seconds(3)

    /// Bytes of a record that is not whole yet by which a host shows that it lives. Sixteen of these
    /// are the largest record.
    public static let bytesOfLife = 1_024

    /// Live lines over which a guest measures its latency.
    public static let latencySamples = 200

    /// Corrections whose lines are remembered by their numbers, so that corrections of corrections
    /// find theirs. What tells how far a file is has them, and is written with each line.
    public static let rememberedCorrections = 1_024

    /// Stretches of lines without a gap whose numbers are remembered. An event has one; only where
    /// languages alternate and a reader wants one of them there are many.
    public static let rememberedStretches = 1_024

    /// Events that may wait for the guest's reader before the guest stops reading its socket.
    /// A reader that is blocked (a paused pager) must cost a bounded amount of memory.
    public static let waitingEvents = 8_192

    /// What may wait for a file of `--save` that cannot be written, in bytes: the 50,000 lines of
    /// two days. What comes beyond that is not written, and counted.
    public static let unsavedBytes = 33_554_432

    /// Lines of each other log whose times stand beside such a file, to notice that a writer has
    /// lost them: the last second of a writer, who brings 20 lines a second at most.
    public static let savedLineTimes = 20

    /// How often such a file is tried again: somebody who has made room waits for it.
    public static let savingRetry: Duration = .seconds(1)

    /// The age from which a line counts as one that was said before, in seconds: more than networks take.
    public static let orderedAge = 5.0

    /// For how long such lines of several logs are kept after the last of them, to be written in their
    /// order: what a host gives of one log follows that of the one before without a pause.
    public static let ordering: Duration = .seconds(2)

    /// The longest that a line is kept so: a machine's clock that is slow makes all of its lines old.
    public static let longestOrdering: Duration = .seconds(10)

    // MARK: Caption services

    /// Pieces of lines that may wait for a service to take them: half an hour of speech.
    public static let unsentCaptions = 1_000

    /// How long a request of a service may take, however slowly its answer comes.
    public static let serviceRequest: Duration = .seconds(10)

    /// What is read of a service's answer, in bytes; it is a number, a time, or a page that says
    /// what is wrong.
    public static let serviceAnswer = 65_536

    /// Texts of a service that wait to be taken, and pieces that one comes in. It has nothing to say
    /// but answers.
    public static let serviceTexts = 64

    /// How long is waited before what a service has not taken is sent again, the first time; each time
    /// twice as long, up to the longest. Somebody has to wait for a meeting to start, or a link to
    /// be mended, with words on their way.
    public static let serviceRetry: Duration = .seconds(1)
    public static let serviceLongestRetry: Duration = .seconds(30)

    /// Services of which is kept how far they are. A meeting has a link of its own: those of months.
    public static let rememberedServices = 256

    // MARK: Browsers

    /// Alerts that a reader who comes and looks can still get. There are a few in an event; only
    /// one that lags by more than these misses the oldest.
    public static let recentAlerts = 32

    /// The shortest time between two batches for `readers` browsers: each batch costs a system call
    /// a reader, and nobody reads faster. Partials in between are left out. 25 ms up to 500 readers,
    /// a twentieth of a millisecond for each beyond that, 100 ms for two thousand and more: so the
    /// host makes about 20,000 such calls a second at most for partials, up to there.
    public static func feedInterval(readers: Int) -> Duration {
        .milliseconds(min(max(25, readers / 20), 100))
    }

    /// How long after a batch a final waits for the next, at most: half of the above. There are
    /// fewer finals than partials, so that the calls above become twice as many only where somebody
    /// says more lines than anybody can read.
    public static func feedFinalInterval(readers: Int) -> Duration {
        feedInterval(readers: readers) / 2
    }

    /// About how many bytes of the history a browser gets at once. With more a slow one would hold
    /// more memory, with less a fast one would ask more often.
    public static let feedBatch = 65_536

    /// So many of its finals before the present a log begins with that comes to be while browsers read
    /// others: as many as the page asks for, which fetches the older ones when they are wanted.
    public static let feedTail = 200

    /// How many choices of several logs of an event phones can read at a time, beyond which they get all of
    /// its logs, and leave out what they do not want: what is new is encoded once for each choice.
    public static let feedSelections = 16

    /// Pieces of the history (``feedBatch``) that are held to be given to other browsers as well:
    /// 2 MiB, the 10,000 lines of a long evening.
    public static let sharedPieces = 32

    /// Finals that a page gets of the history at once: some 100 kB, which compressed takes a phone
    /// with 250 kbit/s half a second, so that what is said meanwhile is not late.
    public static let historyLines = 500

    /// Bytes of the history behind which no further final is put into an answer.
    public static let historyPiece = 1 << 20

    /// The largest piece of the history that is held for other pages (``sharedPieces`` of them).
    public static let historyPieceKept = 262_144

    /// Pieces of the history that pages get at once: a room that comes in asks at about the same
    /// time, and each is sent in less than a second.
    public static let historyAnswers = 64

    /// Browsers that read at once: twice the guests, for they are what most of a room has.
    public static let phones = 2_048

    /// Transcripts that browsers get at once: to write one costs the host more than to send captions.
    public static let downloads = 4

    /// How long a download may take nothing before it gives its place to somebody who waits.
    public static let downloadStalled: Duration = .seconds(5)

    /// How long a download may take before it gives its place to somebody who waits. A transcript of
    /// an evening is a megabyte: a phone with a bad connection has it by then.
    public static let downloadTurn: Duration = .seconds(60)

    /// Connections of browsers beside those that read: each is closed once it is idle for
    /// ``webIdle``, and where there are more the oldest of the source that has the most goes.
    public static let webConnections = 512

    /// How long a browser's connection may be idle, or take to say what it wants.
    public static let webIdle: Duration = .seconds(10)

    /// How long what was sent to a browser may stay without an answer.
    public static let webStuck: Duration = .seconds(60)

    /// The bytes that a request's header may have, in all and in one field. A browser's has 1 kB;
    /// a cookie of another service of the same address may have 4 kB.
    public static let webHeader = 16_384

    /// Browsers that hear the room's sound at once, each 70 kb/s of it.
    public static let pageListeners = 64

    /// How often a browser hears that the host is there.
    public static let beatInterval: Duration = .seconds(4)

    /// How often it is looked, at the end, whether browsers have the rest.
    public static let webFarewellLook: Duration = .milliseconds(20)

    /// How long a host that is done waits for browsers to take the rest.
    public static let webFarewell: Duration = .seconds(5)

    // MARK: Security

    /// TLS handshakes that may be under way at once. Each costs some 40 KB for its buffers, so all
    /// of them as much as a room of guests, and an honest one is over within a few round trips. They
    /// are so many for the sake of floods from many addresses: the more there are, the longer an
    /// honest one is left alone.
    public static let halfOpenHandshakes = 512

    /// Descriptors that no connection gets: for the transcript's files, for commands, and for
    /// libdispatch, which opens one for a moment.
    public static let spareFiles = 6

    /// How long a handshake is left alone when all of ``halfOpenHandshakes`` are under way and
    /// strangers from more sources than these wait. 2,000 can so begin in a second, which is what a
    /// processor has time for, and each has time for a few round trips of a local network.
    public static let handshakePatience: Duration = .milliseconds(250)

    /// The same where fewer wait: a room full of guests that come back at once over a slow network.
    public static let handshakePatienceInARoom: Duration = .seconds(1)

    /// The same where only one source waits, as when a thousand guests come back at once behind one
    /// relay, which answers them one after another. It keeps nobody else waiting.
    public static let handshakePatienceWithOneSource: Duration = .seconds(3)

    /// Connections that have said what their handshake begins with and wait for their turn: eight
    /// thousand guests that come back in a second, behind one relay perhaps. Each costs a descriptor
    /// and its ``firstWords``; to shake hands with all takes a few seconds.
    public static let waitingHandshakes = 8_192

    /// What is kept of a stranger's first words before its handshake begins, in bytes. An honest
    /// ClientHello with keys of a post-quantum group has under 2,000; of a longer one this much is
    /// enough for its turn.
    public static let firstWords = 4_096

    /// Connections that may have said less than their handshake needs to begin. Each costs a
    /// descriptor and at most ``firstWords``. Honest ones say it as they come; but a relay that opens
    /// a thousand at once may first speak when the last is open.
    public static let silentConnections = 4_096

    /// Wrong codes from one address within ``wrongCodesWindow`` that close the door to it. People
    /// mistype a code once or twice.
    public static let wrongCodes = 5

    /// The window of ``wrongCodes``.
    public static let wrongCodesWindow: Duration = .seconds(60)

    /// How long a door stays closed.
    public static let closedDoor: Duration = .seconds(60)

    /// Addresses of which wrong codes are remembered. A LAN has fewer machines; whoever makes up
    /// addresses must not cost memory without end.
    public static let rememberedSources = 4_096

    /// The longest code, in characters: more than anybody types, and far more than a key's worth.
    public static let codeCharacters = 64

    /// The hexadecimal digits of a salt: what a host makes with each code differently (RFC 9383,
    /// section 3.2) has 16 bytes or more, and one of over 64 has no use.
    public static let saltDigits = 32...128

    /// Connections beyond the guests' number that may prove the event's code at once: TLS is done,
    /// and each derives its secret, which takes a tenth of a second and on a small machine one. A
    /// whole room that comes back at once must fit; each costs what a guest does, about 40 KiB.
    public static let provingGuests = 512

    /// Guesses of one source that may be under way at once: as many as it has wrong ones, so that
    /// many at a time gain nothing. The next one waits some milliseconds for one of these to be
    /// confirmed.
    public static let pendingGuesses = wrongCodes

    /// Hosts of one event whose keys a guest remembers; the one longest unseen gives way.
    public static let hostsPerEvent = 8

    /// Events of which a guest remembers who has hosted them.
    public static let knownEvents = 512

    /// Hosts whose keys a guest remembers: one a day for eleven years.
    public static let knownHosts = 4_096

    /// The largest file of what a log's lines hash to, in bytes: 1.6 million lines. Lines beyond
    /// have no notes, and behind damage there they wait for another machine that has the log.
    public static let checkpointBytes = 67_108_864

    /// Lines whose hashes are noted at once: 40 KB of notes in memory.
    static let checkpointsAtOnce = 1_000

    /// The largest of the program's small files, in bytes: a key, a session's record.
    public static let smallFile = 1_048_576

    /// The largest file of remembered keys, in bytes: ``knownHosts`` entries and ``knownEvents`` with
    /// ``hostsPerEvent`` hosts each, all with the longest names and each byte escaped as JSON may do
    /// it, are under 13 MiB.
    public static let knownHostsFile = 16_777_216

    /// How long the lock of that file is waited for: it is held for milliseconds, and a guest's
    /// captions wait for this.
    public static let knownHostsLock: Duration = .seconds(2)

    /// The largest file of a host's key, in bytes. An RSA key of 16,384 bits in PEM has 12,700.
    public static let hostKeyFile = 65_536
}
