import CastModels

extension MediaPlayerBlock {
    /// The attributes of the universal media player, each an entity or an attribute of one. It shows a control only if its attribute is
    /// set, and reads titles, artwork and position only from other media players.
    private static let attributes = [
        ("state", "sensor.%"), ("volume_level", "sensor.%_volume_level"), ("is_volume_muted", "switch.%_mute"),
        ("source", "select.%_source"), ("source_list", "select.%_source|options"), ("shuffle", "sensor.%_volume_level|shuffle"),
        ("repeat", "sensor.%_volume_level|repeat"),
    ]

    /// The commands. The universal player passes a seek only to other media players.
    private static let commands = actions.filter { $0.0 != "media_seek" }

    func universal(_ device: AnnouncedDevice) -> String {
        var lines = [
            "  - platform: universal", "    name: \(Self.quoted(device.name))",
            "    unique_id: \(DiscoveryNames.device(device.id))_media_player", "    device_class: \(self.deviceClass(device))",
            "    attributes:",
        ]
        for (attribute, entity) in Self.attributes { lines.append("      \(attribute): \(self.entity(entity, device))") }
        lines.append("    commands:")
        for (action, name, payload) in Self.commands {
            lines += [
                // `service` is the older word for `action`, which every version accepts.
                "      \(action):", "        service: mqtt.publish", "        data:", "          topic: \(self.topic(device, name))",
                "          payload: \(Self.quoted(payload))",
            ]
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Returns a sensor for the values that no entity has in a media player's terms: the volume in `0...1`, `shuffle` as a boolean, and
    /// `repeat`.
    func volumeSensor(_ device: AnnouncedDevice) -> String {
        let shuffle = self.entity("switch.%_shuffle", device), repeatMode = self.entity("select.%_repeat", device)
        return """
              - sensor:
                  - name: \(self.entity("%_volume_level", device))
                    unique_id: \(DiscoveryNames.device(device.id))_volume_level
                    state: "{{ states('\(self.entity("number.%_volume", device))') | float(0) / 100 }}"
                    attributes:
                      shuffle: "{{ is_state('\(shuffle)', 'on') }}"
                      repeat: "{{ {'one': 'one', 'all': 'all', 'all_shuffle': 'all'}.get(states('\(repeatMode)'), 'off') }}"

            """
    }

    private func entity(_ pattern: String, _ device: AnnouncedDevice) -> String { pattern.replacing("%", with: device.objectID) }
}
