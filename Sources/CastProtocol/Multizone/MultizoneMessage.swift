@_spi(JSON) import CastModels

/// A payload of the multizone namespace: the members of groups.
package enum MultizoneMessage: Sendable, Hashable {
    /// MULTIZONE_STATUS: all members known so far; an early answer may contain only some of them.
    case status(MultizoneStatus)
    case deviceAdded(MultizoneDevice)
    case deviceUpdated(MultizoneDevice)
    case deviceRemoved(Device.ID)
    /// CASTING_GROUPS: the groups a speaker belongs to.
    case castingGroups([CastingGroup])
    /// PLAYBACK_SESSION_UPDATED: the playback was moved to other speakers, or they were added to it.
    case playbackSessionUpdated
    /// INVALID_REQUEST, from devices that are not groups.
    case invalidRequest(RequestFailure)
    case unknown(type: String)

    init(_ object: JSONView) {
        let type = ReceivedPayload.type(of: object)
        switch type {
        case "MULTIZONE_STATUS": self = .status(MultizoneStatus(wire: object.object(PayloadKey.status) ?? object))
        case "DEVICE_ADDED", "DEVICE_UPDATED":
            let make = type == "DEVICE_ADDED" ? Self.deviceAdded : Self.deviceUpdated
            self = object.object("device").flatMap(MultizoneDevice.init(wire:)).map(make) ?? .unknown(type: type)
        case "DEVICE_REMOVED":
            let id = object.text("deviceId") ?? object.object("device")?.text("deviceId")
            self = id.flatMap(Device.id(normalizing:)).map(Self.deviceRemoved) ?? .unknown(type: type)
        case "CASTING_GROUPS":
            let groups = object["groups"]?.arrayView ?? object.object(PayloadKey.status)?["groups"]
            self = .castingGroups(groups?.objects(CastingGroup.init(wire:)) ?? [])
        case "PLAYBACK_SESSION_UPDATED": self = .playbackSessionUpdated
        case "INVALID_REQUEST": self = .invalidRequest(RequestFailure(object))
        default: self = .unknown(type: type)
        }
    }

    package static func getStatus(requestID: Int) -> String { PayloadText.make(type: "GET_STATUS", requestID: requestID) }

    package static func getCastingGroups(requestID: Int) -> String { PayloadText.make(type: "GET_CASTING_GROUPS", requestID: requestID) }

    /// Returns the request for one member's level or mute, which have different types. They come from OpenCastSwift
    /// (`MultizoneControlChannel.swift`), the only public sender that has them; they are not verified on devices.
    ///
    /// - Parameter member: the id as the group spells it.
    package static func setVolume(_ volume: DeviceVolume, of member: String, requestID: Int) -> String {
        PayloadText.make(type: volume.level == nil ? "SET_VOLUME" : "SET_DEVICE_VOLUME", requestID: requestID) { writer in
            writer.member("deviceId", member)
            volume.writeChange(to: &writer)
        }
    }
}

extension MultizoneStatus {
    init(wire object: JSONView) {
        self.init(
            devices: object.objects("devices", MultizoneDevice.init(wire:)) ?? [],
            isMultichannel: object.flag("isMultichannel"),
            playbackSession: object.object("playbackSession").map(PlaybackSession.init(wire:)))
    }
}

extension MultizoneStatus.PlaybackSession {
    init(wire object: JSONView) {
        self.init(
            appAllowsGrouping: object.flag("appAllowsGrouping"), isVideoContent: object.flag("isVideoContent"),
            streamTransferSupported: object.flag("streamTransferSupported"))
    }
}

extension CastingGroup {
    init?(wire object: JSONView) {
        guard let id = object.text("deviceId").flatMap(Device.id(normalizing:)) else { return nil }
        self.init(id: id, friendlyName: object.name("name"))
    }
}

extension MultizoneDevice {
    init?(wire object: JSONView) {
        guard let spelledID = object.text("deviceId"), let id = Device.id(normalizing: spelledID) else { return nil }
        self.init(
            id: id, friendlyName: object.name("name"), capabilities: DeviceCapabilities(wire: object["capabilities"]),
            volume: object.object("volume").map(DeviceVolume.init(wire:)))
        if spelledID != id { self.spelledID = spelledID }
    }
}

extension DeviceCapabilities {
    /// Reads a bit mask from a number, or from decimal text.
    init?(wire value: JSONView?) {
        let mask = value?.intValue.flatMap { UInt64(exactly: $0) } ?? value?.stringValue.flatMap { UInt64($0) }
        guard let mask else { return nil }
        self.init(rawValue: mask)
    }
}
