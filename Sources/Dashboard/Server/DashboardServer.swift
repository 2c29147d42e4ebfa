import BridgeCore
import EventLoopTiming
import Glibc
import Hummingbird
import HummingbirdCore
import HummingbirdTLS
import Logging
import NIOCore
import NIOPosix
import NIOSSL
import ServiceLifecycle
import Synchronization

/// The part of the configuration that the server uses.
package struct DashboardSettings: Sendable {
    package var web: WebOptions
    package var metrics: MetricsOptions
    /// The name of the bridge.
    package var instance = "home"
    /// The program's version, as shown to people.
    package var version: String
    /// The path of the control socket, and whether the group of its folder may open it.
    package var controlPath: String?
    package var controlIsForGroup = false
    /// What callers on this machine show while no password is configured.
    package var setupCode: String?
    /// By which browsers in the network may call the page, besides `web.names`: the machine's host name.
    package var machineNames: [HostName] = []

    package init(web: WebOptions, metrics: MetricsOptions, version: String) {
        (self.web, self.metrics, self.version) = (web, metrics, version)
    }

    /// Whether there is anything to serve.
    package var isEnabled: Bool { !self.web.listen.isEmpty || !self.metrics.listen.isEmpty || self.controlPath != nil }
}

/// Adds routes to the page's router.
protocol DashboardRoutes: Sendable {
    func add(to router: Router<DashboardContext>)
}

