import BridgeCore
import CastModels
import Testing

@testable import HomeAssistantDiscovery

@Suite struct DiscoveryDocumentTests {
    static let modes: [HomeAssistantOptions.Mode] = [.device, .companion, .components]

    private func document(_ message: OutgoingMessage) throws -> JSONValue { try JSONParser.parse(message.payload) }

    @Test(
        "without a picture the artwork is Home Assistant's own icon or the placeholder, never unavailable, and needs no Internet by itself")
    func artwork() throws {
        func artwork(_ mapper: DiscoveryMapper) throws -> JSONValue {
            try #require(try JSONParser.parse(mapper.messages(for: Fixture.livingRoom)[0].payload)["components"]?["artwork"])
        }
        let plain = try artwork(Fixture.mapper())
        #expect(plain["availability"] == nil)
        #expect(plain["url_template"]?.stringValue == "{{ value or 'http://127.0.0.1:8123/static/icons/favicon-192x192.png' }}")
        for (page, picture) in [
            ("http://192.168.1.4:8099/", "http://192.168.1.4:8099/favicon.ico"),
            ("https://192.168.1.4:8099/", "http://127.0.0.1:8123/static/icons/favicon-192x192.png"),
        ] {
            var mapper = Fixture.mapper()
            mapper.options.page = page
            #expect(try artwork(mapper)["url_template"]?.stringValue == "{{ value or '\(picture)' }}")
        }
        let pictured = try artwork(Fixture.mapper { $0.placeholderImage = "http://192.168.1.5/cast.png" })
        #expect(pictured["url_template"]?.stringValue == "{{ value or 'http://192.168.1.5/cast.png' }}")
        let fetched = try artwork(Fixture.mapper(hasArtworkImages: true) { $0.placeholderImage = "http://192.168.1.5/cast.png" })
        #expect(fetched["image_topic"] == "cast2mqtt/living-room/artwork/image" && fetched["url_topic"] == nil)
    }

    @Test("at first sight a device has at most eight entities, those that a person looks at and uses", arguments: Fixture.devices)
    func firstSight(device: AnnouncedDevice) throws {
        var device = device
        device.presets = ["Radio One"]
        func enabled(_ mode: HomeAssistantOptions.Mode) throws -> Set<String> {
            let components = try #require(try self.document(Fixture.mapper(mode).messages(for: device)[0])["components"]?.objectValue)
            let shown = components.members.filter { $0.value["unique_id"] != nil && $0.value["enabled_by_default"] == nil }
            return Set(shown.map(\.key))
        }
        #expect(try enabled(.device) == ["player", "title", "artwork", "volume", "source", "play_pause", "last_error", "preset"])
        #expect(try enabled(.companion) == ["connection", "last_error", "preset", "sleep", "sleep_at"])
    }

    @Test("what people set and don't play with is no part of an area's switches")
    func configuration() throws {
        for key in ["mute", "shuffle"] {
            #expect(try self.component(key, of: Fixture.livingRoom)?["entity_category"] == "config", "\(key)")
        }
    }

    @Test("devices lead to their page where its address is known")
    func page() throws {
        func address(_ mapper: DiscoveryMapper) throws -> [JSONValue?] {
            try (mapper.messages(for: Fixture.livingRoom) + mapper.bridgeMessages()).map {
                try self.document($0)["device"]?["configuration_url"]
            }
        }
        #expect(try address(Fixture.mapper()) == [nil, nil])
        var mapper = Fixture.mapper()
        mapper.options.page = "http://192.168.1.4:8099/"
        #expect(try address(mapper) == ["http://192.168.1.4:8099/#/device/living-room", "http://192.168.1.4:8099/"])
    }

