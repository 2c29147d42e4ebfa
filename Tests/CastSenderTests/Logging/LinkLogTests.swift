import CastModels
import CastProtocol
import CastTestSupport
import Logging
import NIOCore
import Testing

@testable import CastSender

@Suite struct LinkLogTests {
    /// Keeps whole lines: label, message and sorted metadata.
    private struct Recorder: LogHandler {
        let lines: Locked<[String]>
        let label: String
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { self.metadata[key] }
            set { self.metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let metadata = (event.metadata ?? [:]).sorted { $0.key < $1.key }.filter { $0.key != "milliseconds" }
            let values = metadata.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
            self.lines.value += ["\(self.label.dropFirst("CastSender.".count)) \(event.level): \(event.message) \(values)"]
        }
    }

    private static let secret = "TOKEN-4711"

    /// A connect, a launch, a request, a change of media, a refused request and a disconnect.
    private static func lines(_ filters: LogFilters) async throws -> [String] {
        let lines = Locked<[String]>([])
        let log = CastLog(filters)
        let virtual = VirtualLoop()
        let connector = MemoryConnector(virtual)
        let receiver = FakeReceiver()
        let loggers = LinkLoggers { label in log.logger(label) { Recorder(lines: lines, label: $0) } }
        let supervisor = DeviceSupervisor(
            device: "aa11", endpoints: [DeviceEndpoint(host: "10.0.0.1")], eventLoop: virtual.loop, connector: connector,
            handshakeGate: HandshakeGate(), random: { 0.5 }, logger: Logger(label: "unused"), loggers: loggers, onEvent: { _ in })
        let task = await virtual.start { await supervisor.run() }
        await virtual.advance(.milliseconds(200))
        connector.route("10.0.0.1", to: .receiver(receiver))
        await virtual.advance(.seconds(10))
        guard let session = await supervisor.session else { throw CastError(.deviceNotConnected) }
        _ = await virtual.call { () async -> Result<ReceiverApplication?, CastError> in
            await result { () async throws(CastError) in
                try await session.launch("CC1AD845", options: LaunchOptions(credentials: Self.secret, credentialsType: "cloud"))
            }
        }
        receiver.set {
            $0.media = FakeReceiver.Media(sessionID: 4)
            $0.media?.mediaFields = #","customData":"\#(Self.secret)","metadata":{"title":"\#(Self.secret)"}"#
        }
        receiver.sendMediaStatus()
        await virtual.advance(.milliseconds(100))
        receiver.sendMediaStatus()
        receiver.set { $0.media?.state = "PAUSED" }
        receiver.sendMediaStatus()
        await virtual.advance(.milliseconds(100))
        _ = await virtual.call { () async -> Result<Void, CastError> in
            await result { () async throws(CastError) in try await session.setDeviceVolume(level: 0.25) }
        }
        receiver.set { $0.volumeAnswer = .error(type: "INVALID_REQUEST", reason: Self.secret) }
        _ = await virtual.call { () async -> Result<JSONObject, CastError> in
            await result { () async throws(CastError) in
                try await session.sendReceiverMessage(["type": "SET_VOLUME", "secret": .string(Self.secret)])
            }
        }
        receiver.dropConnections()
        await virtual.advance(.milliseconds(100))
        task.cancel()
        await virtual.advance(.seconds(1))
        return lines.value
    }

    @Test("each connection, attempt, launch, request and change of media is a line at debug, under the label of its type, without payloads")
    func lines() async throws {
        let lines = try await Self.lines(LogFilters(level: .debug))
        let reported = lines.filter { !$0.contains("request ended") }
        #expect(
            reported.first?.hasPrefix("DeviceSupervisor debug: connection attempt failed attempt=1 cast.device=aa11 error=network error")
                == true)
        let rest = reported.drop { $0.hasPrefix("DeviceSupervisor") }
        #expect(
            Array(rest) == [
                "CastConnection debug: connection opened address=10.0.0.1:8009 cast.device=aa11",
                "CastSession debug: launch ended app=CC1AD845 cast.device=aa11 outcome=done",
                "RemoteMediaClient debug: media changed cast.device=aa11 idle_reason=- item=- media_session=4 player=PLAYING",
                "RemoteMediaClient debug: media changed cast.device=aa11 idle_reason=- item=- media_session=4 player=PAUSED",
                "CastConnection debug: connection closed address=10.0.0.1:8009 cast.device=aa11 error=network error",
            ])
        let requests = lines.filter { $0.contains("request ended") }
        let receiver = "cast.namespace=urn:x-cast:com.google.cast.receiver"
        for expected in [
            "\(receiver) outcome=done request=GET_STATUS", "\(receiver) outcome=done request=LAUNCH",
            "\(receiver) outcome=done request=SET_VOLUME", "\(receiver) outcome=invalid request request=-",
            "cast.namespace=urn:x-cast:com.google.cast.media outcome=done request=GET_STATUS",
        ] {
            #expect(requests.contains("CastSession debug: request ended cast.device=aa11 \(expected)"), "\(requests)")
        }
        #expect(!lines.contains { $0.contains(Self.secret) || $0.contains("http") })
    }

    @Test(
        "a filter selects by a type's name or pattern, with or without the label's prefix",
        arguments: [
            ("Cast*Session", ["CastSession"]), ("CastSession", ["CastSession"]), ("CastSender.CastSession", ["CastSession"]),
            ("CastConnection", ["CastConnection"]), ("remotemediaclient", ["RemoteMediaClient"]), ("Cast", []),
            ("CastSender.Cast*", ["CastConnection", "CastSession"]),
        ] as [(String, Set<String>)])
    func filters(pattern: String, labels: Set<String>) async throws {
        let filter = try #require(LogFilter("\(pattern)=debug"))
        let lines = try await Self.lines(LogFilters(level: .info, filters: [filter]))
        #expect(Set(lines.compactMap { $0.split(separator: " ").first.map(String.init) }) == labels)
    }

    @Test("nothing is written above debug")
    func silent() async throws { #expect(try await Self.lines(LogFilters(level: .info)) == []) }
}
