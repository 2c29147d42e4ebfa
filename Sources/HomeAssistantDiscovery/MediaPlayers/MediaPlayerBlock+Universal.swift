import CastModels

extension MediaPlayerBlock {
    /// What the universal media player shows of the announced entities: an entity, or one of its attributes. Titles and
    /// artwork it takes from other media players only, so those are not here.
    private static let attributes = [
        ("state", "sensor.%"), ("volume_level", "sensor.%_volume_level"), ("is_volume_muted", "switch.%_mute"),
        ("source", "select.%_source"), ("source_list", "select.%_source|options"),
    ]

    func universal(_ device: AnnouncedDevice) -> String {
        var lines = [
            "  - platform: universal", "    name: \(Self.quoted(device.name))",
            "    unique_id: \(DiscoveryNames.device(device.id))_media_player", "    device_class: \(self.deviceClass(device))",
            "    attributes:",
        ]
        for (attribute, entity) in Self.attributes { lines.append("      \(attribute): \(self.entity(entity, device))") }
        lines.append("    commands:")
        for (action, name, payload) in Self.actions {
            lines += [
                // The older word for an action, which every version takes.
                "      \(action):", "        service: mqtt.publish", "        data:", "          topic: \(self.topic(device, name))",
                "          payload: \(Self.quoted(payload))",
            ]
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Our volume counts to 100 and a media player's to 1.
    func volumeSensor(_ device: AnnouncedDevice) -> String {
        """
          - sensor:
              - name: \(self.entity("%_volume_level", device))
                unique_id: \(DiscoveryNames.device(device.id))_volume_level
                state: "{{ states('\(self.entity("number.%_volume", device))') | float(0) / 100 }}"

        """
    }

    private func entity(_ pattern: String, _ device: AnnouncedDevice) -> String {
        let slug = String(device.slug.map { $0 == "-" ? "_" : $0 })
        return pattern.split(separator: "%", omittingEmptySubsequences: false).joined(separator: slug)
    }
}
