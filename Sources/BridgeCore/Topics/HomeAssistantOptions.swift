/// How devices are announced to Home Assistant.
package struct HomeAssistantOptions: Sendable, Hashable {
    package var mode: Mode
    /// The first levels of every announcement; the same as in Home Assistant's MQTT settings.
    package var prefix: String
    /// Where Home Assistant says `online` when it started; `nil` listens to nothing.
    package var statusTopic: String?
    /// Whether a device's MAC address is told, which links it with what other integrations know of it.
    package var sharesMACAddress: Bool
    /// The address of the picture while a device has none; Home Assistant fetches it. `nil` makes *Artwork* unavailable then.
    package var placeholderImage: String?
    /// The address of a page with help, to which announcements refer; `nil` names none.
    package var supportURL: String?
    package var mediaPlayerCompatibility: MediaPlayerCompatibility

    package init(
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
    package enum Mode: String, Sendable, Hashable, CaseIterable {
        /// One message a device: Home Assistant 2024.11 and later.
        case device
        /// One message an entity: any Home Assistant.
        case components
        case off
    }

    /// Which integration that is not part of Home Assistant gets announcements of its own.
    package enum MediaPlayerCompatibility: String, Sendable, Hashable, CaseIterable {
        case off
        /// `custom_components/mqtt_media_player`, which listens below `<prefix>/media_player/`.
        case mqttMediaPlayer = "mqtt_media_player"
    }
}
