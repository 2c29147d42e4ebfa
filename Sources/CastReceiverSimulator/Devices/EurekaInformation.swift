/// A group that a device belongs to, as `eureka_info` reports it.
public struct GroupReference: Sendable, Hashable {
    public var name: String
    /// The id with hyphens.
    public var uuid: String
    /// The address and port of the group when another device leads it.
    public var leader: String?
    /// The port of the group's Cast server.
    public var port: Int
    /// Whether it is a stereo pair.
    public var isMultichannel: Bool
    /// Whether it is a temporary group.
    public var isDynamic: Bool

    public init(name: String, uuid: String, leader: String?, port: Int, isMultichannel: Bool = false, isDynamic: Bool = false) {
        (self.name, self.uuid, self.leader, self.port) = (name, uuid, leader, port)
        (self.isMultichannel, self.isDynamic) = (isMultichannel, isDynamic)
    }

    /// An element of `groups` or `dynamic_groups`; the latter have no port.
    var json: JSON {
        .members([
            "name": .string(self.name), "uuid": .string(self.uuid), "elected_leader": .string(self.leader ?? "self"),
            "cast_port": self.isDynamic ? nil : .integer(self.port), "multichannel_group": .bool(self.isMultichannel),
        ])
    }
}

/// The document that devices serve at `/setup/eureka_info`.
struct EurekaInformation {
    static let groupNames = ["version", "name", "build_info", "device_info", "net", "wifi", "settings", "setup", "multizone"]

    let description: DeviceDescription
    let groups: [GroupReference]
    let uptime: Duration

    func document(parameters: [String]?) -> JSON {
        guard let parameters else { return self.flat }
        var document = JSON.object([])
        for parameter in parameters {
            let path = parameter.split(separator: ".", maxSplits: 1).map(String.init)
            guard let name = path.first, let value = self.group(name) else { continue }
            if path.count == 2 {
                guard let field = value[path[1]] else { continue }
                var filtered = document[name] ?? .object([])
                filtered[path[1]] = field
                document[name] = filtered
            } else {
                document[name] = value
            }
        }
        return document
    }

    private var model: DeviceModel { self.description.model }

    private func group(_ name: String) -> JSON? {
        switch name {
        case "version": 12
        case "name": .string(self.description.friendlyName)
        case "build_info":
            [
                "build_type": 2, "cast_build_revision": "1.56.500000", "cast_control_version": 1, "preview_channel_state": 0,
                "release_track": "stable-channel", "system_build_number": "500000",
            ]
        case "device_info": self.deviceInformation
        case "net": ["ethernet_connected": false, "ip_address": .string(self.description.address), "online": true]
        case "wifi": ["bssid": .string(self.macAddress), "noise_level": -90, "signal_level": -50, "ssid": "simulated", "wpa_state": 10]
        case "settings":
            [
                "control_notifications": 1, "country_code": "US", "locale": "en-US", "network_standby": 0, "time_format": 1,
                "timezone": "UTC",
            ]
        case "setup": ["setup_state": 60, "ssid_suffix": "sim", "stats": [:], "tos_accepted": true]
        case "multizone":
            [
                "audio_output_delay": 0, "dynamic_groups": .array(self.groups.filter(\.isDynamic).map(\.json)),
                "groups": .array(self.groups.filter { !$0.isDynamic }.map(\.json)),
                "multichannel_status": 0,
            ]
        default: nil
        }
    }

    private var deviceInformation: JSON {
        [
            "capabilities": [
                "audio_supported": true, "bluetooth_supported": false, "display_supported": .bool(self.model.hasDisplay),
                "multizone_supported": .bool(!self.model.announcesLaunch),
            ],
            "cloud_device_id": .string(self.description.cloudDeviceID), "factory_country_code": "US",
            "hotspot_bssid": .string(self.macAddress), "mac_address": .string(self.macAddress),
            "manufacturer": .string(self.model.manufacturer), "model_name": .string(self.model.name), "product_name": "simulated",
            "ssdp_udn": .string(self.description.uuid), "uptime": .number(self.uptime.inSeconds),
        ]
    }

    /// The answer of firmware without `params`.
    private var flat: JSON {
        [
            "bssid": .string(self.macAddress), "build_version": "500000", "cast_build_revision": "1.56.500000", "connected": true,
            "has_update": false, "ip_address": .string(self.description.address), "locale": "en-US",
            "mac_address": .string(self.macAddress), "model_name": .string(self.model.name), "name": .string(self.description.friendlyName),
            "setup_state": 60, "ssdp_udn": .string(self.description.uuid), "ssid": "simulated", "uptime": .number(self.uptime.inSeconds),
            "version": 8,
        ]
    }

    private var macAddress: String {
        let digits = Array(self.description.hotspotAddress)
        return stride(from: 0, to: digits.count - 1, by: 2).map { String(digits[$0...($0 + 1)]) }.joined(separator: ":")
    }
}
