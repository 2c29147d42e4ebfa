import NetworkReach
import Synchronization
import TestSupport
import Testing

@testable import MQTTClient

private let accepted5: [UInt8] = [0x20, 0x03, 0x00, 0x00, 0x00]
private let accepted311: [UInt8] = [0x20, 0x02, 0x00, 0x00]

extension MQTTEnvironment {
    /// Never waits between attempts that time heals.
    static var eager: MQTTEnvironment {
        var environment = MQTTEnvironment.system
        environment.random = { 0 }
        return environment
    }
}

@Suite("With a peer that follows the script", .timeLimit(.minutes(5)))
struct ScriptedPeerTests {
    enum Refusal: String, CaseIterable, Sendable {
        case closesAtOnce, connack132, connack1OfAnOlderVersion, unreadableConnack
    }

    @Test("a broker without MQTT 5 is reached over 3.1.1, and the choice is reported", arguments: Refusal.allCases)
    func fallsBack(refusal: Refusal) async throws {
        let levels = Mutex<[UInt8]>([])
        let peer = try ScriptedPeer { connection in
            guard let connect = connection.packet(), let level = ScriptedPeer.Connection.level(of: connect) else { return }
            levels.withLock { $0.append(level) }
            if level == 4 {
                connection.write(accepted311)
                return connection.drain()
            }
            switch refusal {
            case .closesAtOnce: break
            case .connack132: connection.write([0x20, 0x03, 0x00, 132, 0x00])
            case .connack1OfAnOlderVersion: connection.write([0x20, 0x02, 0x00, 0x01])
            case .unreadableConnack: connection.write([0x20, 0x02, 0x00, 0x02])
            }
        }
        try await RunningClient.with(.local(port: peer.port), environment: .eager) { client in
            let session = try await client.log.session()
            #expect(session.protocolVersion == .v311)
            #expect(client.log.events.contains(.protocolChosen(.v311)))
            let needsTwo = refusal == .closesAtOnce || refusal == .unreadableConnack
            #expect(levels.withLock { $0 } == (needsTwo ? [5, 5, 4] : [5, 4]))
        }
    }

    @Test("a proxy that closes while its broker restarts does not lead to 3.1.1", arguments: [2, 3, 6])
    func proxy(closes: Int) async throws {
        let peer = try ScriptedPeer { connection in
            guard let connect = connection.packet(), let level = ScriptedPeer.Connection.level(of: connect) else { return }
            if connection.number > 1, connection.number <= 1 + closes { return }
            connection.write(level == 4 ? accepted311 : accepted5)
            if connection.number > 1 { connection.drain() }
        }
        try await RunningClient.with(.local(port: peer.port), environment: .eager) { client in
            let session = try await client.log.session(2)
            #expect(session.protocolVersion == .v5)
            #expect(!client.log.events.contains { if case .protocolChosen = $0 { true } else { false } })
        }
    }

    @Test("the password is read for every attempt; while it can't be read, the last one is used")
    func rotatedPassword() async throws {
        let connects = Mutex<[[UInt8]]>([])
        let peer = try ScriptedPeer { connection in
            guard let connect = connection.packet() else { return }
            connects.withLock { $0.append(connect) }
            connection.write(accepted5)
            if connection.number == 4 { connection.drain() }
        }
        let passwords = Mutex<[String?]>(["first", "other", nil, "newest"])
        let configuration = MQTTConfiguration.local(port: peer.port) {
            ($0.username, $0.password) = ("user", "configured")
            $0.readPassword = { passwords.withLock { $0.isEmpty ? nil : $0.removeFirst() } }
        }
        try await RunningClient.with(configuration, environment: .eager) { client in
            _ = try await client.log.session(4)
            let seen = connects.withLock { $0 }.map { String(decoding: $0.suffix(5), as: UTF8.self) }
            #expect(seen == ["first", "other", "other", "ewest"])
        }
    }

    @Test("a broker that ignores CONNECT of MQTT 5 is asked in 3.1.1 after two silences")
    func fallsBackAfterSilence() async throws {
        let levels = Mutex<[UInt8]>([])
        let peer = try ScriptedPeer { connection in
            guard let connect = connection.packet(), let level = ScriptedPeer.Connection.level(of: connect) else { return }
            levels.withLock { $0.append(level) }
            if level == 4 { connection.write(accepted311) }
            connection.drain()
        }
        let configuration = MQTTConfiguration.local(port: peer.port) { $0.attemptLimit = .seconds(1) }
        try await RunningClient.with(configuration, environment: .eager) { client in
            let session = try await client.log.session()
            #expect(session.protocolVersion == .v311)
            #expect(client.log.events.contains(.protocolChosen(.v311)))
            #expect(levels.withLock { $0 } == [5, 5, 4])
            let error = try await client.log.failure()
            #expect(error.code == .connackTimedOut)
            #expect(error.remedy.contains("mqtt.protocol"))
        }
    }

