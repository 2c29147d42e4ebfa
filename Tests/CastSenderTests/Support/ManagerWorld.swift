import CastModels
import CastTestSupport
import Logging
import NIOCore
import NIOEmbedded
import Synchronization

@testable import CastSender

/// A session manager with receivers in memory and in virtual time.
struct ManagerWorld: World {
    let virtual = VirtualLoop()
    let connector: MemoryConnector
    let manager: SessionManager
    let reported: TransitionLog

    /// The transitions reported so far.
    final class TransitionLog: Sendable {
        private let iterator: Mutex<EventSequence<SessionEvent>.Iterator>

        init(_ sequence: EventSequence<SessionEvent>) { self.iterator = Mutex(sequence.makeAsyncIterator()) }

        /// The events reported since the last call; needs no waiting, since the source keeps unread elements.
        func take() async -> [String] {
            var iterator = self.iterator.withLock { $0 }
            var reported: [String] = []
            while let element = iterator.nextIfAny() {
                switch element {
                case .event(let event): reported.append("\(event.device) \(ManagerWorld.describe(event.transition))")
                case .missed(let count): reported.append("missed \(count)")
                }
            }
            let place = iterator
            self.iterator.withLock { $0 = place }
            return reported
        }
    }

    init(_ change: (inout CastOptions) -> Void = { _ in }) {
        var options = CastOptions()
        change(&options)
        self.connector = MemoryConnector(self.virtual)
        self.manager = SessionManager(
            options: options, eventLoop: self.virtual.loop, connector: self.connector, handshakeGate: HandshakeGate(), random: { 0.5 },
            logger: Logger(label: "test"))
        self.reported = TransitionLog(self.manager.events)
    }

    static func device(_ id: String = "aa11", host: String = "10.0.0.1") -> Device {
        Device(id: id, friendlyName: "Device \(id)", endpoints: [DeviceEndpoint(host: host)])
    }

    func run() async -> Task<Void, Never> {
        let manager = self.manager
        return await self.virtual.start { await manager.run() }
    }

    /// Moves the time until `isEnough` holds for what is reported from now on, for no longer than `limit`.
    /// - Returns: what was reported.
    func reported(within limit: TimeAmount, until isEnough: ([String]) -> Bool) async -> [String] {
        var reported: [String] = []
        await self.advance(
            until: {
                reported += await self.reported.take()
                return isEnough(reported)
            }, limit: limit, step: .milliseconds(50))
        return reported
    }

    /// Calls and moves the time until it is done.
    func call<Value: Sendable>(
        limit: TimeAmount = .seconds(300), _ body: @escaping @Sendable (SessionManager) async throws(CastError) -> Value
    ) async -> Result<Value, CastError>? {
        let manager = self.manager
        let ended = Locked<Result<Value, CastError>?>(nil)
        let task = Task {
            do throws(CastError) { ended.value = .success(try await body(manager)) } catch { ended.value = .failure(error) }
        }
        await self.advance(until: { ended.value != nil }, limit: limit, step: .milliseconds(10))
        guard ended.value == nil else { return ended.value }
        task.cancel()
        return nil
    }

    static func describe(_ transition: SessionTransition) -> String {
        switch transition {
        case .willStart: "will start"
        case .waitsForPermission: "waits"
        case .didStart: "did start"
        case .didFailToStart(let error): "failed to start: \(error.code)"
        case .didSuspend(let reason): "suspended: \(reason)"
        case .willResume: "will resume"
        case .didResume: "did resume"
        case .didFailToResume(let error): "failed to resume: \(error.code)"
        case .willEnd: "will end"
        case .didEnd(let error): "ended\(error.map { ": \($0.code)" } ?? "")"
        case .leaderMoved(let endpoint): "leader moved to \(endpoint)"
        case .playbackMoved: "playback moved"
        case .streamMoved(let id): "stream moved to \(id)"
        case .authenticated(let result):
            if case .failed(let error) = result.verdict { "not proven: \(error.code)" } else { "proven: \(result.verdict)" }
        case .willTransfer(let id): "will transfer to \(id)"
        case .didTransfer(let id): "did transfer to \(id)"
        case .didFailToTransfer(let id, let error): "failed to transfer to \(id): \(error.code)"
        }
    }
}
