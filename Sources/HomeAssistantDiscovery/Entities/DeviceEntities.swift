import BridgeCore
import CastModels

/// The entities of one Cast device. They depend on the kind of device, never on its media.
struct DeviceEntities {
    let device: AnnouncedDevice
    let tree: TopicTree
    let options: DiscoveryMapper.Options
    let factory: EntityFactory
    let optional: OptionalEntities

    /// - Parameter optional: the optional entities; `nil` selects those of this device with these options.
    init(_ device: AnnouncedDevice, tree: TopicTree, options: DiscoveryMapper.Options, optional: OptionalEntities? = nil) {
        self.device = device
        self.tree = tree
        self.options = options
        self.optional = optional ?? OptionalEntities(of: device, options)
        self.factory = EntityFactory(
            identifier: DiscoveryNames.device(device.id), entityPrefix: String(device.slug.map { $0 == "-" ? "_" : $0 }))
    }

    /// All entities, in the order of the document.
    var all: [Component] {
        let all = self.player + self.media + self.volume + self.playback + self.buttons + self.facts + self.members + self.triggers
        return self.optional.contains(.controls)
            ? all : all.filter { $0.platform == .deviceAutomation || Self.companions.contains($0.key) }
    }

    /// What the media player of the integration lacks.
    private static let companions: Set = [
        "connection", "last_error", "event", "ad", "skip_ad", "active_input", "text_track", "preset", "sleep", "sleep_at", "ends_at",
    ]
    private var isCompanion: Bool { !self.optional.contains(.controls) }

    private func topic(_ name: String) -> String { self.tree.device(self.device.slug, name) }
    private var state: String { self.topic("state") }

    private var player: [Component] {
        [
            self.factory.entity("player", .sensor, nil).deviceClass("enum").options(DevicePlayerState.allCases.map(\.rawValue))
                .state(self.state, "{{ value_json.player }}").attributes(self.topic("media")).icon("cast"),
            self.factory.entity("app", .sensor, "App").state(self.state, Template.text("app.source")).icon("application").disabled(),
            self.factory.entity("playing", .binarySensor, "Playing")
                .state(self.state, "{{ 'ON' if value_json.player in \(Template.list(["playing", "buffering"])) else 'OFF' }}")
                .icon("play-circle").disabled(),
        ]
    }

    private var media: [Component] {
        var media = [
            self.factory.entity("title", .sensor, "Media title").state(self.state, Template.text("media.title")).icon("music-note"),
            self.factory.entity("artist", .sensor, "Media artist").state(self.state, Template.text("media.artist")).icon("account-music")
                .disabled(),
            self.factory.entity("album", .sensor, "Media album").state(self.state, Template.text("media.album")).icon("album").disabled(),
            self.seconds("duration", "Media duration").state(self.state, Template.number("media.duration")).disabled(),
            self.factory.entity("ends_at", .sensor, "Media ends at").deviceClass("timestamp")
                .state(self.state, Template.time("media.ends_at")).disabled(),
        ]
        if self.optional.contains(.plainValues) {
            // Disabled by default, because its ticks would fill the history.
            media.append(self.seconds("position", "Media position").state(self.topic("status/position"), Template.plain).disabled())
        }
        if self.optional.contains(.artwork) { media.append(self.artwork) }
        return media
    }

    private var artwork: Component {
        if self.options.hasArtworkImages {
            // Home Assistant passes the bytes on; browsers detect the other formats under this type.
            return self.factory.entity("artwork", .image, "Artwork").with("image_topic", .string(self.topic("artwork/image")))
                .with("content_type", "image/jpeg")
        }
        let artwork = self.factory.entity("artwork", .image, "Artwork").with("url_topic", .string(self.topic("status/artwork")))
        // Home Assistant fetches it, and logs an error for a text that is no address. It may not trust the certificate of a page with TLS.
        let page = self.options.page.flatMap { $0.hasPrefix("http:") ? $0 + "favicon.ico" : nil }
        let placeholder = self.options.homeAssistant.placeholderImage ?? page ?? Self.homeAssistantIcon
        return artwork.with("url_template", .string("{{ value or \(Template.literal(placeholder)) }}"))
    }

