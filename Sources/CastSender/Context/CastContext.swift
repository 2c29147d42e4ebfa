import CastModels
import Logging
import NIOCore
import NIOPosix
import Synchronization

/// The entry point of a program: finds devices and manages sessions with them (SDK: `GCKCastContext`).
///
/// It does nothing before `run`. Contexts share only the threads given to them, so a process may have several.
public final class CastContext: Sendable {
    public let options: CastOptions
    public let discoveryManager: DiscoveryManager
    public let sessionManager: SessionManager
    private let states = StateSource(CastState.noDevicesAvailable)
    private let shown = Mutex(Shown())

    /// - Parameters:
    ///   - options: the settings of discovery and sessions, fixed from now on.
    ///   - eventLoopGroup: the event loops to use; the context runs on one of them.
    ///   - logger: log lines carry the label of the type that logs, such as `CastSender.SessionManager`; see `CastLog`.
    /// - Throws: `networkError` when TLS cannot be set up.
    public convenience init(
        options: CastOptions = CastOptions(), eventLoopGroup: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton,
        logger: (_ label: String) -> Logger = { Logger(label: $0) }
    ) throws(CastError) {
        self.init(options: options, eventLoop: eventLoopGroup.next(), connector: try TLSConnector(), logger: logger)
    }

    /// For tests: creates a context with any event loop and any links.
    init(
        options: CastOptions, eventLoop: any EventLoop, connector: some CastConnector,
        random: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) }, logger: (_ label: String) -> Logger = { Logger(label: $0) }
    ) {
        let (gate, linkLoggers) = (HandshakeGate(), LinkLoggers(logger))
        self.options = options
        let sessionManager = SessionManager(
            options: options, eventLoop: eventLoop, connector: connector, handshakeGate: gate, random: random,
            logger: logger("CastSender.SessionManager"), linkLoggers: linkLoggers)
        self.sessionManager = sessionManager
        let relay = DiscoveryRelay(sessionManager: sessionManager)
        self.discoveryManager = DiscoveryManager(
            configuration: options.filteredDiscovery, eventLoop: eventLoop, connector: connector, handshakeGate: gate, random: random,
            authentication: options.authentication, isStarted: options.startsDiscovery, logger: logger("CastSender.DiscoveryManager"),
            linkLoggers: linkLoggers,
            onChange: relay.pass)
    }

    /// The state of a cast button; ends with `run`.
    public var castStates: StateSequence<CastState> { self.states.sequence }

    /// Finds devices and keeps the sessions until the task is cancelled. Then it leaves all devices politely, and their applications keep
    /// running. Call it once.
    public func run() async {
        let (devices, sessions) = (await self.discoveryManager.deviceLists, self.sessionManager.sessions)
        await withDiscardingTaskGroup { group in
            group.addTask { await self.discoveryManager.run() }
            group.addTask { await self.sessionManager.run() }
            group.addTask { for await list in devices { self.show { $0.hasDevices = !list.isEmpty } } }
            group.addTask {
                for await list in sessions {
                    self.show { $0.sessions = list }
                    await self.discoveryManager.keep(Set(list.lazy.filter(\.isWithDevice).map(\.device.id)))
                }
            }
        }
        await self.discoveryManager.finish()
        self.states.finish()
    }

    private func show(_ change: (inout Shown) -> Void) {
        self.shown.withLock { shown in
            change(&shown)
            self.states.setIfChanged(CastState(hasDevices: shown.hasDevices, sessions: shown.sessions))
        }
    }

    private struct Shown {
        var hasDevices = false
        var sessions: [SessionInfo] = []
    }
}

/// Passes the changes of discovery to the session manager; both run on the same event loop.
private struct DiscoveryRelay: Sendable {
    let sessionManager: SessionManager

    func pass(_ change: DeviceChange) { self.sessionManager.assumeIsolated { $0.discovered(change) } }
}

extension SessionInfo {
    /// Whether the session shows that its device is reachable; a suspended one does not.
    fileprivate var isWithDevice: Bool { if case .suspended = self.state { false } else { true } }
}
