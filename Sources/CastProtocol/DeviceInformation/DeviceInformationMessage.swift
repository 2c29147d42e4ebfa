@_spi(JSON) import CastModels

/// A payload of the discovery or the setup namespace: the identity of the device.
package enum DeviceInformationMessage: Sendable, Hashable {
    /// The answer to GET_DEVICE_INFO (discovery) or `eureka_info` (setup).
    case information(DeviceInformation)
    /// The device refuses: INVALID_REQUEST, or a response code other than 200.
    case refused(reason: String)
    case unknown(type: String)

    init(_ object: JSONView) {
        switch ReceivedPayload.type(of: object) {
        case "GET_DEVICE_INFO", "DEVICE_INFO": self = .information(DeviceInformation(discovery: object))
        case "eureka_info":
            if let code = object.whole("response_code"), code != 200 {
                self = .refused(reason: object.word("response_string") ?? "\(code)")
            } else {
                self = .information(DeviceInformation(eureka: object.object("data") ?? object))
            }
        case "INVALID_REQUEST": self = .refused(reason: object.word(PayloadKey.reason) ?? "INVALID_REQUEST")
        case let type: self = .unknown(type: type)
        }
    }

    package static func getDeviceInformation(requestID: Int) -> String { PayloadText.make(type: "GET_DEVICE_INFO", requestID: requestID) }

    /// Returns the request of the setup namespace, whose request id has another key.
    package static func eurekaInformation(requestID: Int) -> String {
        PayloadText.make(type: "eureka_info") { writer in
            writer.member(PayloadKey.setupRequestID, requestID)
            writer.key("data")
            writer.beginObject()
            writer.member("params", ["version", "name", "build_info", "device_info"])
            writer.endObject()
        }
    }
}

extension DeviceInformation {
    /// Parses the answer to GET_DEVICE_INFO.
    init(discovery object: JSONView) {
        self.init(
            id: object.text("deviceId").flatMap(Device.id(normalizing:)), friendlyName: object.name("friendlyName"),
            modelName: object.name("deviceModel"), capabilities: DeviceCapabilities(wire: object["deviceCapabilities"]))
    }

    /// Parses the data of `eureka_info`, also from the HTTP interface; old firmware writes all fields at the top level.
    package init(eureka object: JSONView) {
        let device = object.object("device_info") ?? object
        let build = object.object("build_info") ?? object
        let id = device.text("ssdp_udn") ?? object.text("ssdp_udn")
        self.init(
            id: id.flatMap(Device.id(normalizing:)), friendlyName: object.name("name"), modelName: device.name("model_name"),
            capabilities: nil)
        self.manufacturer = device.word("manufacturer")
        self.macAddress = device.word("mac_address")
        self.castBuildRevision = build.word("cast_build_revision")
        self.systemBuildNumber = build.word("system_build_number")
    }
}