    /// The picture of an idle device without a page of ours, at the usual port of Home Assistant itself.
    private static let homeAssistantIcon = "http://127.0.0.1:8123/static/icons/favicon-192x192.png"

    private func seconds(_ key: String, _ name: String) -> Component {
        self.factory.entity(key, .sensor, name).deviceClass("duration").unit("s").with("suggested_display_precision", 0)
    }

    private var volume: [Component] {
        guard self.optional.contains(.volume) else { return [] }
        return [
            self.factory.entity("volume", .number, "Volume").state(self.state, Template.number("volume.percent"))
                .command(self.topic("set/volume")).range(0...100, step: 1).unit("%").icon("volume-high"),
            self.factory.entity("mute", .onOff, "Mute").state(self.state, Template.flag("volume.muted"))
                .command(self.topic("set/muted")).with("entity_category", "config").icon("volume-off").disabled(),
        ]
    }

    private var playback: [Component] {
        var playback = [
            self.factory.entity("shuffle", .onOff, "Shuffle").state(self.state, Template.flag("queue.shuffle"))
                .command(self.topic("set/shuffle")).with("entity_category", "config").icon("shuffle").disabled(),
            self.factory.entity("repeat", .select, "Repeat").options(RepeatMode.words)
                .state(self.state, Template.choice("queue.repeat", of: RepeatMode.words))
                .command(self.topic("set/repeat")).icon("repeat").disabled(),
            self.factory.entity("source", .select, "Source").options(self.sources)
                .state(self.state, Template.choice("app.source", of: self.sources))
                .command(self.topic("set/app")).icon("apps"),
            self.factory.entity("play_url", .text, "Play URL").command(self.topic("cmd/load"))
                .with("max", 255).with("mode", "text").with("entity_category", "config").icon("link").disabled(),
        ]
        playback += self.sleep
        if !self.device.presets.isEmpty {
            playback.append(
                self.factory.entity("preset", .select, "Preset").options(self.device.presets)
                    .state(self.state, Template.choice("preset", of: self.device.presets))
                    .command(self.topic("cmd/preset")).icon("playlist-star"))
        }
        if self.optional.contains(.plainValues) {
            playback += [
                self.factory.entity("seek", .number, "Seek").state(self.topic("status/position_percent"), Template.plain)
                    .command(self.topic("set/position_percent")).range(0...100, step: 0.1).unit("%")
                    .icon("fast-forward").disabled(),
                self.seekPosition,
            ]
        }
        if self.optional.contains(.screen) {
            let tracks = self.device.offers.textTracks
            playback.append(
                self.factory.entity("text_track", .select, "Subtitles").options([Self.noTextTrack] + tracks)
                    .state(self.state, Template.choice("tracks.text", of: tracks, without: Self.noTextTrack))
                    .command(self.topic("set/text_track")).icon("subtitles").disabled())
        }
        return playback
    }

    /// The minutes of a timer that runs are unknown: they would change with every message.
    private var sleep: [Component] {
        let minutes = [15, 30, 45, 60, 90, 120].map { "\($0) min" }
        return [
            self.factory.entity("sleep", .select, "Sleep timer").options(["Off"] + minutes)
                .state(self.state, "{{ 'None' if value_json.sleep_at else 'Off' }}")
                .command(self.topic("cmd/sleep")).with("command_template", "{{ value.split()[0] }}").icon("sleep")
                .disabled(!self.isCompanion),
            self.factory.entity("sleep_at", .sensor, "Sleep at").deviceClass("timestamp").state(self.state, Template.time("sleep_at"))
                .icon("sleep").disabled(!self.isCompanion),
        ]
    }

