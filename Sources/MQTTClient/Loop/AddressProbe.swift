import Glibc
import NetworkReach

/// Finds an address that accepts TCP connections, without blocking; the connections are then closed.
final class AddressProbe {
    enum Outcome {
        case open
        case won(NumericAddress)
        case lost(MQTTLinkError)
    }

    private var race: AddressRace<NumericAddress>
    /// The attempts by descriptor.
    private var sockets: [Int32: (attempt: Int, address: NumericAddress)] = [:]
    private var faults: [String] = []
    /// Whether the host at one of the addresses answered that no process listens there.
    private var isRefused = false

    init(_ addresses: [NumericAddress]) { self.race = AddressRace(addresses, stagger: .milliseconds(300)) }

    deinit { for descriptor in self.sockets.keys { close(descriptor) } }

    var deadline: Duration? { self.race.deadline }

    var descriptors: some Collection<Int32> { self.sockets.keys }

    func begin(now: Duration) -> Outcome { self.follow(self.race.start(now: now), now: now) }

    func tick(now: Duration) -> Outcome { self.follow(self.race.tick(now: now), now: now) }

    /// Call it when `descriptor` polls as writable or broken.
    func ready(_ descriptor: Int32, now: Duration) -> Outcome {
        guard let (attempt, address) = self.sockets[descriptor] else { return .open }
        let error = SocketOption.pendingError(of: descriptor)
        if error == 0 { return .won(address) }
        self.sockets[descriptor] = nil
        close(descriptor)
        return self.failed(attempt, address, SystemError(code: error), now: now)
    }

    private func failed(_ attempt: Int, _ address: NumericAddress, _ error: SystemError, now: Duration) -> Outcome {
        self.faults.append("\(address): \(error)")
        if error.isRefusal { self.isRefused = true }
        return self.follow(self.race.failed(attempt: attempt, now: now), now: now)
    }

    private func follow(_ action: AddressRace<NumericAddress>.Action, now: Duration) -> Outcome {
        switch action {
        case .none: .open
        case .connect(let attempt, let address): self.connect(to: address, attempt, now: now)
        case .exhausted: .lost(self.error)
        }
    }

    private var error: MQTTLinkError {
        var error = MQTTLinkError(.cannotConnect, detail: self.faults.joined(separator: "; "))
        error.isRefusedByHost = self.isRefused
        return error
    }

    private func connect(to address: NumericAddress, _ attempt: Int, now: Duration) -> Outcome {
        let family = address.family == .ipv4 ? AF_INET : AF_INET6
        let descriptor = socket(family, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return self.failed(attempt, address, .last, now: now) }
        let result = address.bytes.withUnsafeBytes { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) { Glibc.connect(descriptor, $0.baseAddress, socklen_t(bytes.count)) }
        }
        if result == 0 || errno == EINPROGRESS {
            self.sockets[descriptor] = (attempt, address)
            return .open
        }
        let error = SystemError.last
        close(descriptor)
        return self.failed(attempt, address, error, now: now)
    }
}
