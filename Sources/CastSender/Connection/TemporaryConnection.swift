import CastModels
import EventLoopTiming
import Logging
import NIOCore
import Synchronization

/// Connects to a device for one operation.
struct TemporaryConnection: Sendable {
    var eventLoop: any EventLoop
    var connector: any CastConnector
    var handshakeGate: HandshakeGate
    var random: @Sendable () -> Double
    var authentication = DeviceAuthentication()
    var loggers: LinkLoggers

    /// Connects, calls `work` and disconnects.
    ///
    /// - Parameter limit: the limit for connecting and `work` together.
    /// - Throws: the error of `work`; the last error of connecting, or `timeout`, after `limit`; `cancelled`.
    func withSession<Value: Sendable>(
        of device: Device, limit: TimeAmount, _ work: @escaping @Sendable (CastSession) async throws(CastError) -> Value
    ) async throws(CastError) -> Value {
        let (readiness, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingOldest(1))
        let lastError = LastError()
        let supervisor = DeviceSupervisor(
            device: device.id, endpoints: device.endpoints, eventLoop: self.eventLoop, connector: self.connector,
            handshakeGate: self.handshakeGate, random: self.random, authentication: self.authentication, description: device,
            capabilities: device.capabilities,
            logger: self.loggers.supervisor, loggers: self.loggers
        ) { event in
            switch event {
            case .ready: continuation.yield()
            case .attemptFailed(let error, _, _): lastError.set(error)
            default: break
            }
        }
        let eventLoop = self.eventLoop
        let result: Result<Value, CastError>? = await withTaskGroup(of: Result<Value, CastError>?.self) { group in
            group.addTask {
                await supervisor.run()
                return nil
            }
            group.addTask {
                await sleep(limit, on: eventLoop)
                return .failure(lastError.value ?? CastError(.timeout, detail: "the device could not be reached in time"))
            }
            group.addTask {
                for await _ in readiness {
                    guard let session = await supervisor.session else { continue }
                    do throws(CastError) { return .success(try await work(session)) } catch { return .failure(error) }
                }
                return .failure(CastError(.cancelled, detail: "the caller gave up"))
            }
            defer { group.cancelAll() }
            for await result in group { if let result { return result } }
            return nil
        }
        guard !Task.isCancelled, let result else { throw CastError(.cancelled, detail: "the caller gave up") }
        return try result.get()
    }
}

/// The error of the latest attempt; set on the event loop, read by the waiting task.
private final class LastError: Sendable {
    private let error = Mutex<CastError?>(nil)

    var value: CastError? { self.error.withLock { $0 } }

    func set(_ error: CastError) { self.error.withLock { $0 = error } }
}
