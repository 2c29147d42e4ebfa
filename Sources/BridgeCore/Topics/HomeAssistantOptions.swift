/// How devices are announced to Home Assistant.
public struct HomeAssistantOptions: Sendable, Hashable {
    public var mode: Mode
    /// The first levels of every announcement; the same as in Home Assistant's MQTT settings.
    public var prefix: String
    /// Where Home Assistant says `online` when it started; `nil` listens to nothing.
    public var statusTopic: String?
    /// Whether a device's MAC address is told, which links it with what other integrations know of it.
    public var sharesMACAddress: Bool
    /// The address of the picture while a device has none; Home Assistant fetches it. `nil` makes *Artwork* unavailable then.
    public var placeholderImage: String?
    /// The address of a page with help, to which announcements refer; `nil` names none.
    public var supportURL: String?
    public var mediaPlayerCompatibility: MediaPlayerCompatibility

    public init(
        mode: Mode = .device, prefix: String = "homeassistant", statusTopic: String? = "homeassistant/status",
        sharesMACAddress: Bool = false, placeholderImage: String? = nil, supportURL: String? = nil,
        mediaPlayerCompatibility: MediaPlayerCompatibility = .off
    ) {
        self.mode = mode
        self.prefix = prefix
        self.statusTopic = statusTopic
        self.sharesMACAddress = sharesMACAddress
        self.placeholderImage = placeholderImage
        self.supportURL = supportURL
        self.mediaPlayerCompatibility = mediaPlayerCompatibility
    }

    /// The form of the announcements.
    public enum Mode: String, Sendable, Hashable, CaseIterable {
        /// One message a device: Home Assistant 2024.11 and later.
        case device
        /// One message an entity: any Home Assistant.
        case components
        case off
    }

    /// Which integration that is not part of Home Assistant gets announcements of its own.
    public enum MediaPlayerCompatibility: String, Sendable, Hashable, CaseIterable {
        case off
        /// `custom_components/mqtt_media_player`, which listens below `<prefix>/media_player/`.
        case mqttMediaPlayer = "mqtt_media_player"
    }
}
