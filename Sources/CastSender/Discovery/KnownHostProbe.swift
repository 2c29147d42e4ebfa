import CastModels
import EventLoopTiming
import LogKeys
import Logging
import NIOCore

/// Finds out which device listens at a host that the user names. Retries until the device is known.
actor KnownHostProbe {
    /// The time between two attempts at a device that reports no id.
    private static let pauseTime = TimeAmount.minutes(1)
    /// The time that a host has to answer before a failure is logged: it may be starting at the same time as we are.
    private static let warningTime = TimeAmount.seconds(20)

    nonisolated let host: KnownHost
    private let eventLoop: any EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { self.eventLoop.executor.asUnownedSerialExecutor() }

    private let makeSupervisor: @Sendable (@escaping @Sendable (CastLinkEvent) -> Void) -> DeviceSupervisor
    private let readByHTTP: @Sendable (DeviceEndpoint) async -> DeviceInformation?
    private let logger: Logger
    private var supervisor: DeviceSupervisor?
    private var nap: EventLoopPromise<Void>?
    private var doubt: EventLoopPromise<Void>?
    private var isDoubted = false
    /// The last error of connecting; `nil` before the first one, and once the device is known.
    private(set) var failure: CastError?
    private var began: NIODeadline?
    private var hasWarned = (ofFailure: false, ofMissingID: false)

    init(
        host: KnownHost, eventLoop: any EventLoop, connector: some CastConnector, handshakeGate: HandshakeGate,
        random: @escaping @Sendable () -> Double, authentication: DeviceAuthentication = DeviceAuthentication(), logger: Logger,
        readByHTTP: (@Sendable (DeviceEndpoint) async -> DeviceInformation?)? = nil
    ) {
        self.host = host
        self.eventLoop = eventLoop
        self.logger = logger
        self.makeSupervisor = { onEvent in
            DeviceSupervisor(
                device: nil, endpoints: [host.endpoint], eventLoop: eventLoop, connector: connector, handshakeGate: handshakeGate,
                random: random, authentication: authentication, logger: logger, onEvent: onEvent)
        }
        self.readByHTTP = readByHTTP ?? { await DeviceInformation.read(from: $0, on: eventLoop) }
    }

    /// Returns when the device is known or the task cancelled.
    ///
    /// - Parameters:
    ///   - onFailure: called on the event loop with the error of each failed attempt.
    ///   - onIdentity: called once, on the event loop; `isVerified` is `false` for an id that comes from the configuration.
    func run(
        onFailure: @escaping @Sendable (CastError) -> Void = { _ in },
        onIdentity: @escaping @Sendable (_ identity: DeviceIdentity, _ isVerified: Bool) -> Void
    ) async {
        self.began = self.eventLoop.now
        while !Task.isCancelled {
            if let identity = await self.identify(onFailure) { return onIdentity(identity, true) }
            guard !Task.isCancelled else { return }
            if let information = await self.readByHTTP(self.host.endpoint), let id = information.id {
                return onIdentity(DeviceIdentity(id: id, information: information), true)
            }
            if let id = self.host.id { return onIdentity(DeviceIdentity(id: id), false) }
            self.warnOfMissingID()
            await self.pause()
        }
    }

    /// Retries now, because the network or discovery changed.
    nonisolated func wake() {
        self.eventLoop.execute {
            self.assumeIsolated { probe in
                probe.supervisor?.wake()
                probe.nap?.succeed()
            }
        }
    }

    /// Returns when another device may be at the host than the one that was found there.
    func untilDoubted() async {
        while !self.isDoubted, !Task.isCancelled {
            let doubt = self.eventLoop.makePromise(of: Void.self)
            self.doubt = doubt
            await sleep(.hours(24), on: self.eventLoop, wake: doubt)
            self.doubt = nil
        }
        self.isDoubted = false
    }

    /// The device that was found at the host is somewhere else now.
    nonisolated func doubted() {
        self.eventLoop.execute {
            self.assumeIsolated { probe in
                probe.isDoubted = true
                probe.doubt?.succeed()
            }
        }
    }

    /// Connects until the device has reported its id, or is ready without having reported it.
    private func identify(_ onFailure: @escaping @Sendable (CastError) -> Void) async -> DeviceIdentity? {
        let (events, continuation) = AsyncStream<DeviceIdentity?>.makeStream(bufferingPolicy: .bufferingOldest(1))
        let supervisor = self.makeSupervisor { event in
            switch event {
            case .identified(let identity): continuation.yield(identity)
            case .ready: continuation.yield(nil)
            case .attemptFailed(let error, _, _):
                self.assumeIsolated { $0.failed(error) }
                onFailure(error)
            default: break
            }
        }
        self.supervisor = supervisor
        defer { self.supervisor = nil }
        return await withTaskGroup(of: Void.self) { group in
            group.addTask {
                await supervisor.run()
                continuation.finish()
            }
            defer { group.cancelAll() }
            for await identity in events {
                self.failure = nil
                return identity
            }
            return nil
        }
    }

    private func failed(_ error: CastError) {
        self.failure = error
        let isDue = error.code.isProofFailure || self.began.map { self.eventLoop.now >= $0 + Self.warningTime } ?? false
        guard isDue, !self.hasWarned.ofFailure else { return }
        self.hasWarned.ofFailure = true
        self.logger.warning(
            "known host not reachable; discovery keeps trying", metadata: [.castHost: "\(self.host)", .error: "\(error)"])
    }

    private func warnOfMissingID() {
        guard !self.hasWarned.ofMissingID else { return }
        self.hasWarned.ofMissingID = true
        self.logger.warning(
            "a known host does not report its id and is ignored; configure its id", metadata: [.castHost: "\(self.host)"])
    }

    private func pause() async {
        let nap = self.eventLoop.makePromise(of: Void.self)
        self.nap = nap
        await sleep(Self.pauseTime, on: self.eventLoop, wake: nap)
        self.nap = nil
    }
}
