import CastModels

/// A payload of the multizone namespace: which speakers a group has.
package enum MultizoneMessage: Sendable, Hashable {
    /// MULTIZONE_STATUS: all members known so far; an early answer may hold a part of them.
    case status(MultizoneStatus)
    /// DEVICE_ADDED.
    case deviceAdded(MultizoneDevice)
    /// DEVICE_UPDATED.
    case deviceUpdated(MultizoneDevice)
    /// DEVICE_REMOVED.
    case deviceRemoved(Device.ID)
    /// INVALID_REQUEST, from devices that are no group.
    case invalidRequest(RequestFailure)
    case unknown(type: String)

    init(_ object: JSONObject) {
        let type = ReceivedPayload.type(of: object)
        switch type {
        case "MULTIZONE_STATUS": self = .status(MultizoneStatus(wire: object.object(PayloadKey.status) ?? object))
        case "DEVICE_ADDED":
            self = object.object("device").flatMap(MultizoneDevice.init(wire:)).map(Self.deviceAdded) ?? .unknown(type: type)
        case "DEVICE_UPDATED":
            self = object.object("device").flatMap(MultizoneDevice.init(wire:)).map(Self.deviceUpdated) ?? .unknown(type: type)
        case "DEVICE_REMOVED":
            let id = object.text("deviceId") ?? object.object("device")?.text("deviceId")
            self = id.flatMap(Device.id(normalizing:)).map(Self.deviceRemoved) ?? .unknown(type: type)
        case "INVALID_REQUEST": self = .invalidRequest(RequestFailure(object))
        default: self = .unknown(type: type)
        }
    }

    /// The request for MULTIZONE_STATUS.
    package static func getStatus(requestID: Int) -> String { PayloadText.make(type: "GET_STATUS", requestID: requestID) }
}

extension MultizoneStatus {
    init(wire object: JSONObject) {
        self.init(
            devices: (object.objects("devices") ?? []).compactMap(MultizoneDevice.init(wire:)),
            isMultichannel: object.flag("isMultichannel"))
    }
}

extension MultizoneDevice {
    init?(wire object: JSONObject) {
        guard let id = object.text("deviceId").flatMap(Device.id(normalizing:)) else { return nil }
        self.init(
            id: id, friendlyName: object.word("name"), capabilities: DeviceCapabilities(wire: object["capabilities"]),
            volume: object.object("volume").map(DeviceVolume.init(wire:)))
    }
}

extension DeviceCapabilities {
    /// A bit mask as a number, or as decimal text.
    init?(wire value: JSONValue?) {
        let mask = value?.intValue.flatMap { UInt64(exactly: $0) } ?? value?.stringValue.flatMap { UInt64($0) }
        guard let mask else { return nil }
        self.init(rawValue: mask)
    }
}
