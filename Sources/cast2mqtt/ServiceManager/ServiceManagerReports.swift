import NIOCore
import ServiceLifecycle

/// Reports to the service manager: alive while the event loop turns, and the end when it begins. That the bridge has started is reported by `RunCommand`.
struct ServiceManagerReports: Service {
    let manager: ServiceManager
    let eventLoop: any EventLoop
    let restart: RestartRequest

    func run() async throws {
        let manager = self.manager
        if let microseconds = manager.aliveMicroseconds {
            // Until the process ends: the manager watches that, too.
            self.eventLoop.scheduleRepeatedTask(initialDelay: .zero, delay: .microseconds(microseconds)) { _ in manager.report(.alive) }
        }
        try await gracefulShutdown()
        // After STOPPING=1 systemd would end the program that begins in our place.
        manager.report(self.restart.isRequested ? .reloading : .stopping)
    }
}
