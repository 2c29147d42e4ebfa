import CProgramSupport
import ServiceLifecycle

/// Gives memory that is free inside the process back to the system, and what of the program's own code was not used lately.
///
/// While a whole fleet connects, each handshake takes memory that is free again soon, between blocks that stay; malloc returns only what is
/// free at the end of its heap. After a start with 500 known devices, leaving this out costs 7 MiB of 42 MiB anonymous memory.
struct MemoryTrimming: Service {
    static let interval = Duration.seconds(60)

    func run() async throws {
        await cancelWhenGracefulShutdown { while (try? await Task.sleep(for: Self.interval)) != nil { cast2mqtt_trim_memory() } }
    }
}