    @Test("every announcement of every kind of device keeps Home Assistant's rules", arguments: Self.modes, [true, false])
    func rules(mode: HomeAssistantOptions.Mode, sharesMAC: Bool) throws {
        for device in Fixture.devices {
            for plain in [true, false] {
                let mapper = Fixture.mapper(mode, hasPlainValues: plain, hasArtworkImages: sharesMAC) { $0.sharesMACAddress = sharesMAC }
                for message in mapper.messages(for: device) + mapper.bridgeMessages() {
                    try self.expectRules(message, mode)
                }
            }
        }
    }

    private func expectRules(_ message: OutgoingMessage, _ mode: HomeAssistantOptions.Mode) throws {
        let document = try self.document(message)
        let levels = message.topic.split(separator: "/").map(String.init)
        #expect(message.retain && message.qos == 1 && message.timestampOffset == nil)
        #expect(levels.first == "homeassistant" && levels.last == "config")
        let idCharacters = Set("abcdefghijklmnopqrstuvwxyz0123456789_-")
        #expect(levels.dropFirst(2).dropLast().allSatisfy { $0.allSatisfy { idCharacters.contains($0) } })
        switch mode {
        case .device, .companion:
            #expect(levels.count == 4 && levels[1] == "device")
            #expect(DiscoveryRules.problems(ofDevice: document) == [], "\(message.topic)")
        case .components:
            #expect(levels.count == 5)
            #expect(DiscoveryRules.problems(ofEntity: document, platform: levels[1]) == [], "\(message.topic)")
        case .off: Issue.record("nothing is announced")
        }
    }

