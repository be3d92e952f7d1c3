/// What somebody does who serves the event and means harm.
enum Lie: CaseIterable {
    /// He passes everything on, as a holder does.
    case none
    // What comes is not passed on, or late.
    case keepsLines, keepsHeads, keepsAll, delays, fallsSilent, drips
    // Lines that are not what was said.
    case altersWords, leavesOut, exchanges, repeats, stripsSignatures, swapsSignatures, splices
    case opensGap, goesBack
    // Open lines that nobody has begun, or that are old.
    case altersPartials, inventsPartials, replaysPartials
    // How the event stands.
    case altersHeads, replaysHeads, inventsRuns, forgesRecord, namesAnotherSession
    case alerts, refuses, garbage
    // Where else it is to be had.
    case sendsElsewhere, knowsNobody
}
