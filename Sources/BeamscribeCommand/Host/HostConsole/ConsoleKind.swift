/// What the operator's keys do.
enum ConsoleKind: Equatable {
    /// Another program gives the captions; letters are commands.
    case keys
    /// The captions are typed; commands are keys together with Ctrl.
    case typed
}