    @Test("topics are known without the messages", arguments: Self.modes + [.off], [true, false])
    func topics(mode: HomeAssistantOptions.Mode, isCompatible: Bool) {
        let mapper = Fixture.mapper(mode) { $0.mediaPlayerCompatibility = isCompatible ? .mqttMediaPlayer : .off }
        for device in Fixture.devices { #expect(mapper.topics(of: device) == Set(mapper.messages(for: device).map(\.topic))) }
    }

    @Test("nothing is announced when it is off")
    func off() {
        let mapper = Fixture.mapper(.off) { $0.mediaPlayerCompatibility = .mqttMediaPlayer }
        #expect(mapper.messages(for: Fixture.livingRoom).isEmpty)
        #expect(mapper.bridgeMessages().isEmpty)
    }

    @Test("names, models and firmware are cut, cleaned or left out, never null and never empty", arguments: Fixture.devices)
    func facts(device: AnnouncedDevice) throws {
        let facts = try #require(try self.document(Fixture.mapper().messages(for: device)[0])["device"]?.objectValue)
        #expect(facts["name"]?.stringValue?.isEmpty == false)
        #expect(facts["serial_number"]?.stringValue == device.id)
        #expect(facts["via_device"] == "cast2mqtt_bridge_home")
        #expect(facts["identifiers"] == .array([.string("cast2mqtt_\(device.id)")]))
        #expect(!facts.members.contains { $0.value.isNull })
        #expect(facts["connections"] == nil)
    }

    @Test("a device without a usable name is called by its slug")
    func unnamed() {
        #expect(AnnouncedDevice(id: "d4", slug: "nothing", name: " \u{0} ", kind: .cast).name == "nothing")
    }

    @Test("the MAC address is published only when configured")
    func macAddress() throws {
        let message = Fixture.mapper(.device) { $0.sharesMACAddress = true }.messages(for: Fixture.livingRoom)[0]
        #expect(try self.document(message)["device"]?["connections"] == [["mac", "aa:bb:cc:dd:ee:ff"]] as JSONValue)
    }

    /// The keys that belong to a screen.
    static let screenKeys = ["text_track", "skip_ad", "ad", "active_input", "trigger_ad_started", "trigger_ad_ended"]

    @Test("entities that make no sense for a device are left out", arguments: [Device.Kind.cast, .audio, .group, .stereoPair])
    func fitting(kind: Device.Kind) throws {
        let device = AnnouncedDevice(id: "a1", slug: "x", name: "X", kind: kind)
        let keys = try #require(try self.document(Fixture.mapper().messages(for: device)[0])["components"]?.objectValue).keys
        for key in Self.screenKeys { #expect(keys.contains(key) == (kind == .cast), "\(key)") }
        #expect(keys.contains("members") == (kind == .group))
        for key in ["player", "volume", "mute", "play", "pause", "artwork", "connection", "event"] { #expect(keys.contains(key)) }
    }

    private func component(_ key: String, of device: AnnouncedDevice, _ mapper: DiscoveryMapper = Fixture.mapper()) throws -> JSONValue? {
        try self.document(mapper.messages(for: device)[0])["components"]?[key]
    }

    @Test("the slider sets the volume, which for a group is that of its members")
    func groupVolume() throws {
        for device in Fixture.devices {
            let topic = try self.component("volume", of: device)?["command_topic"]?.stringValue
            #expect(topic == "cast2mqtt/\(device.slug)/set/volume")
        }
    }

    @Test("a volume that can't be changed has no slider and no mute, and what is not known yet stays as it was")
    func fixedVolume() throws {
        var states = States.idle()
        func announced(hadVolume: Bool) -> AnnouncedDevice {
            AnnouncedDevice(states.state, offers: OfferedOptions(), area: nil, hadVolume: hadVolume)
        }
        #expect(announced(hadVolume: false).hasVolume)
        states.reduce(.receiverStatus(ReceiverStatus(volume: DeviceVolume(level: 1, controlType: .fixed))))
        let fixed = announced(hadVolume: true)
        #expect(try self.component("volume", of: fixed) == nil && self.component("mute", of: fixed) == nil)
        let unknown = DeviceState(
            device: Device(id: "a1", friendlyName: "TV"), slug: "tv",
            at: Now(monotonic: .init(nanoseconds: 0), wall: Timestamp(milliseconds: 0)))
        for had in [true, false] { #expect(AnnouncedDevice(unknown, offers: OfferedOptions(), area: nil, hadVolume: had).hasVolume == had) }
    }

    @Test("applications that the device can't run are no sources; those of unknown support are")
    func sources() throws {
        let mapper = DiscoveryMapper(
            tree: Fixture.tree,
            options: .init(
                instance: "home", version: "1", applications: ["YouTube", "Netflix", "My own"],
                applicationIDs: ["YouTube": "233637DE", "Netflix": "CA5E8412"]))
        func sources(_ unavailable: Set<String>, running: String? = nil) throws -> [String]? {
            let device = AnnouncedDevice(
                id: "a1", slug: "kitchen", name: "Kitchen", kind: .audio, offers: OfferedOptions(application: running),
                unavailableApplications: unavailable)
            return try self.component("source", of: device, mapper)?["options"]?.arrayValue?.compactMap(\.stringValue)
        }
        #expect(try sources([]) == ["YouTube", "Netflix", "My own"])
        #expect(try sources(["CA5E8412", "00000000"]) == ["YouTube", "My own"])
        #expect(try sources(["CA5E8412"], running: "Netflix") == ["YouTube", "My own", "Netflix"])
    }

    @Test("connection keeps its value while the bridge restarts, so it depends on neither of the topics that say offline then")
    func connection() throws {
        let connection = try #require(try self.component("connection", of: Fixture.livingRoom))
        #expect(connection["availability"] == [])
        #expect(connection["state_topic"] == "cast2mqtt/living-room/state")
    }

    @Test("the code of the last failed command is shown without being enabled first, and ends with the next success")
    func lastError() throws {
        let error = try #require(try self.component("last_error", of: Fixture.livingRoom))
        #expect(error["state_topic"] == "cast2mqtt/living-room/status/error_code" && error["value_template"] == "{{ value or 'None' }}")
        #expect(error["json_attributes_topic"] == "cast2mqtt/living-room/error" && error["enabled_by_default"] == nil)
        let without = try self.component("last_error", of: Fixture.livingRoom, Fixture.mapper(hasPlainValues: false))
        #expect(without?["state_topic"] == "cast2mqtt/living-room/error")
    }

    @Test("seeking is in seconds beside percent")
    func seekPosition() throws {
        let seconds = try #require(try self.component("seek_position", of: Fixture.livingRoom))
        #expect(seconds["command_topic"] == "cast2mqtt/living-room/set/position" && seconds["unit_of_measurement"] == "s")
        #expect(seconds["min"] == 0 && seconds["max"] == 86_400)
        let percent = try #require(try self.component("seek", of: Fixture.livingRoom))
        #expect(percent["command_topic"] == "cast2mqtt/living-room/set/position_percent" && percent["unit_of_measurement"] == "%")
        #expect(percent["max"] == 100)
    }

    @Test("the idle screen is no application")
    func idleScreen() throws {
        #expect(
            try self.component("app", of: Fixture.livingRoom)?["value_template"]?.stringValue?.contains("value_json.app.source") == true)
    }

    @Test("every announcement names the page with help, where there is one", arguments: [HomeAssistantOptions.Mode.device, .components])
    func supportPage(mode: HomeAssistantOptions.Mode) throws {
        let page = "https://wiki.home.example/cast"
        let mapper = Fixture.mapper(mode) { $0.supportURL = page }
        for message in mapper.messages(for: Fixture.livingRoom) + mapper.bridgeMessages() {
            #expect(try self.document(message)["origin"]?["support_url"] == .string(page))
        }
        #expect(try self.document(Fixture.mapper(mode).bridgeMessages()[0])["origin"]?["support_url"] == nil)
    }

    @Test("without plain values nothing refers to them")
    func plainValues() {
        let mapper = Fixture.mapper(hasPlainValues: false) { $0.mediaPlayerCompatibility = .mqttMediaPlayer }
        let messages = mapper.messages(for: Fixture.livingRoom)
        #expect(messages.count == 1)
        #expect(!String(decoding: messages[0].payload, as: UTF8.self).contains("/status/"))
    }

    @Test("both forms announce the same entities under the same ids")
    func forms() throws {
        for device in Fixture.devices {
            let whole = try #require(try self.document(Fixture.mapper(.device).messages(for: device)[0])["components"]?.objectValue)
            let parts = Fixture.mapper(.components).messages(for: device)
            let keys = parts.map { String($0.topic.split(separator: "/")[3]) }
            #expect(keys == whole.keys)
            for (part, member) in zip(parts, whole.members) {
                let document = try self.document(part)
                #expect(document["unique_id"] == member.value["unique_id"])
                #expect(part.topic.split(separator: "/")[1] == member.value["platform"]?.stringValue ?? "")
                for (key, value) in (member.value.objectValue?.members ?? []).map({ ($0.key, $0.value) }) where key != "platform" {
                    #expect(document[key] == value, "\(member.key).\(key)")
                }
            }
        }
    }

    @Test("closed lists are those of the contract")
    func closedLists() throws {
        let components = try #require(try self.document(Fixture.mapper().messages(for: Fixture.livingRoom)[0])["components"])
        func list(_ key: String, _ member: String) -> [String]? { components[key]?[member]?.arrayValue?.compactMap(\.stringValue) }
        #expect(list("player", "options") == DevicePlayerState.allCases.map(\.rawValue))
        #expect(list("event", "event_types") == PublishedEvent.Kind.allCases.map(\.rawValue))
        #expect(list("repeat", "options") == ["off", "all", "one", "all_shuffle"])
        #expect(list("text_track", "options") == ["Off", "English", "Deutsch"])
        #expect(list("source", "options") == DiscoveryMapper.Options.defaultApplications + ["DashCast"])
    }

    @Test("no command is retained, and none needs MQTT 5 of Home Assistant")
    func commands() throws {
        let components = try #require(
            try self.document(Fixture.mapper().messages(for: Fixture.livingRoom)[0])["components"]?.objectValue)
        for component in components.members where component.value["command_topic"] != nil {
            #expect(component.value["retain"] == nil)
            #expect(component.value["message_expiry_interval"] == nil, "\(component.key)")
        }
    }

    @Test("a device of ordinary size is announced in about 17 kB")
    func size() {
        #expect((6000...18_000).contains(Fixture.mapper().messages(for: Fixture.livingRoom)[0].payload.count))
    }

    @Test("its payloads are taken", arguments: ["Play", "Pause", "Stop", "Next", "Previous"])
    func words(word: String) {
        let message = IncomingMessage(topic: "cast2mqtt/living-room/cmd/\(word.lowercased())", payload: Array(word.utf8))
        let now = Now(monotonic: MonotonicTime(nanoseconds: 0), wall: Timestamp(milliseconds: 0))
        let parsed = CommandParser(topics: Fixture.tree).parse(message, now: now)
        guard case .command = parsed else {
            Issue.record("\(parsed)")
            return
        }
    }

    @Test("the custom integration gets topics of ours and no key that it does not know")
    func customIntegration() throws {
        let mapper = Fixture.mapper(.device) { $0.mediaPlayerCompatibility = .mqttMediaPlayer }
        let message = try #require(mapper.messages(for: Fixture.livingRoom).last)
        #expect(message.topic == "homeassistant/media_player/cast2mqtt_\(Fixture.id)/config")
        let document = try #require(try self.document(message).objectValue)
        #expect(document["origin"] == nil && document["state_topic"] == "cast2mqtt/living-room/status/media_player")
        #expect(document["volume_set_topic"] == "cast2mqtt/living-room/set/volume_level")
        for member in document.members where member.key.hasSuffix("_topic") {
            #expect(member.value.stringValue?.hasPrefix("cast2mqtt/living-room/") == true)
        }
        #expect(Set(document.keys).isSubset(of: Self.keysOfCustomIntegration))
    }

    /// Any other makes it refuse the whole device.
    private static let keysOfCustomIntegration: Set<String> = [
        "name", "unique_id", "device", "availability_topic", "state_topic", "media_title_topic", "media_artist_topic",
        "media_album_name_topic", "media_duration_topic", "media_position_topic", "media_image_url_topic", "volume_level_topic",
        "is_volume_muted_topic", "shuffle_topic", "repeat_topic", "app_name_topic", "source_topic", "play_topic", "pause_topic",
        "stop_topic", "next_topic", "previous_topic", "volume_set_topic", "mute_topic", "shuffle_set_topic", "repeat_set_topic",
        "seek_topic", "select_source_topic", "play_media_topic", "turn_off_topic",
    ]

    @Test(
        "what the custom integration sends is taken",
        arguments: [
            ("play", "Play"), ("pause", "Pause"), ("stop", "Stop"), ("next", "Next"), ("previous", "Previous"), ("turn_off", "OFF"),
            ("volume_set", "0.34"), ("mute", "ON"), ("shuffle_set", "OFF"), ("repeat_set", "one"), ("seek", "63"),
            ("select_source", "YouTube"), ("play_media", "http://192.168.1.5/a.mp3"),
        ])
    func customIntegration(key: String, payload: String) throws {
        let mapper = Fixture.mapper(.device) { $0.mediaPlayerCompatibility = .mqttMediaPlayer }
        let document = try self.document(try #require(mapper.messages(for: Fixture.livingRoom).last))
        let topic = try #require(document["\(key)_topic"]?.stringValue)
        let now = Now(monotonic: MonotonicTime(nanoseconds: 0), wall: Timestamp(milliseconds: 0))
        guard case .command = CommandParser(topics: Fixture.tree).parse(.init(topic: topic, payload: Array(payload.utf8)), now: now) else {
            Issue.record("\(topic) takes no \(payload)")
            return
        }
    }
}