    @Test(
        "a broker that is silent for a while is asked in 3.1.1 once in three attempts, and never when it has spoken 5",
        arguments: [false, true])
    func silentForAWhile(hasSpoken5: Bool) async throws {
        let levels = Mutex<[UInt8]>([])
        let peer = try ScriptedPeer { connection in
            guard let connect = connection.packet(), let level = ScriptedPeer.Connection.level(of: connect) else { return }
            let count = levels.withLock { levels in
                levels.append(level)
                return levels.count
            }
            if hasSpoken5 && count == 1 { return connection.write(accepted5) }
            connection.drain()
        }
        let configuration = MQTTConfiguration.local(port: peer.port) { $0.attemptLimit = .milliseconds(500) }
        try await RunningClient.with(configuration, environment: .eager) { _ in
            try await eventually("seven attempts") { levels.withLock { $0.count } >= 7 }
            #expect(levels.withLock { Array($0.prefix(7)) } == (hasSpoken5 ? [5, 5, 5, 5, 5, 5, 5] : [5, 5, 4, 5, 5, 4, 5]))
        }
    }

    @Test("a broker that can't keep messages or takes no QoS 1 gets a plainer will")
    func plainerWill() async throws {
        let flags = Mutex<[UInt8]>([])
        let peer = try ScriptedPeer { connection in
            guard let connect = connection.packet(), connect.count > 9 else { return }
            flags.withLock { $0.append(connect[9] & 0x3C) }
            switch connect[9] {
            case let byte where byte & 0x20 != 0: connection.write([0x20, 0x03, 0x00, 154, 0x00])
            case let byte where byte & 0x18 != 0: connection.write([0x20, 0x03, 0x00, 155, 0x00])
            default:
                connection.write(accepted5)
                connection.drain()
            }
        }
        let will = MQTTMessage(topic: "base/bridge/state", text: "offline", qos: .atLeastOnce, retain: true)
        try await RunningClient.with(.local(port: peer.port) { $0.will = will }, environment: .eager) { client in
            _ = try await client.log.session()
            #expect(flags.withLock { $0 } == [0x2C, 0x0C, 0x04], "will with retain and QoS 1, with QoS 1, plain")
        }
    }

    @Test("a broker without retained messages gets nothing with the retain flag", arguments: [true, false])
    func retainAvailable(isAvailable: Bool) async throws {
        let flags = Mutex<[UInt8]>([])
        let peer = try ScriptedPeer { connection in
            guard connection.packet() != nil else { return }
            // MQTT 5 section 3.2.2.3.5: the property Retain Available.
            connection.write(isAvailable ? accepted5 : [0x20, 0x05, 0x00, 0x00, 0x02, 0x25, 0x00])
            while let packet = connection.packet() {
                guard packet[0] & 0xF0 == 0x30, packet.count > 6 else { continue }
                flags.withLock { $0.append(packet[0] & 0x01) }
                // The packet id comes after the topic "a".
                connection.write([0x40, 0x02, packet[5], packet[6]])
            }
        }
        try await RunningClient.with(.local(port: peer.port), environment: .eager) { client in
            let session = try await client.log.session()
            #expect(session.limits.retainAvailable == isAvailable)
            let message = MQTTMessage(topic: "a", text: "1", qos: .atLeastOnce, retain: true)
            #expect(await client.publish(message, epoch: session.epoch) == .acknowledged(.success))
            #expect(flags.withLock { $0 } == [isAvailable ? 1 : 0])
        }
    }

