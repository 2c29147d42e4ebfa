import CastProtocol
import TestSupport
import Testing

@testable import CastReceiverSimulator

@Suite(.timeLimit(.minutes(5))) struct ConversationTests {
    @Test("the dialogue of every sender works over TLS: connect, launch, load, pause")
    func dialogue() async throws {
        try await TestFleet.with(TestFleet.configuration()) { fleet in
            let sender = try await RawSender.connect(fleet, "sim-001")
            try await sender.handshake()
            let status = try await sender.ask(["type": "LAUNCH", "requestId": 2, "appId": "CC1AD845"])
            let transport = try #require(status["status"]?["applications"]?.elements?.first?["transportId"]?.text)
            sender.send(["type": "CONNECT"], Probe.connection, to: transport)
            var load = Probe.load("http://media/film?duration=100")
            load["requestId"] = 3
            let loaded = try await sender.ask(load, Probe.media, to: transport)
            let session = try #require(loaded["status"]?.elements?.first?["mediaSessionId"])
            _ = try await sender.expectMessage { $0["status"]?.elements?.first?["playerState"] == "PLAYING" }
            let paused = try await sender.ask(["type": "PAUSE", "requestId": 4, "mediaSessionId": session], Probe.media, to: transport)
            #expect(paused["status"]?.elements?.first?["playerState"] == "PAUSED")
            #expect(try await fleet.control("sim-001", .state)["player"] == "PAUSED")
            await sender.close()
            try await eventually("the connection is closed") { try await fleet.control("sim-001", .state)["sockets"] == 0 }
        }
    }

    @Test("two senders of one device are in step")
    func broadcast() async throws {
        try await TestFleet.with(TestFleet.configuration()) { fleet in
            let (one, other) = (try await RawSender.connect(fleet, "sim-001"), try await RawSender.connect(fleet, "sim-001"))
            try await one.handshake()
            try await other.handshake()
            _ = try await one.ask(["type": "SET_VOLUME", "requestId": 2, "volume": ["level": 0.75]])
            let reported = try await other.expectMessage { $0["requestId"] == 0 }
            #expect(reported["status"]?["volume"]?["level"]?.double == 0.75)
        }
    }

    @Test("a group's volume moves its members, and a member's moves the group")
    func group() async throws {
        try await TestFleet.with(TestFleet.configuration(devices: 4, groups: 1)) { fleet in
            let members = fleet.plan.devices[4].members.map(\.id)
            let names = fleet.plan.devices.filter { members.contains($0.id) }.map(\.controlName)
            let sender = try await RawSender.connect(fleet, "group-001")
            try await sender.handshake()
            _ = try await sender.ask(["type": "SET_VOLUME", "requestId": 2, "volume": ["muted": true]])
            try await eventually("every member is mute") {
                for name in names where try await fleet.control(name, .state)["muted"] != true { return false }
                return true
            }
            try await fleet.control(names[0], .remote(.volume(VolumeChange(isMuted: false))))
            let reported = try await sender.expectMessage { $0["type"] == "RECEIVER_STATUS" && $0["status"]?["volume"]?["muted"] == false }
            #expect(reported["requestId"] == 0)
            let multizone = try await sender.ask(["type": "GET_STATUS", "requestId": 3], InformationTests.multizone)
            #expect(multizone["status"]?["devices"]?.elements?.count == members.count)
        }
    }

    @Test("an authentication challenge is answered by a response for the certificate of the connection")
    func authentication() async throws {
        try await TestFleet.with(TestFleet.configuration()) { fleet in
            let sender = try await RawSender.connect(fleet, "sim-001")
            let challenge = CastMessage(
                sourceID: "sender-0", destinationID: "receiver-0", namespace: "urn:x-cast:com.google.cast.tp.deviceauth",
                payload: .binary([0x0A, 0x04, 0x12, 0x02, 0x41, 0x42]))
            sender.channel.writeAndFlush(challenge, promise: nil)
            let answer = try await sender.expect { event -> [UInt8]? in
                if case .message(let message, _) = event, case .binary(let bytes) = message.payload { bytes } else { nil }
            }
            let response = try #require(ProtobufMessage(answer)?.bytes(2).flatMap(ProtobufMessage.init))
            #expect(response.bytes(5) == [0x41, 0x42])
        }
    }

    @Test(
        "invalid frames end the connection of their sender, and no other",
        arguments: [[0, 0, 0, 0], [0, 1, 0, 1], [0, 0, 0, 2, 0xFF, 0xFF]] as [[UInt8]])
    func hostileFrames(bytes: [UInt8]) async throws {
        try await TestFleet.with(TestFleet.configuration()) { fleet in
            let (good, bad) = (try await RawSender.connect(fleet, "sim-001"), try await RawSender.connect(fleet, "sim-001"))
            try await good.handshake()
            try await bad.sendBelowFraming(bytes)
            try await bad.expectEnd()
            _ = try await good.ask(["type": "GET_STATUS", "requestId": 9])
        }
    }
}
