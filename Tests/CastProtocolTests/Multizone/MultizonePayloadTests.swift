import CastModels
import Testing

@testable import CastProtocol

@Suite("Multizone namespace")
struct MultizonePayloadTests {
    private static let kitchen: MultizoneDevice = {
        var device = MultizoneDevice(
            id: "0a1bc3", friendlyName: "Kitchen", capabilities: DeviceCapabilities(rawValue: 196_612),
            volume: DeviceVolume(level: 0.25, isMuted: false))
        device.spelledID = "0A1B-C3"
        return device
    }()
    private static let kitchenJSON =
        #"{"deviceId":"0A1B-C3","name":"Kitchen","capabilities":196612,"volume":{"level":0.25,"muted":false}}"#

    static let messages: [(String, MultizoneMessage)] = [
        (
            #"{"type":"MULTIZONE_STATUS","requestId":0,"status":{"isMultichannel":false,"devices":[\#(kitchenJSON),{"name":"no id"},null]}}"#,
            .status(MultizoneStatus(devices: [kitchen], isMultichannel: false))
        ),
        (#"{"type":"MULTIZONE_STATUS","devices":[]}"#, .status(MultizoneStatus())),
        (
            #"{"type":"MULTIZONE_STATUS","status":{"devices":[{"deviceId":"x","capabilities":"5"}]}}"#,
            .status(MultizoneStatus(devices: [.init(id: "x", capabilities: [.videoOut, .audioOut])]))
        ),
        (#"{"type":"DEVICE_ADDED","requestId":0,"device":\#(kitchenJSON)}"#, .deviceAdded(kitchen)),
        (#"{"type":"DEVICE_UPDATED","requestId":0,"device":\#(kitchenJSON)}"#, .deviceUpdated(kitchen)),
        (#"{"type":"DEVICE_ADDED"}"#, .unknown(type: "DEVICE_ADDED")),
        (#"{"type":"DEVICE_REMOVED","requestId":0,"deviceId":"0A1B-C3"}"#, .deviceRemoved("0a1bc3")),
        (#"{"type":"DEVICE_REMOVED","device":{"deviceId":"0a1bc3"}}"#, .deviceRemoved("0a1bc3")),
        (#"{"type":"DEVICE_REMOVED","deviceId":"a/b"}"#, .unknown(type: "DEVICE_REMOVED")),
        (
            #"{"type":"MULTIZONE_STATUS","status":{"devices":[],"playbackSession":{"appAllowsGrouping":true,"isVideoContent":false,"streamTransferSupported":1}}}"#,
            .status(MultizoneStatus(playbackSession: .init(appAllowsGrouping: true, isVideoContent: false)))
        ),
        (
            #"{"type":"CASTING_GROUPS","requestId":1,"groups":[{"deviceId":"AA-11","name":"Downstairs"},{"name":"no id"}]}"#,
            .castingGroups([CastingGroup(id: "aa11", friendlyName: "Downstairs")])
        ),
        (
            #"{"type":"CASTING_GROUPS","requestId":1,"status":{"groups":[{"deviceId":"AA-11"}]}}"#,
            .castingGroups([CastingGroup(id: "aa11")])
        ),
        (#"{"type":"CASTING_GROUPS","requestId":1}"#, .castingGroups([])),
        (#"{"type":"PLAYBACK_SESSION_UPDATED","requestId":0}"#, .playbackSessionUpdated),
        (
            #"{"type":"INVALID_REQUEST","requestId":3,"reason":"INVALID_COMMAND"}"#,
            .invalidRequest(RequestFailure(type: "INVALID_REQUEST", reason: "INVALID_COMMAND"))
        ),
    ]

    @Test("payloads are read", arguments: Self.messages)
    func reads(json: String, message: MultizoneMessage) throws {
        #expect(try received(CastNamespace.multizone, json).content == .multizone(message))
    }

    @Test("a member's level and mute are asked for in the words that senders use")
    func memberVolume() {
        #expect(
            MultizoneMessage.setVolume(DeviceVolume(level: 0.5), of: "aa11", requestID: 3)
                == #"{"type":"SET_DEVICE_VOLUME","requestId":3,"deviceId":"aa11","volume":{"level":0.5}}"#)
        #expect(
            MultizoneMessage.setVolume(DeviceVolume(isMuted: true), of: "aa11", requestID: 4)
                == #"{"type":"SET_VOLUME","requestId":4,"deviceId":"aa11","volume":{"muted":true}}"#)
        #expect(MultizoneMessage.getCastingGroups(requestID: 5) == #"{"type":"GET_CASTING_GROUPS","requestId":5}"#)
    }

    @Test("the status is asked for")
    func request() { #expect(MultizoneMessage.getStatus(requestID: 6) == #"{"type":"GET_STATUS","requestId":6}"#) }

    @Test(
        "device ids are compared in one form",
        arguments: [
            ("7C3F0A1B-AAAA-bbbb-cccc-0123456789ab", "7c3f0a1baaaabbbbcccc0123456789ab"), ("abc", "abc"), ("", nil), ("--", nil),
            ("a/b", nil),
            ("ä", nil), (String(repeating: "a", count: 64), String(repeating: "a", count: 64)), (String(repeating: "a", count: 65), nil),
        ] as [(String, String?)])
    func normalizedIDs(text: String, id: String?) { #expect(Device.id(normalizing: text) == id) }
}
