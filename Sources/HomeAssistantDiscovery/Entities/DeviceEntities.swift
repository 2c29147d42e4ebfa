import BridgeCore
import CastModels

/// The entities of one Cast device. They depend on the kind of device, never on its media.
struct DeviceEntities {
    let device: AnnouncedDevice
    let tree: TopicTree
    let options: DiscoveryMapper.Options
    let entity: EntityFactory
    let optional: OptionalEntities

    /// - Parameter optional: the optional entities; `nil` selects those of this device with these options.
    init(_ device: AnnouncedDevice, tree: TopicTree, options: DiscoveryMapper.Options, optional: OptionalEntities? = nil) {
        self.device = device
        self.tree = tree
        self.options = options
        self.optional = optional ?? OptionalEntities(of: device, options)
        self.entity = EntityFactory(identifier: DiscoveryNames.device(device.id), entityPrefix: device.objectID)
    }

    /// All entities, in the order of the document.
    var all: [Component] {
        let all = self.player + self.media + self.volume + self.playback + self.buttons + self.facts + self.triggers
        return all.filter { component in
            let isOfPlayer = component.platform != .deviceAutomation && !Self.companions.contains(component.key)
            return component.isOffered && (self.has(.controls) || !isOfPlayer)
        }
    }

    /// What the media player of the integration lacks.
    private static let companions: Set = [
        "connection", "last_error", "event", "ad", "skip_ad", "active_input", "text_track", "preset", "sleep", "sleep_at", "ends_at",
    ]

    private func has(_ kind: OptionalEntities) -> Bool { self.optional.contains(kind) }

    private func topic(_ name: String) -> String { self.tree.device(self.device.slug, name) }
    private var state: String { self.topic("state") }

    private var player: [Component] {
        [
            self.entity("player", .sensor, nil).deviceClass("enum").options(DevicePlayerState.allCases.map(\.rawValue))
                .state(self.state, "{{ value_json.player }}").attributes(self.topic("media")).icon("cast"),
            self.entity("app", .sensor, "App").state(self.state, Template.text("app.source")).icon("application").disabled(),
            self.entity("playing", .binarySensor, "Playing")
                .state(self.state, "{{ 'ON' if value_json.player in \(Template.list(["playing", "buffering"])) else 'OFF' }}")
                .icon("play-circle").disabled(),
        ]
    }

    private var media: [Component] {
        [
            self.entity("title", .sensor, "Media title").state(self.state, Template.text("media.title")).icon("music-note"),
            self.entity("artist", .sensor, "Media artist").state(self.state, Template.text("media.artist")).icon("account-music")
                .disabled(),
            self.entity("album", .sensor, "Media album").state(self.state, Template.text("media.album")).icon("album").disabled(),
            self.seconds("duration", "Media duration").state(self.state, Template.number("media.duration")).disabled(),
            self.entity("ends_at", .sensor, "Media ends at").deviceClass("timestamp").state(self.state, Template.time("media.ends_at"))
                .disabled(),
            // Disabled by default, because its ticks would fill the history.
            self.seconds("position", "Media position").state(self.topic("status/position"), Template.plain).disabled()
                .only(if: self.has(.plainValues)),
            self.artwork.only(if: self.has(.artwork)),
        ]
    }

    private var artwork: Component {
        let artwork = self.entity("artwork", .image, "Artwork")
        if self.options.hasArtworkImages {
            // Home Assistant passes the bytes on; browsers detect the other formats under this type.
            return artwork.with("image_topic", .string(self.topic("artwork/image"))).with("content_type", "image/jpeg")
        }
        // Home Assistant fetches it, and logs an error for a text that is no address. It may not trust the certificate of a page with TLS.
        let page = self.options.page.flatMap { $0.hasPrefix("http:") ? $0 + "favicon.ico" : nil }
        let placeholder = self.options.homeAssistant.placeholderImage ?? page ?? Self.homeAssistantIcon
        return artwork.with("url_topic", .string(self.topic("status/artwork")))
            .with("url_template", .string("{{ value or \(Template.literal(placeholder)) }}"))
    }

