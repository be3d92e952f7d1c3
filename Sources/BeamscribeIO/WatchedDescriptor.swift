/// A descriptor with its place in a loop, which it leaves before it is closed.
struct WatchedDescriptor: ~Copyable {
    let descriptor: Descriptor
    private let loop: EventLoop
    private var registration: Registration?

    init(_ descriptor: consuming Descriptor, on loop: EventLoop) {
        self.descriptor = descriptor
        self.loop = loop
    }

    deinit {
        registration?.cancel()
    }

    var number: Int32 { descriptor.number }

    /// Calls `handler` whenever it is ready for `interest`, and an earlier handler no more.
    mutating func watch(
        for interest: Interest, _ handler: @escaping (Interest) -> Void
    ) throws(SystemError) {
        if let registration {
            registration.handler = handler
            registration.interest = interest
        } else {
            registration = try loop.register(number, for: interest, handler)
        }
    }

    /// Calls nobody any more.
    mutating func ignore() {
        registration?.cancel()
        registration = nil
    }

    /// What is waited for; nothing before ``watch(for:_:)``.
    var interest: Interest {
        get { registration?.interest ?? [] }
        set { registration?.interest = newValue }
    }
}
