import CastModels
import CastProtocol
import CastTestSupport
import Logging
import NIOCore
import Testing

@testable import CastAuthentication
@testable import CastSender

@Suite struct SessionAuthenticationTests {
    /// How the device answers the challenge.
    enum Manner: CaseIterable { case genuine, wrong, error, rubbish, silent }

    private static func answer(_ manner: Manner) -> [UInt8]? {
        func field(_ number: UInt8, _ bytes: [UInt8]) -> [UInt8] {
            var (length, value) = ([UInt8](), bytes.count)
            while value >= 0x80 {
                length.append(UInt8(value & 0x7F) | 0x80)
                value >>= 7
            }
            return [number << 3 | 2] + length + [UInt8(value)] + bytes
        }
        switch manner {
        case .genuine: return field(2, GoldenVector.response)
        case .wrong:
            var response = GoldenVector.response
            response[20] ^= 1
            return field(2, response)
        case .error: return field(3, [0x08, 0x00])
        case .rubbish: return [0xFF, 0xFF]
        case .silent: return nil
        }
    }

    private struct AuthenticatingWorld: World {
        let virtual = VirtualLoop()
        let receiver = FakeReceiver()
        let connector: MemoryConnector
        let log = LinkEventLog()
        let clock = Locked(GoldenVector.now)
        let supervisor: DeviceSupervisor

        init(
            _ mode: DeviceAuthentication.Mode, _ manner: Manner, anchors: TrustAnchors?, keys: DeviceKeys = DeviceKeys(),
            device: Device.ID? = "aa11", random: Double = 0.5, logger: Logger = Logger(label: "test")
        ) {
            self.connector = MemoryConnector(self.virtual)
            let receiver = self.receiver
            self.connector.route("10.0.0.1", to: .receiver(receiver))
            self.receiver.set { $0.challengeAnswer = SessionAuthenticationTests.answer(manner) }
            var authentication = DeviceAuthentication(mode: mode, anchors: anchors, keys: keys)
            authentication.surroundings.nonce = { GoldenVector.nonce }
            let clock = self.clock
            authentication.surroundings.wallClock = { clock.value }
            authentication.surroundings.earliestTime = GoldenVector.now - 86_400
            authentication.surroundings.peerCertificate = { $0.eventLoop.makeSucceededFuture(GoldenVector.tlsCertificate) }
            let (log, loop) = (self.log, self.virtual.loop)
            self.supervisor = DeviceSupervisor(
                device: device, endpoints: [DeviceEndpoint(host: "10.0.0.1")], eventLoop: loop, connector: self.connector,
                handshakeGate: HandshakeGate(), random: { random }, authentication: authentication, logger: logger,
                onEvent: { log.add($0, at: loop.now) })
        }

        func run() async -> Task<Void, Never> {
            let supervisor = self.supervisor
            return await self.virtual.start { await supervisor.run() }
        }
    }

    private static func anchors() throws -> TrustAnchors { try TrustAnchors(devicesPEM: GoldenVector.rootPEM) }

    @Test("reporting never stops a session", arguments: Manner.allCases)
    func report(manner: Manner) async throws {
        let world = AuthenticatingWorld(.report, manner, anchors: try Self.anchors())
        let task = await world.run()
        await world.virtual.advance(.seconds(1))
        #expect(world.log.readyTimes.count == 1)
        let session = try #require(await world.supervisor.session)
        if manner == .silent {
            #expect(await session.authentication == nil)
            await world.virtual.advance(.seconds(5))
        }
        let verdict = await session.authentication?.verdict
        let expected: CastError.Code? =
            switch manner {
            case .genuine: nil
            case .wrong: .deviceAuthenticationFailure
            case .error: .authenticationErrorReceived
            case .rubbish: .authenticationMessageUnreadable
            case .silent: .authenticationTimeout
            }
        if let expected {
            guard case .failed(let error)? = verdict else {
                Issue.record("it should have failed: \(String(describing: verdict))")
                return
            }
            #expect(error.code == expected)
        } else {
            #expect(verdict == .authentic)
        }
        #expect(world.log.lossTimes.isEmpty)
        await world.end(task)
    }

