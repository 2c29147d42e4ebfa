import CastSender

/// Formats the discovered devices, for people and for programs.
struct DeviceTable {
    let devices: [Device]
    /// The devices that could be connected.
    let ready: Set<Device.ID>
    /// The devices that can run none of the required applications.
    let excluded: Set<Device.ID>
    /// The names of the devices in topics.
    let slugs: [Device.ID: String]

    /// A line of headings, then one line for each device.
    var text: String {
        let rows =
            [["NAME", "SLUG", "KIND", "MODEL", "ADDRESS", "LINK", "ID"]]
            + self.devices.map { device in
                [
                    device.friendlyName, self.slugs[device.id] ?? "-", device.kind.rawValue,
                    device.modelName.isEmpty ? "-" : device.modelName,
                    device.endpoints.first?.description ?? "-", self.link(of: device), device.id,
                ].map(\.printable)
            }
        return Terminal.columns(rows).joined(separator: "\n")
    }

    private func link(of device: Device) -> String {
        guard self.ready.contains(device.id) else { return "unverified" }
        return self.excluded.contains(device.id) ? "excluded" : "ready"
    }

    /// A JSON array with all facts of each device.
    var json: String {
        var writer = JSONWriter()
        writer.beginArray()
        for device in self.devices {
            writer.beginObject()
            writer.member("id", device.id)
            writer.member("slug", self.slugs[device.id])
            writer.member("name", device.friendlyName)
            writer.member("type", device.kind.rawValue)
            writer.member("model", device.modelName.isEmpty ? nil : device.modelName)
            writer.member("capabilities", device.capabilities?.names ?? [])
            writer.member("addresses", device.endpoints.map(\.description))
            writer.member("identity", device.identity.rawValue)
            writer.member("unverified", !self.ready.contains(device.id))
            writer.member("excluded", self.ready.contains(device.id) && self.excluded.contains(device.id))
            writer.key("text")
            writer.value(.object(JSONObject(device.unknownText.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) })))
            writer.endObject()
        }
        writer.endArray()
        return String(decoding: writer.bytes, as: UTF8.self).printableJSON
    }
}
