import BridgeCore
import CastModels

/// Announcements for integrations that are not part of Home Assistant, whose MQTT integration has no media player. Home Assistant itself
/// ignores them.
extension DiscoveryMapper {
    /// Returns the announcement for `custom_components/mqtt_media_player`: a topic for each value and each command, in the names of its
    /// version 2.
    func compatibility(_ device: AnnouncedDevice) -> [OutgoingMessage] {
        guard self.options.homeAssistant.mode != .off, self.options.homeAssistant.mediaPlayerCompatibility == .mqttMediaPlayer,
            self.options.hasPlainValues
        else { return [] }
        let identifier = DiscoveryNames.device(device.id)
        var object: JSONObject = [
            "name": .string(device.name), "unique_id": .string("\(identifier)_media_player"),
            "availability_topic": .string(self.tree.device(device.slug, "availability")),
        ]
        for (key, name) in Self.topics { object.append("\(key)_topic", .string(self.tree.device(device.slug, name))) }
        object.append(
            "device",
            .object([
                "identifiers": .array([.string(identifier)]), "manufacturer": .string(device.manufacturer ?? "cast2mqtt"),
                "model": .string(device.model ?? "Cast device"),
            ]))
        return [Self.message("\(self.options.homeAssistant.prefix)/media_player/\(identifier)/config", .object(object))]
    }

    private static let topics = [
        ("state", "status/\(TopicMapper.mediaPlayerName)"), ("media_title", "status/title"), ("media_artist", "status/artist"),
        ("media_album_name", "status/album"), ("media_duration", "status/duration"), ("media_position", "status/position"),
        ("media_image_url", "status/artwork"), ("volume_level", "status/volume_level"), ("is_volume_muted", "status/muted"),
        ("shuffle", "status/shuffle"), ("repeat", "status/repeat"), ("app_name", "status/app"), ("source", "status/app"),
        ("play", "cmd/play"), ("pause", "cmd/pause"), ("stop", "cmd/stop"), ("next", "cmd/next"), ("previous", "cmd/previous"),
        ("volume_set", "set/volume_level"), ("mute", "set/muted"), ("shuffle_set", "set/shuffle"), ("repeat_set", "set/repeat"),
        ("seek", "set/position"), ("select_source", "set/app"), ("play_media", "cmd/load"),
        // The integration sends the word OFF.
        ("turn_off", "set/app"),
    ]
}
