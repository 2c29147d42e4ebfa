import BridgeCore
import Glibc
import HummingbirdCore
import LogKeys
import Logging
import NIOCore
import Synchronization

/// Logs when a listener opens and ends. Of consecutive failures only the first is logged as a warning.
final class ListenerReport: Sendable {
    private let address: String
    private let isControl: Bool
    private let logger: Logger
    private let hasFailed = Mutex(false)

    init(address: String, isControl: Bool = false, logger: Logger) {
        (self.address, self.isControl, self.logger) = (address, isControl, logger)
    }

    /// - Parameter local: the address with the port that the system chose.
    func opened(_ local: SocketAddress, isTLS: Bool) {
        self.hasFailed.withLock { $0 = false }
        guard let link = local.link(isTLS: isTLS) else {
            return self.logger.info("control socket listens", metadata: [.address: "\(self.address)"])
        }
        self.logger.notice("web server listens", metadata: [.address: "\(link)"])
    }

    /// - Parameter error: why it did not open; `nil` when it was open and ended by itself.
    func ended(_ error: (any Error)?) {
        if let error {
            let remedy =
                self.isControl
                ? "make its folder writable; commands on this machine ask over the broker until then, tried again every 10 seconds"
                : "choose another port in web.listen or metrics.listen; tried again every 10 seconds"
            return self.failed("web server can't listen", error, remedy: remedy)
        }
        self.hasFailed.withLock { $0 = true }
        self.logger.warning("web listener ended", metadata: [.address: "\(self.address)", .remedy: "opened again in 10 seconds"])
    }

    /// The listener is open and can't accept a connection.
    func paused(_ error: IOError, isNew: Bool) {
        if isNew { self.hasFailed.withLock { $0 = false } }
        self.failed("web server can't accept connections", error, remedy: "raise the limit of open files (LimitNOFILE, ulimit -n)")
    }

    private func failed(_ message: Logger.Message, _ error: any Error, remedy: String) {
        let isFirst = self.hasFailed.withLock { hasFailed in
            defer { hasFailed = true }
            return !hasFailed
        }
        let reason = (error as? IOError).map { String(cString: strerror($0.errnoCode)) } ?? "\(type(of: error))"
        self.logger.log(
            level: isFirst ? .warning : .debug, message,
            metadata: [.address: "\(self.address)", .reason: "\(reason)", .remedy: "\(remedy)"])
    }
}

extension SocketAddress {
    /// Returns the address of the page behind a listener; `nil` when the listener is a socket in the file system.
    func link(isTLS: Bool) -> String? {
        guard let address = self.networkAddress, let port = self.port else { return nil }
        return "\(isTLS ? "https" : "http")://\(ListenAddress(address: address, port: port))/"
    }
}

extension BindAddress {
    init(_ address: ListenAddress) { self = .hostname(address.address.description, port: address.port) }
}
