import CastModels

extension MediaPlayerBlock {
    /// The template media player, and beside it a sensor that keeps what the broker said last: each of the three topics comes when it likes,
    /// and a media player that is unavailable has no attributes in which it could remember anything.
    func template(_ device: AnnouncedDevice) -> String { self.memory(device) + self.player(device) }

    // MARK: The sensor

    private static let memoryAttributes = [
        ("bridge", "trigger.payload"), ("device", "trigger.payload"), ("document", "trigger.payload_json"),
    ]

    /// The state and the attributes of the sensor. It is never unavailable, so what another message told stays.
    static let memory =
        [("state", "{{ trigger.payload_json.player if trigger.id == 'document' else this.state }}")]
        + memoryAttributes.map { name, told in
            (name, "{{ \(told) if trigger.id == '\(name)' else this.attributes.get('\(name)') }}")
        }

    private func memory(_ device: AnnouncedDevice) -> String {
        var lines = ["  - triggers:"]
        let topics = [self.tree.bridge("state"), self.tree.device(device.slug, "availability"), self.tree.device(device.slug, "state")]
        for (topic, attribute) in zip(topics, Self.memoryAttributes) {
            lines += ["      - trigger: mqtt", "        topic: \(Self.quoted(topic))", "        id: \(attribute.0)"]
        }
        lines += [
            "    sensor:", "      - name: \(Self.quoted("cast2mqtt \(device.slug)"))",
            "        unique_id: \(DiscoveryNames.device(device.id))_memory", "        state: \(Self.quoted(Self.memory[0].1))",
            "        attributes:",
        ]
        for (name, template) in Self.memory.dropFirst() { lines.append("          \(name): \(Self.quoted(template))") }
        return lines.joined(separator: "\n") + "\n"
    }

    /// What Home Assistant makes of the sensor's name.
    static func memoryEntity(_ device: AnnouncedDevice) -> String {
        "sensor.cast2mqtt_" + String(device.slug.map { $0 == "-" ? "_" : $0 })
    }

    // MARK: The player

    /// Its values, each from what the sensor keeps.
    /// - Parameter entity: the sensor.
    static func values(_ entity: String) -> [(key: String, template: String)] {
        let sensor = Template.literal(entity)
        let document = "{% set d = state_attr(\(sensor), 'document') or {} %}"
        func value(_ group: String, _ key: String) -> String { "\(document){{ d.get('\(group)', {}).get('\(key)') }}" }
        func words(_ value: String, _ others: String) -> String { "{% set w = \(value) %}{{ {\(others)}.get(w, w) }}" }
        return [
            (
                "availability",
                "{{ is_state_attr(\(sensor), 'bridge', 'online') and is_state_attr(\(sensor), 'device', 'online') "
                    + "and state_attr(\(sensor), 'document') is not none }}"
            ),
            ("state", document + words("d.get('player')", "'loading': 'buffering', 'unknown': none")),
            ("volume_level", value("volume", "level")), ("is_volume_muted", value("volume", "muted")),
            ("media_title", value("media", "title")), ("media_artist", value("media", "artist")),
            ("media_album_name", value("media", "album")), ("media_series_title", value("media", "series")),
            ("media_season", value("media", "season")), ("media_episode", value("media", "episode")),
            ("media_content_id", value("media", "content_id")), ("media_content_type", value("media", "kind")),
            ("media_duration", value("media", "duration")),
            // Home Assistant takes the time of a change of this value as the time of the position, so the age of ours is added.
            (
                "media_position",
                document + "{% set m = d.get('media', {}) %}{% if m.get('position') is none %}{{ none }}"
                    + "{% elif d.player == 'playing' and m.position_at %}"
                    + "{{ (m.position + (now() - as_datetime(m.position_at)).total_seconds() * (m.rate or 1)) | int }}"
                    + "{% else %}{{ m.position | int }}{% endif %}"
            ),
            ("media_image_url", value("media", "image")), ("app_id", value("app", "id")), ("app_name", value("app", "name")),
            ("source", value("app", "source")), ("shuffle", value("queue", "shuffle")),
            ("repeat", document + words("d.get('queue', {}).get('repeat')", "'all_shuffle': 'all'")),
        ]
    }

    private func player(_ device: AnnouncedDevice) -> String {
        var lines = [
            "  - media_player:", "      - name: \(Self.quoted(device.name))",
            "        unique_id: \(DiscoveryNames.device(device.id))_media_player", "        device_class: \(self.deviceClass(device))",
        ]
        for (key, template) in Self.values(Self.memoryEntity(device)) { lines.append("        \(key): \(Self.quoted(template))") }
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