    @Test("the challenge is the first message on the link, with our nonce and SHA-256")
    func first() async throws {
        let world = AuthenticatingWorld(.report, .genuine, anchors: nil)
        let task = await world.run()
        await world.virtual.advance(.seconds(1))
        let first = world.receiver.set { $0.messages }.first
        #expect(first?.namespace == CastNamespace.deviceAuthentication)
        #expect(first?.payload == .binary([0x0A, 0x14, 0x12, 0x10] + GoldenVector.nonce + [0x18, 0x01]))
        await world.end(task)
    }

    @Test("a device that fails is not talked to where proof is required, and tried again", arguments: Manner.allCases)
    func require(manner: Manner) async throws {
        let world = AuthenticatingWorld(.require, manner, anchors: try Self.anchors())
        let task = await world.run()
        await world.virtual.advance(.seconds(6))
        let namespaces = world.receiver.set { $0.messages }.map(\.namespace).filter { $0 != CastNamespace.heartbeat }
        if manner == .genuine {
            #expect(world.log.readyTimes.count == 1)
        } else {
            #expect(world.log.readyTimes.isEmpty)
            #expect(Set(namespaces.filter { $0 != CastNamespace.connection }) == [CastNamespace.deviceAuthentication])
            #expect(world.log.events.contains { if case .attemptFailed = $0 { true } else { false } })
        }
        await world.end(task)
    }

    @Test("a sighting each second does not shorten the back-off of a device whose certificate has another root", arguments: [false, true])
    func wrongRoot(isSighted: Bool) async throws {
        let strangers = try TestChain.anchors(try TestChain.chain().root)
        let world = AuthenticatingWorld(.require, .genuine, anchors: strangers, random: 1)
        let task = await world.run()
        for _ in 0..<75 {
            await world.virtual.advance(.seconds(1))
            if isSighted { world.supervisor.wake() }
        }
        #expect(world.log.readyTimes.isEmpty)
        #expect(world.connector.attempts.count == 8, "after 0, 1, 3, 7, 15, 31, 51 and 71 seconds")
        await world.end(task)
    }

    @Test("reporting waits with its verdict until the clock is set", arguments: [(.genuine, true), (.wrong, false)] as [(Manner, Bool)])
    func reportWithoutClock(manner: Manner, isAuthentic: Bool) async throws {
        let world = AuthenticatingWorld(.report, manner, anchors: try Self.anchors())
        world.clock.value = 60
        let task = await world.run()
        await world.virtual.advance(.minutes(3), step: .seconds(1))
        #expect(world.log.readyTimes.count == 1 && world.log.lossTimes.isEmpty)
        let session = try #require(await world.supervisor.session)
        #expect(await session.authentication == nil)
        world.clock.value = GoldenVector.now
        await world.virtual.advance(.seconds(31), step: .seconds(1))
        let verdict = await session.authentication?.verdict
        #expect((verdict == .authentic) == isAuthentic && verdict != nil)
        #expect(world.log.readyTimes.count == 1 && world.log.lossTimes.isEmpty)
        await world.end(task)
    }

    @Test("where proof is required, devices are tried on until the clock is set", arguments: [true, false])
    func requireWithoutClock(hasAnchors: Bool) async throws {
        let keys = DeviceKeys()
        let world = AuthenticatingWorld(.require, .genuine, anchors: hasAnchors ? try Self.anchors() : nil, keys: keys)
        world.clock.value = 60
        let task = await world.run()
        await world.virtual.advance(.minutes(3), step: .seconds(1))
        #expect(world.log.readyTimes.isEmpty && keys.fingerprints.isEmpty)
        let reasons = world.log.events.compactMap { if case .attemptFailed(let error, _, _) = $0 { error.reason } else { nil } }
        #expect(reasons.count > 5 && Set(reasons) == ["clock_not_set"])
        world.clock.value = GoldenVector.now
        await world.virtual.advance(.seconds(30), step: .seconds(1))
        #expect(world.log.readyTimes.count == 1 && keys.fingerprints.count == 1)
        await world.end(task)
    }

