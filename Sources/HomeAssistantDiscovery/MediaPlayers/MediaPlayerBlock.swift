import BridgeCore
import CastModels

/// A media player for a device, as YAML to paste into Home Assistant's `configuration.yaml`: MQTT has none of its own there.
public struct MediaPlayerBlock: Sendable {
    public let tree: TopicTree
    /// What every device is offered to run.
    public let applications: [String]

    public init(tree: TopicTree, applications: [String] = DiscoveryMapper.Options.defaultApplications) {
        self.tree = tree
        self.applications = OfferedOptions.usable(applications)
    }

    /// Which of Home Assistant's media players.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The template media player of Home Assistant 2026.11 and later.
        case template
        /// The universal media player of any Home Assistant, which shows what the announced entities show.
        case universal
    }

    /// The block for these devices, under one key each of `configuration.yaml`; empty without devices.
    public func yaml(_ kind: Kind, _ devices: [AnnouncedDevice]) -> String {
        guard !devices.isEmpty else { return "" }
        switch kind {
        case .template: return "template:\n" + devices.map { self.template($0) }.joined()
        case .universal:
            return "media_player:\n" + devices.map { self.universal($0) }.joined() + "template:\n"
                + devices.map { self.volumeSensor($0) }.joined()
        }
    }

    /// A text in YAML: every JSON string is one.
    static func quoted(_ text: String) -> String { JSONWriter.string(of: .string(text)) }

    func topic(_ device: AnnouncedDevice, _ name: String) -> String { Self.quoted(self.tree.device(device.slug, name)) }

    func deviceClass(_ device: AnnouncedDevice) -> String { device.hasScreen ? "tv" : "speaker" }

    /// Actions of a media player and where they go; the third is a template for the payload.
    static let actions = [
        ("turn_off", "cmd/quit_app", ""), ("media_play", "cmd/play", ""), ("media_pause", "cmd/pause", ""), ("media_stop", "cmd/stop", ""),
        ("media_next_track", "cmd/next", ""), ("media_previous_track", "cmd/previous", ""),
        ("media_seek", "set/position", "{{ seek_position }}"), ("volume_set", "set/volume_level", "{{ volume_level }}"),
        ("volume_mute", "set/muted", "{{ is_volume_muted }}"), ("volume_up", "cmd/volume_up", ""), ("volume_down", "cmd/volume_down", ""),
        ("shuffle_set", "set/shuffle", "{{ shuffle }}"), ("repeat_set", "set/repeat", "{{ repeat }}"),
        ("select_source", "set/app", "{{ source }}"),
        ("play_media", "cmd/load", playMedia),
    ]

    /// What to play, and what else Home Assistant was told of it: where it goes in the queue, and details like a title. `announce` is left out:
    /// spoken texts come with it, and are played like anything else.
    private static let playMedia =
        "{% set m = {'url': media_content_id, 'content_type': media_content_type} %}"
        + "{% if enqueue is defined and enqueue %}{% set m = dict(m, enqueue=enqueue | string) %}{% endif %}"
        + "{% if extra is defined and extra %}{% set m = dict(m, extra=extra) %}{% endif %}{{ m | to_json }}"
}
