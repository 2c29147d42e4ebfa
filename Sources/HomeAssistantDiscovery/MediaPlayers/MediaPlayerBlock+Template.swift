import CastModels

extension MediaPlayerBlock {
    /// The values of the template media player, each from the retained `state` document.
    static let values = [
        ("availability", "{{ trigger.payload_json.player != 'unknown' }}"),
        (
            "state",
            "{{ {'loading': 'buffering', 'unknown': none}.get(trigger.payload_json.player, trigger.payload_json.player) }}"
        ),
        ("volume_level", "{{ trigger.payload_json.volume.level }}"),
        ("is_volume_muted", "{{ trigger.payload_json.volume.muted }}"),
        ("media_title", "{{ trigger.payload_json.media.title }}"),
        ("media_artist", "{{ trigger.payload_json.media.artist }}"),
        ("media_album_name", "{{ trigger.payload_json.media.album }}"),
        ("media_series_title", "{{ trigger.payload_json.media.series }}"),
        ("media_season", "{{ trigger.payload_json.media.season }}"),
        ("media_episode", "{{ trigger.payload_json.media.episode }}"),
        ("media_content_id", "{{ trigger.payload_json.media.content_id }}"),
        ("media_content_type", "{{ trigger.payload_json.media.kind }}"),
        ("media_duration", "{{ trigger.payload_json.media.duration }}"),
        // Home Assistant takes the time of a change of this value as the time of the position, so the age of ours is added.
        (
            "media_position",
            "{% set m = trigger.payload_json.media %}{% if m.position is none %}{{ none }}"
                + "{% elif trigger.payload_json.player == 'playing' and m.position_at %}"
                + "{{ (m.position + (now() - as_datetime(m.position_at)).total_seconds() * (m.rate or 1)) | int }}"
                + "{% else %}{{ m.position | int }}{% endif %}"
        ),
        ("media_image_url", "{{ trigger.payload_json.media.image }}"),
        ("app_id", "{{ trigger.payload_json.app.id }}"), ("app_name", "{{ trigger.payload_json.app.name }}"),
        ("source", "{{ trigger.payload_json.app.source }}"),
        ("shuffle", "{{ trigger.payload_json.queue.shuffle }}"),
        ("repeat", "{{ {'all_shuffle': 'all'}.get(trigger.payload_json.queue.repeat, trigger.payload_json.queue.repeat) }}"),
    ]

    func template(_ device: AnnouncedDevice) -> String {
        var lines = [
            "  - triggers:", "      - trigger: mqtt", "        topic: \(self.topic(device, "state"))", "    media_player:",
            "      - name: \(Self.quoted(device.name))", "        unique_id: \(DiscoveryNames.device(device.id))_media_player",
            "        device_class: \(self.deviceClass(device))",
        ]
        for (key, value) in Self.values { lines.append("        \(key): \(Self.quoted(value))") }
        let sources = JSONWriter.string(of: .array(self.applications.map { .string($0) }))
        lines.append("        source_list: \(Self.quoted("{{ \(sources) }}"))")
        for (action, name, payload) in Self.actions {
            lines += [
                "        \(action):", "          - action: mqtt.publish", "            data:",
                "              topic: \(self.topic(device, name))", "              payload: \(Self.quoted(payload))",
            ]
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
