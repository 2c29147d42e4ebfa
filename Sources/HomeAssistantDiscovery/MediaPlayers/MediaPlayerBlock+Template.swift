import CastModels

extension MediaPlayerBlock {
    /// Returns the template media player and the sensor that keeps its values. The three topics arrive at different times, and an
    /// unavailable media player has no attributes that could keep them.
    func template(_ device: AnnouncedDevice) -> String { self.memory(device) + self.player(device) }

    // MARK: The sensor

    /// Returns a template for a value that messages of one trigger set and the others keep.
    private static func kept(_ value: String, from trigger: String, else previous: String) -> String {
        "{{ (\(value)) if trigger.id == '\(trigger)' else \(previous) }}"
    }

    /// Returns a template expression for the document of a message, or for a part of it. An empty message, which clears the topic, has no
    /// `payload_json`. Reading it would make the sensor unavailable, and Home Assistant would drop the attributes that other messages set.
    private static func document(_ part: String = "") -> String {
        "trigger.payload_json\(part) if trigger.payload_json is mapping else none"
    }

    private static let memoryAttributes = [("bridge", "trigger.payload"), ("device", "trigger.payload"), ("document", document())]

    /// The state and the attributes of the sensor. It is never unavailable, so it keeps the values of earlier messages.
    static let memory =
        [("state", kept(document(".get('player')"), from: "document", else: "this.state"))]
        + memoryAttributes.map { name, value in (name, kept(value, from: name, else: "this.attributes.get('\(name)')")) }

    private func memory(_ device: AnnouncedDevice) -> String {
        var lines = ["- triggers:"]
        let topics = [self.tree.bridge("state"), self.tree.device(device.slug, "availability"), self.tree.device(device.slug, "state")]
        for (topic, attribute) in zip(topics, Self.memoryAttributes) {
            lines += ["    - trigger: mqtt", "      topic: \(Self.quoted(topic))", "      id: \(attribute.0)"]
        }
        lines += [
            "  sensor:", "    - name: \(Self.quoted("cast2mqtt \(device.slug)"))",
            "      unique_id: \(DiscoveryNames.device(device.id))_memory", "      state: \(Self.quoted(Self.memory[0].1))",
            "      attributes:",
        ]
        for (name, template) in Self.memory.dropFirst() { lines.append("        \(name): \(Self.quoted(template))") }
        return lines.joined(separator: "\n") + "\n"
    }

    // MARK: The player

    /// Returns the values of the player, each as a template that reads the sensor.
    /// - Parameter entity: the entity id of the sensor.
    func values(_ entity: String) -> [(key: String, template: String)] {
        let sensor = Template.literal(entity)
        let document = "{% set d = state_attr(\(sensor), 'document') or {} %}"
        let media = document + "{% set m = d.get('media', {}) %}"
        func value(_ group: String, _ key: String) -> String { "\(document){{ d.get('\(group)', {}).get('\(key)') }}" }
        func text(_ group: String, _ key: String) -> String {
            "\(document){% set t = d.get('\(group)', {}).get('\(key)') %}{{ \(Template.visible("t")) }}"
        }
        func words(_ value: String, _ others: String) -> String { "{% set w = \(value) %}{{ {\(others)}.get(w, w) }}" }
        return [
            (
                "availability",
                "{{ is_state_attr(\(sensor), 'bridge', 'online') and is_state_attr(\(sensor), 'device', 'online') "
                    + "and state_attr(\(sensor), 'document') is not none }}"
            ),
            ("state", document + words("d.get('player')", "'loading': 'buffering', 'unknown': none")),
            ("volume_level", value("volume", "level")), ("is_volume_muted", value("volume", "muted")),
            ("media_title", text("media", "title")), ("media_artist", text("media", "artist")),
            ("media_album_name", text("media", "album")), ("media_series_title", text("media", "series")),
            ("media_season", value("media", "season")), ("media_episode", value("media", "episode")),
            ("media_content_id", text("media", "content_id")), ("media_content_type", media + Self.contentType),
            ("media_duration", value("media", "duration")), ("media_position", media + Self.position(sensor)),
            ("media_image_url", value("media", "image")), ("app_id", text("app", "id")), ("app_name", text("app", "name")),
            // Home Assistant logs an error for a source that is not in the list, and both change at different moments: an application of
            // another sender is shown as `app_name` alone.
            (
                "source",
                "\(document){% set s = d.get('app', {}).get('source') %}{{ s if s in \(Template.list(self.applications)) else none }}"
            ),
            ("source_list", "{{ \(Template.list(self.applications)) }}"),
            ("shuffle", value("queue", "shuffle")),
            ("repeat", document + words("d.get('queue', {}).get('repeat')", "'all_shuffle': 'all'")),
        ]
    }

    /// `media.kind` in Home Assistant's words; for a kind without such a word, derived from the MIME type.
    private static let contentType =
        "{% set k = m.get('kind') %}{% set c = (m.get('content_type') or '').split('/')[0] %}"
        + "{{ {'movie': 'movie', 'tv_show': 'tvshow', 'music': 'music', 'photo': 'image', 'audiobook_chapter': 'music'}.get(k) "
        + "or ({'audio': 'music', 'image': 'image'}.get(c, 'video') if k else none) }}"

    /// Returns a template for the position when the sensor last changed. Home Assistant extrapolates from the moment at which a new value
    /// is rendered, at normal speed.
    ///
    /// `now()` renders the template each minute, and each time writes a row of history. So it is read only at another playback rate, which
    /// Home Assistant does not know. An equal value would keep the moment of the previous one, so the value is rounded up during playback
    /// and down otherwise; it then changes when playback pauses or resumes.
    private static func position(_ sensor: String) -> String {
        "{% set p = m.get('position') %}{% if p is none %}{{ none }}{% elif d.player == 'playing' and m.position_at %}"
            + "{% set r = m.rate or 1 %}{% set t = states[\(sensor)].last_updated if r == 1 else now() %}"
            + "{{ [p + (t - as_datetime(m.position_at)).total_seconds() * r, 0] | max | round(0, 'ceil') | int }}"
            + "{% else %}{{ p | int }}{% endif %}"
    }

    private func player(_ device: AnnouncedDevice) -> String {
        var lines = [
            "- media_player:", "    - name: \(Self.quoted(Self.plain(device.name)))",
            "      unique_id: \(DiscoveryNames.device(device.id))_media_player", "      device_class: \(self.deviceClass(device))",
        ]
        // The entity id that Home Assistant derives from the sensor's name.
        for (key, template) in self.values("sensor.cast2mqtt_\(device.objectID)") { lines.append("      \(key): \(Self.quoted(template))") }
        for (action, name, payload) in Self.actions {
            lines += [
                "      \(action):", "        - action: mqtt.publish", "          data:",
                "            topic: \(self.topic(device, name))", "            payload: \(Self.quoted(payload))",
            ]
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