    @Test("a will's delay goes with a session that lasts as long", arguments: [true, false])
    func willDelay(isWanted: Bool) async throws {
        let connect = Mutex<[UInt8]>([])
        let peer = try ScriptedPeer { connection in
            guard let packet = connection.packet() else { return }
            connect.withLock { $0 = packet }
            connection.write(accepted5)
            connection.drain()
        }
        var will = MQTTMessage(topic: "base/bridge/state", text: "offline", qos: .atLeastOnce, retain: true)
        if isWanted { will.properties.willDelaySeconds = 7 }
        let configuration = MQTTConfiguration.local(port: peer.port) {
            $0.will = will
            if isWanted { $0.sessionExpirySeconds = 7 }
        }
        try await RunningClient.with(configuration, environment: .eager) { client in
            _ = try await client.log.session()
            let packet = connect.withLock { $0 }
            // MQTT 5 sections 3.1.2.11.2 and 3.1.3.2.2; the clean start stays (bit 1 of the flags).
            #expect((packet.firstRange(of: [0x11, 0, 0, 0, 7]) != nil) == isWanted)
            #expect((packet.firstRange(of: [0x18, 0, 0, 0, 7]) != nil) == isWanted)
            #expect(packet[9] & 0x02 != 0)
        }
    }

    @Test("a remembered 3.1.1 is used at once and is not reported again")
    func remembers() async throws {
        let peer = try ScriptedPeer { connection in
            guard let connect = connection.packet(), ScriptedPeer.Connection.level(of: connect) == 4 else { return }
            connection.write(accepted311)
            connection.drain()
        }
        try await RunningClient.with(.local(port: peer.port) { $0.rememberedProtocol = .v311 }, environment: .eager) { client in
            let session = try await client.log.session()
            #expect(client.log.events == [.connected(session)])
        }
    }

    @Test("a broker that knows neither version is not asked in a tight loop")
    func neitherVersion() async throws {
        let count = Mutex(0)
        let peer = try ScriptedPeer { connection in
            guard let connect = connection.packet(), let level = ScriptedPeer.Connection.level(of: connect) else { return }
            count.withLock { $0 += 1 }
            connection.write(level == 5 ? [0x20, 0x03, 0x00, 132, 0x00] : [0x20, 0x02, 0x00, 0x01])
        }
        var environment = MQTTEnvironment.system
        environment.random = { 0.9 }
        try await RunningClient.with(.local(port: peer.port), environment: environment) { client in
            try await client.log.wait { events in
                events.contains {
                    if case .attemptFailed(let error, let delay) = $0 {
                        error.reasonCode == .unsupportedProtocolVersion && delay > .zero
                    } else {
                        false
                    }
                }
            }
            #expect(count.withLock { $0 } <= 3)
        }
    }

    @Test(
        "a DISCONNECT from the broker ends the link with its reason", arguments: [MQTTReasonCode.serverShuttingDown, .administrativeAction])
    func serverDisconnect(reason: MQTTReasonCode) async throws {
        let peer = try ScriptedPeer { connection in
            _ = connection.packet()
            connection.write(accepted5 + [0xE0, 0x02, reason.rawValue, 0x00])
            connection.drain()
        }
        try await RunningClient.with(.local(port: peer.port), environment: .eager) { client in
            let error = try await client.log.end()
            #expect(error.code == .disconnectedByBroker)
            #expect(error.reasonCode == reason)
            _ = try await client.log.session(2)
        }
    }

    @Test("a takeover that the broker reports waits for the longest delay, and has a remedy")
    func takeover() async throws {
        let peer = try ScriptedPeer { connection in
            _ = connection.packet()
            connection.write(accepted5 + [0xE0, 0x02, 142, 0x00])
            connection.drain()
        }
        let (handler, lines) = LogLines.make()
        try await RunningClient.with(.local(port: peer.port), environment: .eager, logger: handler) { client in
            let error = try await client.log.end()
            #expect(error.reasonCode == .sessionTakenOver)
            #expect(!error.isTemporary)
            #expect(error.remedy.contains("`instance`"))
            try await eventually("the log or the state shows it") { lines.all.contains { $0.level == .warning } }
            let warning = lines.all.first { $0.level == .warning }
            #expect(warning?.metadata["remedy"]?.contains("`instance`") == true)
            #expect(warning?.metadata["retry_in"] == "20.0 seconds")
        }
    }

    @Test("an outage is one warning and one line at its end, with its length; repetitions are for debugging")
    func outageLog() async throws {
        let attempts = Mutex(0)
        let peer = try ScriptedPeer { connection in
            let number = attempts.withLock { count in
                count += 1
                return count
            }
            _ = connection.packet()
            if number < 5 { return connection.write([0x20, 0x03, 0x00, 137, 0x00]) }
            connection.write(accepted5)
            connection.drain()
        }
        let (logger, lines) = LogLines.make()
        try await RunningClient.with(.local(port: peer.port), environment: .eager, logger: logger) { client in
            _ = try await client.log.session()
            try await eventually("the log or the state shows it") { lines.all.contains { $0.level == .info } }
            #expect(lines.all.map(\.level) == [.warning, .debug, .debug, .debug, .info])
            #expect(lines.all.first?.metadata["reason"]?.contains("server busy") == true)
            #expect(lines.all.last?.metadata["outage"] != nil)
        }
    }

