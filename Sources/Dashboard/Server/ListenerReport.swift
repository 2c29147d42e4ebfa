import BridgeCore
import Glibc
import LogKeys
import Logging
import NIOCore
import Synchronization

/// Logs when a listener opens and ends. Of consecutive failures only the first is logged as a warning.
final class ListenerReport: Sendable {
    private let address: ListenAddress
    private let logger: Logger
    private let hasFailed = Mutex(false)

    init(address: ListenAddress, logger: Logger) { (self.address, self.logger) = (address, logger) }

    /// - Parameter local: the address with the port that the system chose.
    func opened(_ local: SocketAddress, isTLS: Bool) {
        self.hasFailed.withLock { $0 = false }
        guard let address = local.networkAddress, let port = local.port else { return }
        let text = "\(isTLS ? "https" : "http")://\(ListenAddress(address: address, port: port))/"
        self.logger.notice("web server listens", metadata: [.address: "\(text)"])
    }

    /// - Parameter error: why it did not open; `nil` when it was open and ended by itself.
    func ended(_ error: (any Error)?) {
        let isFirst = self.hasFailed.withLock { hasFailed in
            defer { hasFailed = true }
            return !hasFailed
        }
        guard let error else {
            return self.logger.warning(
                "web listener ended", metadata: [.address: "\(self.address)", .remedy: "opened again in 10 seconds"])
        }
        let reason = (error as? IOError).map { String(cString: strerror($0.errnoCode)) } ?? "\(type(of: error))"
        self.logger.log(
            level: isFirst ? .warning : .debug, "web server can't listen",
            metadata: [
                .address: "\(self.address)", .reason: "\(reason)",
                .remedy: "choose another port in web.listen or metrics.listen; tried again every 10 seconds",
            ])
    }
}
