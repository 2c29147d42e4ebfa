import FoundationEssentials
import Glibc
import NIOCore
import ServiceLifecycle

/// The service manager that started the program and receives its state: systemd's protocol, sd_notify(3).
struct ServiceManager: Sendable {
    enum State {
        case ready
        /// The program replaces itself; `ready` follows.
        case reloading
        case stopping
        case alive

        var text: String {
            switch self {
            case .ready: "READY=1"
            case .reloading: "RELOADING=1\nMONOTONIC_USEC=\(Self.monotonicMicroseconds)"
            case .stopping: "STOPPING=1"
            case .alive: "WATCHDOG=1"
            }
        }

        private static var monotonicMicroseconds: Int {
            var time = timespec()
            clock_gettime(CLOCK_MONOTONIC, &time)
            return time.tv_sec * 1_000_000 + time.tv_nsec / 1000
        }
    }

    /// The interval of `alive` in microseconds: half of the time after which the manager treats the program as hung. `nil` when it does not
    /// watch the program.
    let aliveMicroseconds: Int64?
    private let address: sockaddr_un
    private let addressLength: socklen_t

    /// - Returns: `nil` when no manager requests reports, or its address is invalid.
    init?(environment: [String: String]) {
        guard let path = environment["NOTIFY_SOCKET"], let first = path.utf8.first, first == UInt8(ascii: "/") || first == UInt8(ascii: "@")
        else { return nil }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var name = Array(path.utf8)
        // An abstract name begins with NUL and ends with the address; a path ends with NUL.
        if first == UInt8(ascii: "@") { name[0] = 0 } else { name.append(0) }
        let isWhole = withUnsafeMutableBytes(of: &address.sun_path) { room in
            guard name.count <= room.count else { return false }
            room.copyBytes(from: name)
            return true
        }
        guard isWhole else { return nil }
        self.address = address
        self.addressLength = socklen_t(MemoryLayout<sa_family_t>.size + name.count)
        let isForUs = environment["WATCHDOG_PID"].map { $0 == "\(getpid())" } ?? true
        self.aliveMicroseconds = isForUs ? environment["WATCHDOG_USEC"].flatMap { Int64($0) }.flatMap { $0 >= 2 ? $0 / 2 : nil } : nil
    }

    /// Sends one datagram and never waits: a datagram that the manager cannot receive now is lost.
    func report(_ state: State) {
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        let text = Array(state.text.utf8)
        withUnsafePointer(to: self.address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                _ = text.withUnsafeBytes {
                    sendto(descriptor, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL), address, self.addressLength)
                }
            }
        }
    }
}

/// Reports to the service manager: `alive` while the event loop works, and the end when it begins. `RunCommand` reports the start of the
/// bridge.
struct ServiceManagerReports: Service {
    let manager: ServiceManager
    let eventLoop: any EventLoop
    let restart: RestartRequest

    func run() async throws {
        let manager = self.manager
        if let microseconds = manager.aliveMicroseconds {
            // Runs until the process ends, because the manager also watches the shutdown.
            self.eventLoop.scheduleRepeatedTask(initialDelay: .zero, delay: .microseconds(microseconds)) { _ in manager.report(.alive) }
        }
        try await gracefulShutdown()
        // After STOPPING=1 systemd would end the program that replaces this one.
        manager.report(self.restart.isRequested ? .reloading : .stopping)
    }
}