    @Test("a broker that never sends CONNACK is given up, also behind TLS, without a busy loop", arguments: [false, true])
    func silentBroker(isTLS: Bool) async throws {
        let peer = try ScriptedPeer { $0.drain() }
        let readings = Mutex(0)
        var environment = MQTTEnvironment.system
        environment.now = {
            readings.withLock { $0 += 1 }
            return MQTTEnvironment.system.now()
        }
        let configuration = MQTTConfiguration.local(port: peer.port) {
            $0.attemptLimit = .milliseconds(1500)
            $0.tls = isTLS ? .init() : nil
        }
        try await RunningClient.with(configuration, environment: environment) { client in
            let error = try await client.log.failure()
            #expect(error.code == .connackTimedOut)
            #expect(readings.withLock { $0 } < 200)
        }
    }

    @Test("a peer that closes during the TLS handshake is noticed at once, without a busy loop", arguments: [true, false])
    func closedInHandshake(byReset: Bool) async throws {
        let peer = try ScriptedPeer { connection in
            // Closing with unread bytes resets the connection.
            _ = connection.read(upTo: byReset ? 1 : 4096)
        }
        try await RunningClient.with(.local(port: peer.port) { $0.tls = .init() }) { client in
            let error = try await client.log.failure()
            #expect(error.code == .tlsFailed)
        }
    }

    @Test(
        "the TLS greeting names the configured host, and no host when that is an address",
        arguments: [("localhost", true), ("127.0.0.1", false)])
    func serverName(host: String, isNamed: Bool) async throws {
        let greeting = Mutex<[UInt8]>([])
        let peer = try ScriptedPeer { connection in greeting.withLock { $0 = connection.read() } }
        let configuration = MQTTConfiguration.local(port: peer.port) {
            $0.host = host
            $0.tls = .init()
        }
        var environment = MQTTEnvironment.system
        environment.resolve = { _, port in NumericAddress.resolve("127.0.0.1", port: port, isNumeric: true) }
        try await RunningClient.with(configuration, environment: environment) { client in
            _ = try await client.log.failure()
            let bytes = greeting.withLock { $0 }
            func contains(_ text: String) -> Bool {
                let name = Array(text.utf8)
                return bytes.indices.contains { bytes[$0...].starts(with: name) }
            }
            #expect(bytes.first == 0x16)
            #expect(contains(host) == isNamed)
            #expect(!contains("127.0.0.1"))
        }
    }

    @Test("CONNECT contains the packet limit, keep-alive, login and will")
    func connectPacket() async throws {
        let seen = Mutex<[UInt8]>([])
        let peer = try ScriptedPeer { connection in
            let packet = connection.packet() ?? []
            seen.withLock { $0 = packet }
            connection.write(accepted5)
            connection.drain()
        }
        let configuration = MQTTConfiguration.local(port: peer.port, "id") {
            $0.keepAliveSeconds = 77
            $0.maximumIncomingBytes = 0x1234
            $0.username = "user"
            $0.password = "secret"
            $0.will = MQTTMessage(topic: "w", text: "offline", qos: .atLeastOnce, retain: true, properties: .init(isUTF8: true))
        }
        try await RunningClient.with(configuration) { client in
            _ = try await client.log.session()
            let connect = seen.withLock { $0 }
            let expected: [UInt8] =
                [0, 4] + Array("MQTT".utf8) + [5, 0b1110_1110, 0, 77, 8, 0x27, 0, 0, 0x12, 0x34, 0x21, 0, 20, 0, 2] + Array("id".utf8)
                + [2, 1, 1, 0, 1] + Array("w".utf8) + [0, 7] + Array("offline".utf8) + [0, 4] + Array("user".utf8) + [0, 6]
                + Array("secret".utf8)
            #expect(Array(connect.dropFirst(2)) == expected)
        }
    }