    @Test("off asks nothing")
    func off() async throws {
        let world = AuthenticatingWorld(.off, .genuine, anchors: nil)
        let task = await world.run()
        await world.virtual.advance(.seconds(1))
        #expect(!world.receiver.set { $0.messages }.contains { $0.namespace == CastNamespace.deviceAuthentication })
        #expect(world.log.readyTimes.count == 1)
        await world.end(task)
    }

    @Test(
        "without anchors the remembered key decides",
        arguments: [(nil, true, false), ("same", true, false), ("other", false, true)] as [(String?, Bool, Bool)])
    func continuity(former: String?, isAccepted: Bool, isChanged: Bool) async throws {
        let fingerprint = try #require(
            AuthenticationCheck(
                tlsCertificate: GoldenVector.tlsCertificate, nonce: GoldenVector.nonce, anchors: nil, capabilities: nil,
                now: GoldenVector.now
            ).judge(try AuthenticationResponse(serialized: GoldenVector.response)).keyFingerprint)
        let keys = DeviceKeys(former.map { ["aa11": $0 == "same" ? fingerprint : "00"] } ?? [:])
        let world = AuthenticatingWorld(.require, .genuine, anchors: nil, keys: keys)
        let task = await world.run()
        await world.virtual.advance(.milliseconds(100))
        #expect(world.log.readyTimes.count == (isAccepted ? 1 : 0))
        #expect(keys.fingerprints["aa11"] == (isChanged ? "00" : fingerprint))
        if let session = await world.supervisor.session {
            #expect(await session.authentication?.verdict == .unverified)
            #expect(await session.authentication?.keyContinuity == (former == nil ? .firstSeen : .unchanged))
        }
        if isChanged {
            keys.forget("aa11")
            await world.virtual.advance(.seconds(30))
            #expect(world.log.readyTimes.count == 1)
        }
        await world.end(task)
    }

    @Test("messages of a device before its proof are ignored where proof is required", arguments: [false, true])
    func statusFirst(provesItselfLater: Bool) async throws {
        let world = AuthenticatingWorld(.require, .silent, anchors: try Self.anchors())
        world.receiver.set { $0.application = FakeReceiver.Application() }
        world.receiver.set { $0.media = FakeReceiver.Media() }
        let task = await world.run()
        await world.virtual.advance(.milliseconds(20))
        world.receiver.sendReceiverStatus()
        world.receiver.sendMediaStatus()
        world.receiver.sendToAll(
            CastNamespace.discovery, from: "receiver-0", to: "*", #"{"type":"GET_DEVICE_INFO","requestId":0,"deviceId":"aa11"}"#)
        await world.virtual.advance(.seconds(1))
        #expect(world.log.events == [.connecting])
        let namespaces = Set(world.receiver.set { $0.messages }.map(\.namespace))
        #expect(namespaces.subtracting([CastNamespace.heartbeat]) == [CastNamespace.deviceAuthentication])
        if provesItselfLater {
            let answer = try #require(Self.answer(.genuine))
            world.receiver.sendBinary(CastNamespace.deviceAuthentication, from: "receiver-0", to: "*", answer)
            await world.virtual.advance(.seconds(1))
            #expect(world.log.readyTimes.count == 1)
            #expect(world.receiver.journal.count { $0.type == "CONNECT" && $0.destination == "receiver-0" } == 1)
        } else {
            await world.virtual.advance(.seconds(5))
            #expect(world.log.readyTimes.isEmpty)
            #expect(world.log.events.contains { if case .attemptFailed = $0 { true } else { false } })
        }
        await world.end(task)
    }

    @Test("without anchors, a device that never reports its id must have the remembered key", arguments: [false, true])
    func neverReportsID(isKeyKnown: Bool) async throws {
        let fingerprint = try #require(
            AuthenticationCheck(
                tlsCertificate: GoldenVector.tlsCertificate, nonce: GoldenVector.nonce, anchors: nil, capabilities: nil,
                now: GoldenVector.now
            ).judge(try AuthenticationResponse(serialized: GoldenVector.response)).keyFingerprint)
        let keys = DeviceKeys(isKeyKnown ? ["aa11": fingerprint] : [:])
        let world = AuthenticatingWorld(.require, .genuine, anchors: nil, keys: keys)
        world.receiver.set { ($0.answersDeviceInformation, $0.answersEureka) = (false, false) }
        let task = await world.run()
        await world.virtual.advance(.seconds(8))
        #expect(world.log.readyTimes.count == (isKeyKnown ? 1 : 0))
        let reasons = world.log.events.compactMap { if case .attemptFailed(let error, _, _) = $0 { error.reason } else { nil } }
        #expect(reasons.first == (isKeyKnown ? nil : "id_unknown"))
        #expect(keys.fingerprints == (isKeyKnown ? ["aa11": fingerprint] : [:]))
        await world.end(task)
    }

    @Test("full keys are warned about once")
    func fullKeys() async throws {
        let keys = DeviceKeys(Dictionary(uniqueKeysWithValues: (1...DeviceKeys.limit).map { ("d\($0)", "k\($0)") }))
        let recorder = LogRecorder()
        for id in ["aa11", "bb22"] {
            let world = AuthenticatingWorld(
                .report, .genuine, anchors: try Self.anchors(), keys: keys, device: id, logger: recorder.logger(.debug))
            world.receiver.set { $0.id = id }
            let task = await world.run()
            await world.virtual.advance(.seconds(1))
            #expect(keys.fingerprints[id] != nil)
            await world.end(task)
        }
        let lines = recorder.lines.filter { $0.hasSuffix("device keys full; key of another device forgotten") }
        #expect(lines.map { $0.prefix { $0 != " " } } == ["warning", "debug"])
    }

    /// Why a key should not be remembered.
    enum Doubt: CaseIterable { case chainFails, otherDevice, noAnswer }

    @Test("only the key of a device whose proof did not fail and that reports the expected id is remembered", arguments: Doubt.allCases)
    func notRemembered(doubt: Doubt) async throws {
        let keys = DeviceKeys()
        let strangers = try TestChain.anchors(try TestChain.chain().root)
        let world = AuthenticatingWorld(.report, .genuine, anchors: doubt == .chainFails ? strangers : nil, keys: keys)
        world.receiver.set { state in
            switch doubt {
            case .chainFails: break
            case .otherDevice: state.id = "cc33"
            case .noAnswer: (state.answersDeviceInformation, state.answersEureka) = (false, false)
            }
        }
        let task = await world.run()
        await world.virtual.advance(.seconds(8))
        #expect(world.receiver.journal.contains { $0.type == "GET_DEVICE_INFO" })
        #expect(keys.fingerprints.isEmpty)
        await world.end(task)
    }

    /// The remembered key of a device that reports its id only over the link.
    enum Former: CaseIterable { case none, same, other, idNotReported }

    @Test("without anchors, a device must report its id and have its remembered key", arguments: Former.allCases)
    func anyAnswer(former: Former) async throws {
        let fingerprint = try #require(
            AuthenticationCheck(
                tlsCertificate: GoldenVector.tlsCertificate, nonce: GoldenVector.nonce, anchors: nil, capabilities: nil,
                now: GoldenVector.now
            ).judge(try AuthenticationResponse(serialized: GoldenVector.response)).keyFingerprint)
        let keys = DeviceKeys(former == .same ? ["aa11": fingerprint] : former == .other ? ["aa11": "00"] : [:])
        let world = AuthenticatingWorld(.require, .genuine, anchors: nil, keys: keys, device: nil)
        if former == .idNotReported { world.receiver.set { ($0.answersDeviceInformation, $0.answersEureka) = (false, false) } }
        let task = await world.run()
        await world.virtual.advance(.seconds(8))
        let isAccepted = former == .none || former == .same
        #expect(world.log.readyTimes.count == (isAccepted ? 1 : 0))
        #expect(world.log.events.contains { if case .identified = $0 { true } else { false } } == isAccepted)
        #expect(keys.fingerprints == (former == .other ? ["aa11": "00"] : former == .idNotReported ? [:] : ["aa11": fingerprint]))
        if let session = await world.supervisor.session {
            #expect(await session.authentication?.keyContinuity == (former == .none ? .firstSeen : .unchanged))
        }
        await world.end(task)
    }
}
