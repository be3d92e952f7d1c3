public import BeamscribeCore

extension Limits {
    /// How long what comes waits at most before it is heard, in milliseconds: more is not a conversation.
    public static let longestPlayoutDelay = 150.0

    /// The longest that sound may take from mouth to ear by our doing, in milliseconds. Beyond, speech that
    /// has waited is skipped.
    public static let mouthToEar = 200.0

    /// Of ``mouthToEar`` what devices, coding and a frame take, in milliseconds: the rest is the buffer's.
    public static let outsidePlayout = 30.0

    /// Packets of one talker that wait: at 10 ms each more than may be heard late, many times over.
    static let waitingPackets = 256

    /// How far a sequence number may be ahead of the last: 2 s of packets of 2.5 ms.
    static let sequenceLeap = 800

    /// How far a timestamp may be from the last, in samples of 48 kHz: 2 s.
    static let timestampLeap = 96_000

    /// Copies of what went before in one packet.
    public static let redundancy = 4

    /// How many talkers are heard at once: the loudest. More at a time nobody understands.
    public static let mixedTalkers = 4

    /// Talkers of a channel who may talk at once, unless `--max-talkers` says otherwise.
    public static let talkers = 8

    /// Who may be on a host's channels at once, unless `--max-listeners` says otherwise: 64 legs of two
    /// talkers are 12,800 packets a second.
    public static let listeners = 64

    /// Channels of an event.
    public static let channels = 16

    /// The longest datagram that is read: what Ethernet carries in one.
    public static let datagram = 1_500

    /// What a guest may send in a second: packets of 5 ms with as many reports, twice over.
    public static let voicePackets = 400

    /// What a guest may send in a second, in bytes: 600 kb/s, three talkers' worth of depth 4.
    public static let voiceBytes = 75_000

    /// Talkers whose words become captions at once: each has a recogniser of his own, of which a small
    /// machine runs few.
    public static let captionedTalkers = 4

    /// Programs that listen to talkers at once, with those that still say the last words of who has gone.
    public static let listeningPrograms = 2 * captionedTalkers

    /// Those in an event whose words have a log of their own: half of ``logs``, so that there is room for rooms and
    /// languages, whoever may talk.
    public static let talkerLogs = logs / 2

    /// Samples a second of what they are given: what recognisers are made for.
    public static let captionedRate = 16_000

    /// What waits at most for one of them to read it, in bytes: 10 s. Of what is behind by more the oldest is
    /// left out, for the words of people who talk with one another are soon of no use.
    public static let captionedSound = 10 * 2 * captionedRate

    /// How long silence is given behind a talk: recognisers take a line for done after half a second to one.
    static let silenceBehindTalk: Duration = .milliseconds(1_500)

    /// Lines of one talker that wait for a paused event to go on: those of an hour. With more his program waits, too.
    public static let waitingWords = 1_000

    /// How long a program has for the last words of a talker who has gone, and at the event's end.
    public static let lastWords: Duration = .seconds(10)
}