    @Test("a silent link is pinged before it is given up, whatever the keep-alive", arguments: [0, 600] as [UInt16])
    func pings(keepAlive: UInt16) async throws {
        let pings = Mutex(0)
        let peer = try ScriptedPeer { connection in
            _ = connection.packet()
            connection.write(accepted5)
            while let packet = connection.packet() {
                guard packet == [0xC0, 0x00] else { continue }
                let count = pings.withLock { count in
                    count += 1
                    return count
                }
                if count <= 3 { connection.write([0xD0, 0x00]) }
            }
        }
        let configuration = MQTTConfiguration.local(port: peer.port) {
            $0.keepAliveSeconds = keepAlive
            $0.halfOpenLimit = .seconds(2)
        }
        try await RunningClient.with(configuration) { client in
            let error = try await client.log.end()
            #expect(error.code == .halfOpen)
            // Three were answered and one was not; a busy machine sends a few more before the limit, a busy loop thousands.
            #expect((4..<100).contains(pings.withLock { $0 }))
        }
    }

    @Test("a broker that is alive but never acknowledges is disconnected")
    func missingAcknowledgement() async throws {
        let peer = try ScriptedPeer { connection in
            _ = connection.packet()
            connection.write(accepted5)
            while let packet = connection.packet() { if packet[0] == 0xC0 { connection.write([0xD0, 0x00]) } }
        }
        let configuration = MQTTConfiguration.local(port: peer.port) {
            $0.halfOpenLimit = .seconds(2)
            $0.acknowledgementLimit = .seconds(3)
        }
        try await RunningClient.with(configuration) { client in
            _ = try await client.log.session()
            #expect(await client.publish(MQTTMessage(topic: "t", text: "x", qos: .atLeastOnce)) == .connectionLost)
            let error = try await client.log.end()
            #expect(error.code == .acknowledgementTimedOut)
        }
    }

    @Test("nothing of a former link is sent over the next one")
    func nothingIsResent() async throws {
        let publishes = Mutex<[[UInt8]]>([])
        let peer = try ScriptedPeer { connection in
            _ = connection.packet()
            connection.write(accepted5)
            while let packet = connection.packet() {
                guard packet[0] & 0xF0 == 0x30 else { continue }
                publishes.withLock { $0.append(packet) }
                if connection.number == 1 { return }
                // PUBACK for packet id 1.
                connection.write([0x40, 0x02, 0x00, 0x01])
            }
        }
        try await RunningClient.with(.local(port: peer.port), environment: .eager) { client in
            _ = try await client.log.session()
            #expect(await client.publish(MQTTMessage(topic: "a", text: "old", qos: .atLeastOnce)) == .connectionLost)
            _ = try await client.log.session(2)
            #expect(await client.publish(MQTTMessage(topic: "a", text: "late", qos: .atLeastOnce), epoch: 1) == .refused(.notConnected))
            #expect(await client.publish(MQTTMessage(topic: "a", text: "new", qos: .atLeastOnce), epoch: 2) == .acknowledged(.success))
            let payloads = publishes.withLock { $0.map { String(decoding: $0.suffix(3), as: UTF8.self) } }
            #expect(payloads == ["old", "new"])
        }
    }

    @Test(
        "garbage from the peer ends the attempt or the link, nothing else",
        arguments: [
            [0x20, 0x03, 0x00, 0x00, 0x00, 0x00, 0x00], [0x20, 0x03, 0x00, 0x00, 0x00, 0xFF, 0xFF],
            [0x20, 0x03, 0x00, 0x00, 0x00, 0x30, 0x01, 0x00],
            [0x20, 0x03, 0x00, 0x00, 0x00, 0x90, 0x00], [0x20, 0x03, 0x00, 0x00, 0x00, 0x90, 0x03, 0x00, 0x09, 0x00],
            [0x20, 0x03, 0x00, 0x00, 0x00, 0x40, 0x02, 0x00, 0x00], [0x20, 0x01, 0x00], [0xFF, 0xFF, 0xFF, 0xFF, 0xFF], [0x00, 0x00],
            [0x30, 0x00], [],
            Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8),
        ] as [[UInt8]])
    func garbage(bytes: [UInt8]) async throws {
        let peer = try ScriptedPeer { connection in
            if connection.number == 1 {
                _ = connection.packet()
                connection.write(bytes)
                return
            }
            _ = connection.packet()
            connection.write(accepted5)
            connection.drain()
        }
        try await RunningClient.with(.local(port: peer.port, protocolVersion: .v5), environment: .eager) { client in
            try await client.log.wait { events in
                guard case .connected? = events.last else { return false }
                return events.count > 1
            }
        }
    }
}
