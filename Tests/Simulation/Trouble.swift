/// What can befall those who serve the event besides its host.
enum HolderTrouble: CaseIterable {
    case hostIsDark, someAreSevered, holderRestarts, holderLeaves, holderIsCut
    case liarComesAnew, hostForgets
}

/// The troubles of a disk with another host's event.
enum KeeperTrouble: CaseIterable {
    case crash, crashInWrite, powerLoss, full, failing, rot
}

/// What can befall the machines, the disk and the network of a run.
enum Trouble: CaseIterable {
    case cut, die, stallUp, stallDown, outage, slowdown, lateAccept, refuse
    case guestSleeps, guestPauses, guestRestarts, guestLeaves, freshNews, guestClock
    case hostSleeps, crash, crashInSend, crashInWrite, powerLoss, stop
    case diskFull, shortWrites, diskFails, clock, operate, inputEnds
    case hostMoves, impostor, tamper, rot
    case noDescriptors, falseReadiness, crowd
    case deafness, echoes, lies
    case phoneCut, phoneReloads, phoneStalls
}
