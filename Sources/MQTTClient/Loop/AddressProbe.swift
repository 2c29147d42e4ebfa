import Glibc

/// Finds out which of several addresses takes TCP connections, without blocking; the connections are closed again.
final class AddressProbe {
    enum Outcome {
        case open
        case won(SocketAddress)
        case lost(MQTTLinkError)
    }

    private let addresses: [SocketAddress]
    private var race: AddressRace
    /// Index of the address by descriptor.
    private var sockets: [Int32: Int] = [:]
    private var faults: [String] = []

    init(_ addresses: [SocketAddress]) {
        self.addresses = addresses
        self.race = AddressRace(count: addresses.count)
    }

    deinit { for descriptor in self.sockets.keys { close(descriptor) } }

    var deadline: Duration? { self.race.deadline }

    var descriptors: some Collection<Int32> { self.sockets.keys }

    func begin(now: Duration) -> Outcome { self.follow(self.race.begin(now: now), now: now) }

    func tick(now: Duration) -> Outcome { self.follow(self.race.tick(now: now), now: now) }

    /// Call when `descriptor` polls as writable or broken.
    func ready(_ descriptor: Int32, now: Duration) -> Outcome {
        guard let index = self.sockets[descriptor] else { return .open }
        let error = SocketOption.pendingError(of: descriptor)
        if error == 0 { return .won(self.addresses[index]) }
        self.sockets[descriptor] = nil
        close(descriptor)
        return self.failed(index, SystemError(code: error), now: now)
    }

    private func failed(_ index: Int, _ error: SystemError, now: Duration) -> Outcome {
        self.faults.append("\(self.addresses[index]): \(error)")
        return self.follow(self.race.failed(index, now: now), now: now)
    }

    private func follow(_ action: AddressRace.Action, now: Duration) -> Outcome {
        switch action {
        case .none: .open
        case .start(let index): self.start(index, now: now)
        case .exhausted: .lost(MQTTLinkError(.cannotConnect, detail: self.faults.joined(separator: "; ")))
        }
    }

    private func start(_ index: Int, now: Duration) -> Outcome {
        let address = self.addresses[index]
        let family = address.family == .ipv4 ? AF_INET : AF_INET6
        let descriptor = socket(family, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return self.failed(index, .last, now: now) }
        let result = address.bytes.withUnsafeBytes { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) { connect(descriptor, $0.baseAddress, socklen_t(bytes.count)) }
        }
        if result == 0 || errno == EINPROGRESS {
            self.sockets[descriptor] = index
            return .open
        }
        let error = SystemError.last
        close(descriptor)
        return self.failed(index, error, now: now)
    }
}