    /// The position for seeking, in seconds. Home Assistant logs an error for a value above the maximum, which the position of live media
    /// may exceed.
    private var seekPosition: Component {
        self.factory.entity("seek_position", .number, "Seek position")
            .state(self.topic("status/position"), "{{ value if value and value | float(-1) <= \(Self.longestSeek) else 'None' }}")
            .command(self.topic("set/position")).with("min", 0).with("max", .integer(Self.longestSeek)).with("step", 0.1)
            .with("mode", "box").deviceClass("duration").unit("s").icon("fast-forward").disabled()
    }

    /// A day, in seconds.
    private static let longestSeek: Int64 = 86_400

    /// The value of `set/text_track` for no text track.
    static let noTextTrack = "Off"

    private var sources: [String] {
        self.options.applications.names(without: self.device.unavailableApplications) + (self.device.offers.application.map { [$0] } ?? [])
    }

    private var buttons: [Component] {
        var buttons = [
            self.button("play", "Play", "play"), self.button("pause", "Pause", "pause"),
            self.button("stop", "Stop", "stop"), self.button("next", "Next", "skip-next"),
            self.button("previous", "Previous", "skip-previous"),
            self.button("quit_app", "Quit app", "close-box"),
        ]
        if self.optional.contains(.screen) { buttons.append(self.button("skip_ad", "Skip ad", "debug-step-over")) }
        return [self.button("play_pause", "Play or pause", "play-pause")] + buttons.map { $0.disabled() }
    }

    private func button(_ verb: String, _ name: String, _ icon: String) -> Component {
        self.factory.entity(verb, .button, name).command(self.topic("cmd/\(verb)")).icon(icon)
    }

    private var facts: [Component] {
        var facts = [
            // Without availability, and not from that topic, which is offline at each start: a restart of the bridge would trigger
            // automations.
            self.factory.entity("connection", .binarySensor, "Connection").state(self.state, Template.flag("available"))
                .deviceClass("connectivity").diagnostic().with("availability", .array([])).disabled(!self.isCompanion),
            self.lastError,
            self.factory.entity("event", .event, "Playback").with("state_topic", .string(self.topic("event")))
                .with("event_types", .array(PublishedEvent.Kind.allCases.map { .string($0.rawValue) })).icon("cast-connected")
                .disabled(),
        ]
        if self.optional.contains(.screen) {
            facts += [
                self.factory.entity("ad", .binarySensor, "Ad playing").state(self.state, Template.flag("ad.playing"))
                    .icon("advertisements").disabled(),
                self.factory.entity("active_input", .binarySensor, "Active input").state(self.state, Template.flag("active_input"))
                    .diagnostic().icon("video-input-hdmi").disabled(),
            ]
        }
        return facts
    }

    /// Unknown after the next command that succeeds, where plain values say so.
    private var lastError: Component {
        let error = self.factory.entity("last_error", .sensor, "Last error").attributes(self.topic("error")).diagnostic()
            .icon("alert-circle-outline")
        return self.optional.contains(.plainValues)
            ? error.state(self.topic("status/error_code"), Template.plain) : error.state(self.topic("error"), "{{ value_json.code }}")
    }

    private var members: [Component] {
        guard self.optional.contains(.members) else { return [] }
        return [
            self.factory.entity("members", .sensor, "Members").state(self.topic("group"), "{{ value_json.members | count }}")
                .attributes(self.topic("group")).diagnostic().icon("speaker-multiple").disabled()
        ]
    }

    /// Triggers for device automations: events with a button in the automation editor. Their topic is never retained, because they would
    /// fire at each start of Home Assistant.
    private var triggers: [Component] {
        var events: [PublishedEvent.Kind] = [.mediaStarted, .mediaEnded, .paused, .resumed, .stopped, .loadFailed]
        if self.optional.contains(.screen) { events += [.adStarted, .adEnded] }
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