    /// The picture of an idle device without a page of ours, at the usual port of Home Assistant itself.
    private static let homeAssistantIcon = "http://127.0.0.1:8123/static/icons/favicon-192x192.png"

    private func seconds(_ key: String, _ name: String) -> Component {
        self.entity(key, .sensor, name).deviceClass("duration").unit("s").with("suggested_display_precision", 0)
    }

    private var volume: [Component] {
        [
            self.entity("volume", .number, "Volume").state(self.state, Template.number("volume.percent")).command(self.topic("set/volume"))
                .range(0...100, step: 1).unit("%").icon("volume-high").only(if: self.has(.volume)),
            self.entity("mute", .onOff, "Mute").state(self.state, Template.flag("volume.muted")).command(self.topic("set/muted"))
                .with("entity_category", "config").icon("volume-off").disabled().only(if: self.has(.volume)),
        ]
    }

    private var playback: [Component] {
        let (tracks, presets, isCompanion) = (self.device.offers.textTracks, self.device.presets, !self.has(.controls))
        return [
            self.entity("shuffle", .onOff, "Shuffle").state(self.state, Template.flag("queue.shuffle")).command(self.topic("set/shuffle"))
                .with("entity_category", "config").icon("shuffle").disabled(),
            self.entity("repeat", .select, "Repeat").options(RepeatMode.words)
                .state(self.state, Template.choice("queue.repeat", of: RepeatMode.words))
                .command(self.topic("set/repeat")).icon("repeat").disabled(),
            self.entity("source", .select, "Source").options(self.sources)
                .state(self.state, Template.choice("app.source", of: self.sources))
                .command(self.topic("set/app")).icon("apps"),
            self.entity("play_url", .text, "Play URL").command(self.topic("cmd/load"))
                .with("max", 255).with("mode", "text").with("entity_category", "config").icon("link").disabled(),
            // The minutes of a timer that runs are unknown: they would change with every message.
            self.entity("sleep", .select, "Sleep timer").options(["Off"] + [15, 30, 45, 60, 90, 120].map { "\($0) min" })
                .state(self.state, "{{ 'None' if value_json.sleep_at else 'Off' }}")
                .command(self.topic("cmd/sleep")).with("command_template", "{{ value.split()[0] }}").icon("sleep").disabled(!isCompanion),
            self.entity("sleep_at", .sensor, "Sleep at").deviceClass("timestamp").state(self.state, Template.time("sleep_at"))
                .icon("sleep").disabled(!isCompanion),
            self.entity("preset", .select, "Preset").options(presets).state(self.state, Template.choice("preset", of: presets))
                .command(self.topic("cmd/preset")).icon("playlist-star").only(if: !presets.isEmpty),
            self.entity("seek", .number, "Seek").state(self.topic("status/position_percent"), Template.plain)
                .command(self.topic("set/position_percent")).range(0...100, step: 0.1).unit("%")
                .icon("fast-forward").disabled().only(if: self.has(.plainValues)),
            // Home Assistant logs an error for a value above the maximum, which the position of live media may exceed.
            self.entity("seek_position", .number, "Seek position")
                .state(self.topic("status/position"), "{{ value if value and value | float(-1) <= \(Self.longestSeek) else 'None' }}")
                .command(self.topic("set/position")).with("min", 0).with("max", .integer(Self.longestSeek)).with("step", 0.1)
                .with("mode", "box").deviceClass("duration").unit("s").icon("fast-forward").disabled().only(if: self.has(.plainValues)),
            self.entity("text_track", .select, "Subtitles").options([Self.noTextTrack] + tracks)
                .state(self.state, Template.choice("tracks.text", of: tracks, without: Self.noTextTrack))
                .command(self.topic("set/text_track")).icon("subtitles").disabled().only(if: self.has(.screen)),
        ]
    }