/// The web server: the page, its API and the metrics, on a thread of its own.
///
/// A listener that can't be opened, because its port is taken or its address is missing, is retried; the bridge continues meanwhile. When
/// the services of the program stop, listeners, idle connections and streams of events are closed at once, other connections after their
/// answers.
package final class DashboardServer: Service {
    /// A file of `web.tls` that can't be used.
    package struct CertificateProblem: Error {
        package let key: String
        package let detail: String
    }

    private let settings: DashboardSettings
    private let routes: [any DashboardRoutes]
    /// Reads the bridge for the routes; `nil` when there is no bridge.
    private let hub: EventHub?
    /// `nil` when there is no bridge to measure.
    private let monitoring: (any BridgeMonitoring)?
    private let measurements = WebMeasurements()
    private let access: AccessControl
    /// The program's settings; `nil` when nothing can be chosen.
    private let choices: (any SettingsAccess)?
    private let listeners: [Listener]
    private let tls: TLSConfiguration?
    /// The certificate and key of the newest reading, for connections that begin.
    private let certificate: Mutex<NIOSSLContextConfigurationOverride>
    private let logger: Logger
    private let limits: ConnectionClock.Limits
    /// How long answers in progress may take when the program stops.
    private let farewell: Duration
    private let onListening: @Sendable (AccessPolicy.Kind, SocketAddress) -> Void

    private static let retryInterval = Duration.seconds(10)

    /// - Parameter onListening: called with purpose and address of each listener that is open.
    init(
        settings: DashboardSettings, routes: [any DashboardRoutes], choices: (any SettingsAccess)? = nil, hub: EventHub? = nil,
        monitoring: (any BridgeMonitoring)? = nil,
        logger: Logger, now: @escaping @Sendable () -> Duration = DashboardServer.monotonicClock(),
        limits: ConnectionClock.Limits = .init(), farewell: Duration = .milliseconds(300),
        onListening: @escaping @Sendable (AccessPolicy.Kind, SocketAddress) -> Void = { _, _ in }
    ) throws(CertificateProblem) {
        self.settings = settings
        self.routes = routes
        self.hub = hub
        self.monitoring = monitoring
        self.choices = choices
        self.access = AccessControl(settings.web, setupCode: settings.setupCode, machineNames: settings.machineNames, now: now)
        func listener(_ name: String, _ address: BindAddress, _ kind: AccessPolicy.Kind) -> Listener {
            Listener(name: name, address: address, kind: kind, connections: ConnectionTable(trusted: settings.web.trustedProxies))
        }
        self.listeners =
            settings.web.listen.map { listener("\($0)", .init($0), .page) }
            + settings.metrics.listen.map { listener("\($0)", .init($0), .metrics) }
            + [settings.controlPath].compactMap { $0 }.map { listener($0, .unixDomainSocket(path: $0), .control) }
        let tls = try Self.tls(settings.web)
        self.tls = tls
        self.certificate = Mutex(Self.identity(of: tls))
        self.logger = logger
        self.limits = limits
        self.farewell = farewell
        self.onListening = onListening
    }

    /// - Parameter onPage: called with the address of the page for each of its listeners that is open.
    /// - Throws: when a file of `web.tls` can't be used.
    package convenience init(
        settings: DashboardSettings, bridge: any BridgeAccess & BridgeMonitoring, access: (any SettingsAccess)? = nil,
        uploads: (any UploadAccess)? = nil, logger: Logger, onPage: @escaping @Sendable (String) -> Void
    ) throws(CertificateProblem) {
        let hub = EventHub(bridge: bridge, logger: logger)
        try self.init(
            settings: settings,
            routes: [DashboardAPI(bridge: bridge, hub: hub, page: settings.web.page.json, settings: access, uploads: uploads)],
            choices: access,
            hub: hub,
            monitoring: bridge, logger: logger,
            onListening: { [hasTLS = settings.web.certificateFile != nil] kind, address in
                if kind == .page, let link = address.link(isTLS: hasTLS) { onPage(link) }
            })
    }

    package func run() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        // Detached, so that the library's servers see only the cancellation: on a graceful shutdown they would wait for streams of events.
        let listening = Task.detached {
            await withTaskGroup(of: Void.self) { tasks in
                for listener in self.listeners { tasks.addTask { await self.listen(listener, group) } }
            }
        }
        let reading = Task.detached(executorPreference: StreamTaskExecutor(group.next())) { if let hub = self.hub { await hub.run() } }
        let (ends, end) = AsyncStream<Void>.makeStream()
        await withTaskCancellationOrGracefulShutdownHandler {
            for await _ in ends {}
        } onCancelOrGracefulShutdown: {
            end.finish()
        }
        reading.cancel()
        for listener in self.listeners { listener.connections.end() }
        await withTaskGroup(of: Void.self) { tasks in
            tasks.addTask { await listening.value }
            tasks.addTask { try? await Task.sleep(for: self.farewell) }
            await tasks.next()
            listening.cancel()
            for listener in self.listeners { listener.connections.closeAll() }
            tasks.cancelAll()
        }
        await reading.value
        await self.access.end()
        try? await group.shutdownGracefully()
    }

    private func router(_ kind: AccessPolicy.Kind) -> Router<DashboardContext> {
        let isTLS = kind == .page && self.tls != nil
        let router = Router(context: DashboardContext.self, options: [.autoGenerateHeadEndpoints])
        router.add(
            middleware: AccessMiddleware(
                access: self.access, kind: kind, isTLS: isTLS,
                headers: SecurityHeaders(frameOrigins: self.settings.web.frameOrigins, isTLS: isTLS),
                logger: self.logger))
        MetricsRoutes(
            bridge: self.monitoring, measurements: self.measurements, connections: self.listeners.map(\.connections),
            version: self.settings.version, kind: kind
        )
        .add(to: router)
        if kind == .page { PageRoutes.add(to: router) }
        if kind != .metrics {
            SessionRoutes(
                access: self.access, instance: self.settings.instance, version: self.settings.version, settings: self.choices,
                logger: self.logger
            )
            .add(to: router)
            for routes in self.routes { routes.add(to: router) }
        }
        return router
    }

    private struct Listener: Sendable {
        /// The address as people write it.
        let name: String
        let address: BindAddress
        let kind: AccessPolicy.Kind
        let connections: ConnectionTable
    }

    /// Listens until the task is cancelled.
    private func listen(_ listener: Listener, _ group: any EventLoopGroup) async {
        let (report, table) = (
            ListenerReport(address: listener.name, isControl: listener.kind == .control, logger: self.logger), listener.connections
        )
        let responder = self.router(listener.kind).buildResponder()
        while !Task.isCancelled, !table.isEnding {
            do {
                try await self.server(listener, responder, group, report).run()
                if !Task.isCancelled, !table.isEnding { report.ended(nil) }
            } catch {
                if !Task.isCancelled, !table.isEnding { report.ended(error) }
            }
            guard !table.isEnding else { return }
            try? await Task.sleep(for: Self.retryInterval)
        }
    }

    private func server(
        _ listener: Listener, _ responder: some HTTPResponder<DashboardContext>, _ group: any EventLoopGroup, _ report: ListenerReport
    ) throws -> any Service {
        let requests = RequestResponder(responder: responder, measurements: self.measurements, logger: self.logger)
        let (limits, tls) = (self.limits, listener.kind == .page ? self.tls : nil)
        let builder = HTTPServerBuilder { respond in
            let http = HTTP1Channel(
                responder: respond,
                configuration: .init(
                    httpDecoderConfiguration: .init(
                        maxHeaderFieldSize: 16 << 10, maxHeaderListSize: 16 << 10, maxHeaderFieldCount: 100)))
            let guarded = GuardedChannel(base: http, table: listener.connections, limits: limits)
            guard var tls else { return guarded }
            tls.sslContextCallback = { _, promise in promise.succeed(self.certificate.withLock { $0 }) }
            return try TLSChannel(guarded, tlsConfiguration: tls)
        }
        return try builder.buildServer(
            configuration: ServerConfiguration(address: listener.address),
            eventLoopGroup: group,
            // It logs each start and each connection that breaks.
            logger: Logger(label: "Dashboard.Server") { _ in SwiftLogNoOpLogHandler() },
            responder: { request, writer, channel in try await requests.respond(request, writer, channel) },
            onServerRunning: { channel in self.opened(channel, listener, isTLS: tls != nil, report) })
    }

    private func opened(_ channel: any Channel, _ listener: Listener, isTLS: Bool, _ report: ListenerReport) {
        listener.connections.listens(channel)
        channel.eventLoop.execute { try? channel.pipeline.syncOperations.addHandler(AcceptPause(report.paused), position: .first) }
        guard let local = channel.localAddress else { return }
        // Its folder is closed to others before.
        if let path = local.pathname { chmod(path, self.settings.controlIsForGroup ? 0o660 : 0o600) }
        report.opened(local, isTLS: isTLS)
        self.onListening(listener.kind, local)
    }

    /// Takes other passwords, tokens and names of the page, and reads its certificate again; connections stay.
    ///
    /// - Throws: when a file of `web.tls` can't be used; nothing has changed then.
    package func apply(_ web: WebOptions) throws(CertificateProblem) {
        let identity = Self.identity(of: self.tls == nil ? nil : try Self.tls(self.settings.web))
        self.certificate.withLock { $0 = identity }
        self.access.apply(web)
    }

    private static func identity(of tls: TLSConfiguration?) -> NIOSSLContextConfigurationOverride {
        var identity = NIOSSLContextConfigurationOverride()
        (identity.certificateChain, identity.privateKey) = (tls?.certificateChain, tls?.privateKey)
        return identity
    }

    private static func tls(_ web: WebOptions) throws(CertificateProblem) -> TLSConfiguration? {
        guard let certificateFile = web.certificateFile, let keyFile = web.keyFile else { return nil }
        let chain: [NIOSSLCertificateSource]
        do { chain = try NIOSSLCertificate.fromPEMFile(certificateFile).map { .certificate($0) } } catch {
            throw CertificateProblem(
                key: "web.tls.certificate_file", detail: "\(certificateFile) has no certificate in PEM that can be read")
        }
        do {
            let key = try NIOSSLPrivateKey(file: keyFile, format: .pem)
            var configuration = TLSConfiguration.makeServerConfiguration(certificateChain: chain, privateKey: .privateKey(key))
            configuration.minimumTLSVersion = .tlsv12
            // Also checks that certificate and key belong together.
            _ = try NIOSSLContext(configuration: configuration)
            return configuration
        } catch {
            throw CertificateProblem(key: "web.tls.key_file", detail: "\(keyFile) has no key in PEM that belongs to the certificate")
        }
    }

    /// The time since the server was created.
    private static func monotonicClock() -> @Sendable () -> Duration {
        let start = ContinuousClock.now
        return { ContinuousClock.now - start }
    }
}
