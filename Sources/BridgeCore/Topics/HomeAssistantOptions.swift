/// How devices are announced to Home Assistant.
package struct HomeAssistantOptions: Sendable, Hashable {
    package var mode: Mode
    /// The first levels of every announcement; must equal the prefix in Home Assistant's MQTT settings.
    package var prefix: String
    /// The topic on which Home Assistant reports `online` after its start; `nil` disables it.
    package var statusTopic: String?
    /// Whether a device's MAC address is announced, which links it with other integrations.
    package var sharesMACAddress: Bool
    /// The address of the picture while a device has none; Home Assistant fetches it. With `nil`, *Artwork* is unavailable then.
    package var placeholderImage: String?
    /// The address of a help page to name in announcements; `nil` names none.
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
        /// One message for each device: Home Assistant 2024.11 and later.
        case device
        /// One message for each entity: any Home Assistant.
        case components
        case off
    }

    /// The integration, not part of Home Assistant, that gets additional announcements.
    package enum MediaPlayerCompatibility: String, Sendable, Hashable, CaseIterable {
        case off
        /// `custom_components/mqtt_media_player`, which subscribes below `<prefix>/media_player/`.
        case mqttMediaPlayer = "mqtt_media_player"
    }
}