    /// A day, in seconds.
    private static let longestSeek: Int64 = 86_400

    /// The value of `set/text_track` for no text track.
    static let noTextTrack = "Off"

    private var sources: [String] {
        self.options.applications.names(without: self.device.unavailableApplications) + (self.device.offers.application.map { [$0] } ?? [])
    }

    private var buttons: [Component] {
        let buttons = [
            ("play_pause", "Play or pause", "play-pause"), ("play", "Play", "play"), ("pause", "Pause", "pause"), ("stop", "Stop", "stop"),
            ("next", "Next", "skip-next"), ("previous", "Previous", "skip-previous"), ("quit_app", "Quit app", "close-box"),
            ("skip_ad", "Skip ad", "debug-step-over"),
        ]
        return buttons.map { verb, name, icon in
            self.entity(verb, .button, name).command(self.topic("cmd/\(verb)")).icon(icon).disabled(verb != "play_pause")
                .only(if: verb != "skip_ad" || self.has(.screen))
        }
    }

    private var facts: [Component] {
        [
            // Without availability, and not from that topic, which is offline at each start: a restart of the bridge would trigger
            // automations.
            self.entity("connection", .binarySensor, "Connection").state(self.state, Template.flag("available"))
                .deviceClass("connectivity").diagnostic().with("availability", .array([])).disabled(self.has(.controls)),
            self.lastError,
            self.entity("event", .event, "Playback").with("state_topic", .string(self.topic("event")))
                .with("event_types", .array(PublishedEvent.Kind.allCases.map { .string($0.rawValue) })).icon("cast-connected").disabled(),
            self.entity("ad", .binarySensor, "Ad playing").state(self.state, Template.flag("ad.playing"))
                .icon("advertisements").disabled().only(if: self.has(.screen)),
            self.entity("active_input", .binarySensor, "Active input").state(self.state, Template.flag("active_input"))
                .diagnostic().icon("video-input-hdmi").disabled().only(if: self.has(.screen)),
            self.entity("members", .sensor, "Members").state(self.topic("group"), "{{ value_json.members | count }}")
                .attributes(self.topic("group")).diagnostic().icon("speaker-multiple").disabled().only(if: self.has(.members)),
        ]
    }

    /// Unknown after the next command that succeeds, where plain values say so.
    private var lastError: Component {
        let error = self.entity("last_error", .sensor, "Last error").attributes(self.topic("error")).diagnostic()
            .icon("alert-circle-outline")
        return self.has(.plainValues)
            ? error.state(self.topic("status/error_code"), Template.plain) : error.state(self.topic("error"), "{{ value_json.code }}")
    }

    /// Triggers for device automations: events with a button in the automation editor. Their topic is never retained, because they would
    /// fire at each start of Home Assistant.
    private var triggers: [Component] {
        var events: [PublishedEvent.Kind] = [.mediaStarted, .mediaEnded, .paused, .resumed, .stopped, .loadFailed]
        if self.has(.screen) { events += [.adStarted, .adEnded] }
        return events.map { event in
            Component(
                "trigger_\(event.rawValue)", .deviceAutomation,
                options: [
                    "automation_type": "trigger", "topic": .string(self.topic("event")), "value_template": "{{ value_json.event_type }}",
                    "payload": .string(event.rawValue), "type": .string(event.rawValue), "subtype": "playback",
                ])
        }
    }
}

extension OptionalEntities {
    init(of device: AnnouncedDevice, _ options: DiscoveryMapper.Options) {
        self = []
        if options.hasPlainValues { self.insert(.plainValues) }
        if options.hasPlainValues || options.hasArtworkImages { self.insert(.artwork) }
        if device.hasScreen { self.insert(.screen) }
        if device.kind == .group { self.insert(.members) }
        if device.hasVolume { self.insert(.volume) }
        if options.homeAssistant.mode != .companion { self.insert(.controls) }
    }
}
