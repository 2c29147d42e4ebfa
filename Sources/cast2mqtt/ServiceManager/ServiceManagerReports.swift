import NIOCore
import ServiceLifecycle

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
