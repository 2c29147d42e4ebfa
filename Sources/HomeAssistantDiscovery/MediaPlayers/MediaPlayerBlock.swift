import BridgeCore
import CastModels

/// Media players for devices, as a YAML file to include in Home Assistant's `configuration.yaml`, because its MQTT integration has none.
public struct MediaPlayerBlock: Sendable {
    public let tree: TopicTree
    /// The applications that every device offers as sources.
    public let applications: [String]

    public init(tree: TopicTree, applications: [String] = DiscoveryMapper.Options.defaultApplications) {
        self.tree = tree
        self.applications = OfferedOptions.usable(applications)
    }

    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The template media player of Home Assistant 2026.11 and later.
        case template
        /// The universal media player of any Home Assistant, which shows the values of the announced entities.
        case universal
    }

    /// Returns the file for these devices, with comments that explain how to include it; empty without devices.
    ///
    /// Home Assistant silently ignores one of two equal keys in `configuration.yaml`. So the file contains no key that may already be
    /// there: list items for `template`, or a package.
    public func yaml(_ kind: Kind, _ devices: [AnnouncedDevice]) -> String {
        guard !devices.isEmpty else { return "" }
        switch kind {
        case .template: return Self.listComment + devices.map { self.template($0) }.joined()
        case .universal:
            return Self.packageComment + "media_player:\n" + devices.map { self.universal($0) }.joined() + "template:\n"
                + devices.map { self.volumeSensor($0) }.joined()
        }
    }

    private static let listComment = """
        # Save this as cast2mqtt.yaml beside configuration.yaml, and write there:
        #
        #   template: !include cast2mqtt.yaml
        #
        # If configuration.yaml has `template:` already, write this instead (without its first line where `homeassistant:` is there already):
        #
        #   homeassistant:
        #     packages:
        #       cast2mqtt:
        #         template: !include cast2mqtt.yaml

        """

    private static let packageComment = """
        # Save this as cast2mqtt_universal.yaml beside configuration.yaml, and write there (without its first line where `homeassistant:` is
        # there already):
        #
        #   homeassistant:
        #     packages:
        #       cast2mqtt_universal: !include cast2mqtt_universal.yaml
        #
        # Mute, shuffle and repeat are shown once you enable the entities Mute, Shuffle and Repeat of the device.

        """

    /// Returns the text as YAML, which includes JSON strings but for a few characters that YAML takes only escaped, or for ends of lines.
    static func quoted(_ text: String) -> String {
        JSONWriter.string(of: .string(text)).unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar.value {
            case 0x7F...0x9F: result += "\\x" + String(scalar.value, radix: 16)
            case 0x2028, 0x2029, 0xFEFF, 0xFFFE, 0xFFFF: result += "\\u" + String(scalar.value, radix: 16)
            default: result.unicodeScalars.append(scalar)
            }
        }
    }

    /// Returns a template that yields the text: a name may hold what Jinja would carry out.
    static func plain(_ text: String) -> String { text.contains { "{}%#".contains($0) } ? "{{ \(Template.literal(text)) }}" : text }

    func topic(_ device: AnnouncedDevice, _ name: String) -> String { Self.quoted(self.tree.device(device.slug, name)) }

    func deviceClass(_ device: AnnouncedDevice) -> String { device.hasScreen ? "tv" : "speaker" }

    /// Actions of a media player, the topics of their commands, and templates for the payloads.
    static let actions = [
        ("turn_off", "cmd/quit_app", ""), ("media_play", "cmd/play", ""), ("media_pause", "cmd/pause", ""), ("media_stop", "cmd/stop", ""),
        ("media_next_track", "cmd/next", ""), ("media_previous_track", "cmd/previous", ""),
        ("media_seek", "set/position", "{{ seek_position }}"), ("volume_set", "set/volume_level", "{{ volume_level }}"),
        ("volume_mute", "set/muted", "{{ is_volume_muted }}"), ("volume_up", "cmd/volume_up", ""), ("volume_down", "cmd/volume_down", ""),
        ("shuffle_set", "set/shuffle", "{{ shuffle }}"), ("repeat_set", "set/repeat", "{{ repeat }}"),
        ("select_source", "set/app", "{{ source }}"),
        ("play_media", "cmd/load", playMedia),
    ]

    /// The media to play, its place in the queue, and details such as a title. `announce` is left out: its media is played like any other.
    private static let playMedia =
        "{% set m = {'url': media_content_id, 'content_type': media_content_type} %}"
        + "{% if enqueue is defined and enqueue %}{% set m = dict(m, enqueue=enqueue | string) %}{% endif %}"
        + "{% if extra is defined and extra %}{% set m = dict(m, extra=extra) %}{% endif %}{{ m | to_json }}"
}
