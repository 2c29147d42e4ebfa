import CastModels
import EventLoopTiming
import LogKeys
import Logging
import NIOCore

/// Finds out which device listens at a host that the user names. Retries until the device is known.
actor KnownHostProbe {
    /// The time between two attempts at a device that reports no id.
    private static let pauseTime = TimeAmount.minutes(1)

    nonisolated let host: KnownHost
    private let eventLoop: any EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { self.eventLoop.executor.asUnownedSerialExecutor() }

    private let makeSupervisor: @Sendable (@escaping @Sendable (CastLinkEvent) -> Void) -> DeviceSupervisor
    private let readByHTTP: @Sendable (DeviceEndpoint) async -> DeviceInformation?
    private let logger: Logger
    private var supervisor: DeviceSupervisor?
    private var nap: EventLoopPromise<Void>?
    private var hasWarned = false

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
        self.readByHTTP = readByHTTP ?? { await EurekaHTTPClient.read(from: $0, on: eventLoop) }
    }

    /// Returns when the device is known or the task cancelled.
    ///
    /// - Parameter onIdentity: called once, on the event loop; `isVerified` is `false` for an id that comes from the configuration.
    func run(onIdentity: @escaping @Sendable (_ identity: DeviceIdentity, _ isVerified: Bool) -> Void) async {
        while !Task.isCancelled {
            if let identity = await self.identify() { return onIdentity(identity, true) }
            guard !Task.isCancelled else { return }
            if let information = await self.readByHTTP(self.host.endpoint), let id = information.id {
                return onIdentity(DeviceIdentity(id: id, information: information), true)
            }
            if let id = self.host.id { return onIdentity(DeviceIdentity(id: id), false) }
            self.warn()
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

    /// Connects until the device has reported its id, or is ready without having reported it.
    private func identify() async -> DeviceIdentity? {
        let (events, continuation) = AsyncStream<DeviceIdentity?>.makeStream(bufferingPolicy: .bufferingOldest(1))
        let supervisor = self.makeSupervisor { event in
            switch event {
            case .identified(let identity): continuation.yield(identity)
            case .ready: continuation.yield(nil)
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
            var found: DeviceIdentity?
            for await identity in events {
                found = identity
                break
            }
            group.cancelAll()
            return found
        }
    }

    private func warn() {
        guard !self.hasWarned else { return }
        self.hasWarned = true
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
