public struct HomeAssistantOptions: Sendable, Hashable {
    public var mode: Mode
    /// Where `mode` was chosen, as `bridge/info` names it.
    public var modeSource = ModeSource.defaults
    /// The first levels of every announcement; must equal the prefix in Home Assistant's MQTT settings.
    public var prefix = "homeassistant"
    /// The topic on which Home Assistant reports `online` after its start; `nil` disables it.
    public var statusTopic: String? = "homeassistant/status"
    /// Whether a device's MAC address is announced, which links it with other integrations.
    public var sharesMACAddress = false
    /// The address of the picture while a device has none; Home Assistant fetches it. With `nil`, it shows its own icon.
    public var placeholderImage: String?
    /// The address of a help page to name in announcements; `nil` names none.
    public var supportURL: String?
    public var mediaPlayerCompatibility = MediaPlayerCompatibility.off

    public init(mode: Mode = .device) { self.mode = mode }

    public enum Mode: String, Sendable, Hashable, CaseIterable {
        /// One message for each device: Home Assistant 2024.11 and later.
        case device
        /// The same, without what the media player of the integration offers.
        case companion
        /// One message for each entity: any Home Assistant.
        case components
        case off

        /// Whether a device is announced in one message. The bridge changes between these while it runs.
        public var isWhole: Bool { self == .device || self == .companion }
    }

    public enum ModeSource: String, Sendable, Hashable {
        case environment, file, settings
        case defaults = "default"
    }

    /// The integration, not part of Home Assistant, that gets additional announcements.
    public enum MediaPlayerCompatibility: String, Sendable, Hashable, CaseIterable {
        case off
        /// `custom_components/mqtt_media_player`, which subscribes below `<prefix>/media_player/`.
        case mqttMediaPlayer = "mqtt_media_player"
    }
}
