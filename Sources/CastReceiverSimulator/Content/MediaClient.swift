import FoundationEssentials
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// Requests media from web servers as a receiver does: performs the steps of `MediaInspector` on the device's event loop.
///
/// A stream without a stated end is read and discarded until it ends or `cancel` is called.
final class MediaClient {
    /// The longest silence of a server.
    static let timeout = TimeAmount.seconds(10)
    /// The time limit for deciding whether the media can be played.
    static let inspectionLimit = TimeAmount.seconds(30)
    private static let userAgent = "Mozilla/5.0 (X11; Linux armv7l) AppleWebKit/537.36 CrKey/1.56.500000 cast-simulator"
    /// The origin of the pages of receiver applications.
    private static let origin = "https://www.gstatic.com"

    private let eventLoop: any EventLoop
    private var inspector: MediaInspector
    private let onFinding: (FetchFinding) -> Void
    private let onEnd: (Double?) -> Void
    private var exchange: MediaExchange?
    private var isOver = false
    private let limit: TimeAmount
    private var deadline: Scheduled<Void>?

    /// - Parameters:
    ///   - limit: the time without a finding after which the server counts as unreachable.
    ///   - onFinding: called once, unless the client is cancelled before.
    ///   - onEnd: called when a stream has ended, with its last time stamp in seconds.
    init(
        media: JSON, eventLoop: any EventLoop, limit: TimeAmount = MediaClient.inspectionLimit,
        onFinding: @escaping (FetchFinding) -> Void, onEnd: @escaping (Double?) -> Void
    ) {
        (self.eventLoop, self.limit) = (eventLoop, limit)
        self.inspector = MediaInspector(media: media)
        (self.onFinding, self.onEnd) = (onFinding, onEnd)
    }

    func start() {
        self.deadline = self.eventLoop.assumeIsolated().scheduleTask(in: self.limit) { [weak self] in
            self?.failed("no finding in time")
        }
        self.perform(self.inspector.start())
    }

    func cancel() {
        self.isOver = true
        self.deadline?.cancel()
        self.exchange?.close()
        self.exchange = nil
    }

    private func perform(_ step: MediaInspector.Step) {
        guard !self.isOver else { return }
        switch step {
        case .get(let url, let offset, let limit):
            self.exchange?.close()
            self.get(url, from: offset, limit: limit)
        case .done(let finding):
            self.deadline?.cancel()
            if case .playable(_, isStream: true) = finding {
                self.exchange?.drain()
            } else {
                self.exchange?.close()
                self.exchange = nil
            }
            self.onFinding(finding)
        }
    }

    private func get(_ url: URL, from offset: Int, limit: Int) {
        let isSecure = url.scheme?.lowercased() == "https"
        guard let host = url.host(percentEncoded: false), let authority = Self.authority(of: url) else {
            return self.perform(self.inspector.unreachable("no host"))
        }
        let port = url.port ?? (isSecure ? 443 : 80)
        var headers: HTTPHeaders = [
            "Host": authority, "User-Agent": Self.userAgent, "Accept": "*/*", "Range": "bytes=\(offset)-",
            "Connection": "close",
        ]
        if self.inspector.needsPermission { headers.add(name: "Origin", value: Self.origin) }
        let path = url.path(percentEncoded: true)
        let target = (path.isEmpty ? "/" : path) + (url.query(percentEncoded: true).map { "?\($0)" } ?? "")
        let exchange = MediaExchange(
            request: HTTPRequestHead(version: .http1_1, method: .GET, uri: target, headers: headers), limit: limit,
            isForStart: !self.inspector.readsWhole, onReply: { [weak self] reply in self?.answered(reply) },
            onFailure: { [weak self] detail in self?.failed(detail) },
            onEnd: { [weak self] seconds in self?.ended(seconds) })
        self.exchange = exchange
        let bound = NIOLoopBound(exchange, eventLoop: self.eventLoop)
        ClientBootstrap(group: self.eventLoop)
            .connectTimeout(Self.timeout)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    if isSecure {
                        let context = try NIOSSLContext(configuration: .makeClientConfiguration())
                        let name = IPv4Address(host) == nil && !host.contains(":") ? host : nil
                        try pipeline.addHandler(NIOSSLClientHandler(context: context, serverHostname: name))
                    }
                    try pipeline.addHTTPClientHandlers()
                    try pipeline.addHandler(IdleStateHandler(readTimeout: Self.timeout))
                    try pipeline.addHandler(bound.value)
                }
            }
            .connect(host: host, port: port)
            .assumeIsolated().whenFailure { error in bound.value.fail("\(error)") }
    }

    /// Returns the value of `Host`: IPv6 addresses are in brackets (RFC 9110 section 7.2).
    static func authority(of url: URL) -> String? {
        guard let host = url.host(percentEncoded: false) else { return nil }
        let name = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
        return url.port.map { "\(name):\($0)" } ?? name
    }

    private func answered(_ reply: HTTPReply) { self.perform(self.inspector.answered(reply)) }
    private func failed(_ detail: String) { self.perform(self.inspector.unreachable(detail)) }

    private func ended(_ seconds: Double?) {
        guard !self.isOver else { return }
        self.exchange = nil
        self.onEnd(seconds)
    }
}
