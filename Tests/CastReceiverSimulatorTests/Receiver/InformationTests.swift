import CastProtocol
import Testing

@testable import CastReceiverSimulator

@Suite struct InformationTests {
    static let discovery = "urn:x-cast:com.google.cast.receiver.discovery"
    static let multizone = "urn:x-cast:com.google.cast.multizone"
    static let setup = "urn:x-cast:com.google.cast.setup"

    @Test(
        "GET_DEVICE_INFO reports the announced id in the two forms that are in use",
        arguments: [(DeviceModel.nestHub, "GET_DEVICE_INFO"), (.androidTV, "DEVICE_INFO")])
    func deviceInformation(model: DeviceModel, type: String) throws {
        var probe = Probe(model)
        let answer = try #require(probe.ask(["type": "GET_DEVICE_INFO"], Self.discovery).first?.json)
        #expect(answer["type"]?.text == type)
        #expect(answer["deviceId"]?.text == probe.model.description.id)
        #expect(answer["friendlyName"] == "Kitchen (simulated)")
        #expect(answer["deviceCapabilities"]?.int == model.capabilities)
    }

    @Test("eureka_info on the setup namespace answers with request_id and what was asked for")
    func eureka() throws {
        var probe = Probe()
        probe.sent = []
        probe.send(["type": "eureka_info", "request_id": 5, "data": ["params": ["name", "device_info.ssdp_udn"]]], Self.setup)
        probe.pass(.milliseconds(60))
        let answer = try #require(probe.sent.first?.json)
        #expect(answer["request_id"] == 5)
        #expect(answer["response_code"] == 200)
        #expect(answer["data"] == ["name": "Kitchen (simulated)", "device_info": ["ssdp_udn": "01234567-89ab-cdef-0123-456789abcdef"]])
    }

    @Test("without parameters the document is the flat one of old firmware")
    func flat() {
        let document = Probe().model.eurekaInformation(parameters: nil, at: .seconds(5))
        #expect(document["ssdp_udn"] == "01234567-89ab-cdef-0123-456789abcdef")
        #expect(document["uptime"]?.int == 5)
    }

    static let members = [
        GroupMember(id: String(repeating: "1", count: 32), name: "One", volume: Volume(level: 0.2)),
        GroupMember(id: String(repeating: "2", count: 32), name: "Two", volume: Volume(level: 0.6)),
    ]

    @Test("a group lists its members; its volume is their average and setting it keeps their ratio")
    func group() throws {
        var probe = Probe(.group, members: Self.members)
        let status = try #require(probe.ask(["type": "GET_STATUS"], Self.multizone).first?.json["status"])
        #expect(status["devices"]?.elements?.map { $0["name"]?.text } == ["One", "Two"])
        #expect(status["devices"]?.elements?.first?["deviceId"] == "11111111-1111-1111-1111-111111111111")
        let answer = try #require(probe.ask(["type": "SET_VOLUME", "volume": ["level": 0.2]]).first?.status)
        let level = try #require(answer["volume"]?["level"]?.double)
        #expect(abs(level - 0.2) < 0.001)
        let shares = probe.others.compactMap { if case .setMemberVolume(_, let change) = $0 { change.level } else { nil } }
        #expect(shares.count == 2)
        #expect(abs(shares[0] - 0.1) < 0.001 && abs(shares[1] - 0.3) < 0.001)
        #expect(probe.sent.filter { $0.type == "DEVICE_UPDATED" }.count == 2)
    }

    @Test("a member's own change updates the group and is reported")
    func memberChange() {
        var probe = Probe(.group, members: Self.members)
        probe.sent = []
        probe.take(probe.model.memberVolumeChanged(id: Self.members[0].id, to: Volume(level: 1, isMuted: true), at: probe.now))
        #expect(probe.sent.map(\.type) == ["DEVICE_UPDATED", "RECEIVER_STATUS"])
        #expect(abs((probe.state["volume"]?.double ?? 0) - 0.8) < 0.001)
        #expect(probe.state["muted"] == false)
        #expect(probe.others.isEmpty)
    }

    @Test("muting a group mutes every member, and a silent member stays silent")
    func groupMute() {
        var members = Self.members
        members[0].volume.level = 0
        var probe = Probe(.group, members: members)
        _ = probe.ask(["type": "SET_VOLUME", "volume": ["muted": true]])
        #expect(probe.state["muted"] == true)
        _ = probe.ask(["type": "SET_VOLUME", "volume": ["level": 0.1]])
        #expect(probe.state["members"]?.elements?.first?["volume"]?["level"]?.double == 0)
    }

    @Test("an authentication challenge is passed to the owner of the keys, without a virtual connection")
    func challenge() {
        var probe = Probe()
        let message = CastMessage(
            sourceID: "sender-7", destinationID: "receiver-0", namespace: "urn:x-cast:com.google.cast.tp.deviceauth",
            payload: .binary([1, 2]))
        probe.take(probe.model.received(message, on: 1, at: probe.now))
        #expect(probe.others == [.authenticate(challenge: [1, 2], sender: "sender-7", on: 1)])
    }
}
