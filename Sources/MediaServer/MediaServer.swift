import BridgeCore
import CastModels
import EventLoopTiming
import LogKeys
import Logging
import NIOCore
import NIOHTTP1
import NIOPosix
import ServiceLifecycle
import Synchronization

/// Serves what is offered to devices, on a thread of its own: files below named folders, and bytes in memory.
///
/// Offers are made and addressed by any thread, at once. A path that was not offered, or whose lifetime is over, does not exist; nothing
/// lists what there is. A listener that can't be opened is retried.
package final class MediaServer: Service {
    package let folders: MediaFolders
    /// `nil` takes no uploads.
    package let uploads: MediaUploads?
    private let options: MediaOptions
    private let limits: MediaHandler.Limits
    private let logger: Logger
    private let state = Mutex(State())
    private let start = ContinuousClock.now

    private struct State {
        var offers = OfferTable()
        var counts = ConnectionCounts()
        var onFiles: (@Sendable () -> Void)?
        /// The listeners that are open, with the ports that they have.
        var open: [ListenAddress: Int] = [:]
    }

    private static let retryInterval = Duration.seconds(10)

    /// The lifetime of offers of files; each request begins it again.
    package static let fileLifetime = Duration.seconds(12 * 3600)

    /// - Parameter uploads: the path of the folder for uploads, where `options` names none.
    package convenience init(_ options: MediaOptions, uploads: String?, logger: Logger) {
        let folder = options.uploads.fileByteLimit > 0 ? options.uploads.folder ?? uploads : nil
        // A folder of the user keeps its name.
        let name = options.folders.contains { $0.name == "uploads" } ? "uploads-2" : "uploads"
        self.init(
            options, uploads: folder.map { MediaUploads(options.uploads, folder: MediaFolder(name: name, path: $0)) }, limits: .init(),
            logger: logger)
    }

    init(_ options: MediaOptions, uploads: MediaUploads? = nil, limits: MediaHandler.Limits, logger: Logger) {
        (self.options, self.uploads, self.limits, self.logger) = (options, uploads, limits, logger)
        self.folders = MediaFolders(options.folders + [uploads?.folder].compactMap(\.self))
    }

    // MARK: Offers

    /// Makes content available at a path that cannot be guessed.
    ///
    /// - Parameters:
    ///   - name: the name that the path ends with; what could be misread in it is replaced.
    ///   - lifetime: how long the path exists after the last request for it.
    /// - Returns: `nil` for content in memory beyond 64 MiB.
    package func offer(_ content: Content, named name: String, for lifetime: Duration = MediaServer.fileLifetime) -> OfferPath? {
        let path = OfferPath(token: OfferPath.randomToken(), name: OfferPath.harmless(name))
        let isAdded = self.state.withLock { state in
            state.offers.add(content, at: path.token, name: path.name, for: lifetime, now: self.now)
        }
        if isAdded, content.isKept { self.filesChanged() }
        return isAdded ? path : nil
    }

    /// The files that are offered, for a later run.
    package var kept: JSONValue { self.state.withLock { $0.offers }.kept(now: self.now) }

    /// Offers again what an earlier run kept, at the same paths: devices that play it go on.
    /// - Parameter onChange: called on any thread after each change of the files that are offered.
    package func keep(_ kept: JSONValue?, onChange: @escaping @Sendable () -> Void) {
        self.state.withLock {
            $0.offers.add(kept: kept, for: Self.fileLifetime, now: self.now)
            $0.onFiles = onChange
        }
    }

    /// Ends an offer before its time. An address at which nothing is offered is ignored.
    package func withdraw(_ address: String) {
        guard let token = Self.token(in: address) else { return }
        if self.state.withLock({ $0.offers.remove(token) })?.isKept == true { self.filesChanged() }
    }

    private func filesChanged() { self.state.withLock { $0.onFiles }?() }

    /// Returns what is offered at an address, whatever its host.
    package func content(at address: String) -> Content? {
        Self.token(in: address).flatMap { token in self.state.withLock { $0.offers.content(at: token) } }
    }

    private static func token(in address: String) -> String? {
        address.firstRange(of: "/m/").flatMap { OfferPath.parse(String(address[$0.lowerBound...]))?.token }
    }

    /// Returns the address of the server for a device, without a path: `http://192.168.1.5:8097`.
    ///
    /// - Parameter local: our own address on the connection to the device.
    /// - Returns: `nil` while no listener is open that the device could reach.
    package func address(forPeerAt local: SocketAddress?) -> String? {
        let open = self.state.withLock { $0.open }
        let own = local?.networkAddress.flatMap { $0.isLinkLocal ? Self.routable(besides: $0) : $0 }
        let listeners = self.options.listen.compactMap { address in open[address].map { (address: address.address, port: $0) } }
        func isReached(_ listener: NetworkAddress, by own: NetworkAddress) -> Bool {
            listener == own || listener.isUnspecified && (listener.isIPv6 || !own.isIPv6)
        }
        let chosen = own.flatMap { own in listeners.first { isReached($0.address, by: own) }.map { (own, $0.port) } }
        if let name = self.options.advertise {
            return name.port == nil ? (chosen?.1 ?? listeners.first?.port).map { "http://\(name):\($0)" } : "http://\(name)"
        }
        // Another address of ours may be reachable, too, unless one of them is of this machine alone.
        let other = listeners.first { !$0.address.isUnspecified && $0.address.isLoopback == own?.isLoopback }
        guard let (address, port) = chosen ?? other.map({ ($0.address, $0.port) }) else { return nil }
        return "http://\(ListenAddress(address: address, port: port))"
    }

    /// A link-local address means nothing without its interface, so another one of the same interface takes its place.
    private static func routable(besides address: NetworkAddress) -> NetworkAddress? {
        let devices = (try? System.enumerateDevices()) ?? []
        guard let device = devices.first(where: { $0.address?.networkAddress == address }) else { return nil }
        return devices.lazy.filter { $0.name == device.name }.compactMap { $0.address?.networkAddress }.first { !$0.isLinkLocal }
    }

    private var now: Duration { self.start.duration(to: .now) }

    private func source(at target: String) -> MediaSource? {
        guard let (token, names) = OfferPath.parse(target),
            let offer = self.state.withLock({ $0.offers.take(token, now: self.now) })
        else { return nil }
        let isWhole = names == [offer.name]
        switch offer.content {
        case .bytes(let bytes, let type): return isWhole ? MediaSource(bytes, type: type, entityTag: "\"\(token)\"") : nil
        case .subtitles(let path):
            guard isWhole, let file = self.folders.open(path), file.size <= SubtitleText.byteLimit else { return nil }
            return MediaSource(SubtitleText.webVTT(file.head(file.size)), type: "text/vtt", entityTag: file.entityTag)
        case .file(var path):
            if !isWhole {
                // A manifest names its parts relative to itself. Only media below its own folder are parts.
                guard MediaType.isManifest(path.name), let part = path.parent?.appending(names) else { return nil }
                path = part
            }
            guard let file = self.folders.open(path) else { return nil }
            return MediaType.of(file.head(MediaType.headLength), name: path.name).map { MediaSource(file, type: $0.type) }
        }
    }

    // MARK: Listeners

    package func run() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { tasks in
                for address in self.options.listen { tasks.addTask { await self.listen(at: address, group) } }
                if let uploads = self.uploads { tasks.addTask { await Self.clean(uploads) } }
            }
        }
        try? await group.shutdownGracefully()
    }

    /// Removes old uploads until the task is cancelled.
    private static func clean(_ uploads: MediaUploads) async {
        try? await NIOThreadPool.singleton.runIfActive { uploads.open() }
        while !Task.isCancelled {
            try? await NIOThreadPool.singleton.runIfActive { uploads.expire() }
            try? await Task.sleep(for: .seconds(3600))
        }
    }

    /// Listens until the task is cancelled.
    private func listen(at address: ListenAddress, _ group: any EventLoopGroup) async {
        var hasFailed = false
        while !Task.isCancelled {
            do {
                let channel = try await self.bootstrap(group).bind(host: address.address.description, port: address.port).get()
                let port = channel.localAddress?.port ?? address.port
                self.state.withLock { $0.open[address] = port }
                hasFailed = false
                self.logger.notice(
                    "media server listens", metadata: [.address: "\(ListenAddress(address: address.address, port: port))"])
                await withTaskCancellationHandler {
                    try? await channel.closeFuture.get()
                } onCancel: {
                    channel.close(promise: nil)
                }
                self.state.withLock { $0.open[address] = nil }
            } catch {
                self.logger.log(
                    level: hasFailed ? .debug : .warning, "media server can't listen",
                    metadata: [
                        .address: "\(address)", .reason: "\(error)",
                        .remedy: "choose another port in media.listen; tried again every 10 seconds",
                    ])
                hasFailed = true
            }
            try? await Task.sleep(for: Self.retryInterval)
        }
    }

    private func bootstrap(_ group: any EventLoopGroup) -> ServerBootstrap {
        ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 64)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(AcceptPause(self.paused)) }
            }
            // A device that has left the network is noticed while it reads nothing.
            .childChannelOption(.socketOption(.so_keepalive), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let client = channel.remoteAddress?.networkAddress
                    guard self.state.withLock({ $0.counts.open(client) }) else { throw ChannelError.ioOnClosedChannel }
                    channel.closeFuture.whenComplete { _ in self.state.withLock { $0.counts.close(client) } }
                    try Self.install(on: channel, MediaHandler(self.limits) { self.source(at: $0) })
                }
            }
    }

    private func paused(_ error: IOError, isNew: Bool) {
        self.logger.log(
            level: isNew ? .warning : .debug, "media server can't accept connections",
            metadata: [.reason: "\(error)", .remedy: "raise the limit of open files (LimitNOFILE, ulimit -n)"])
    }

    private static func install(on channel: any Channel, _ handler: MediaHandler) throws {
        var limits = NIOHTTPDecoderLimitConfiguration()
        (limits.maxHeaderFieldSize, limits.maxHeaderListSize, limits.maxHeaderFieldCount) = (16 << 10, 16 << 10, 100)
        let decoder = HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes, limitConfiguration: limits)
        try channel.pipeline.syncOperations.addHandlers(
            HTTPResponseEncoder(), ByteToMessageHandler(decoder), HTTPServerPipelineHandler(), handler)
    }
}

extension SocketAddress {
    /// Returns the address without port and scope.
    fileprivate var networkAddress: NetworkAddress? { self.ipAddress.flatMap { NetworkAddress($0.prefix { $0 != "%" }) } }
}
