import BridgeCore
import CastModels

@testable import HomeAssistantDiscovery

/// Devices and mappers to announce with.
enum Fixture {
    static let id = "4f1c9a0e7b2d4c3aa5d86e1f0b9c2d34"
    static let tree = TopicTree(base: "cast2mqtt")

    static func mapper(
        _ mode: HomeAssistantOptions.Mode = .device, hasPlainValues: Bool = true,
        hasArtworkImages: Bool = false, _ change: (inout HomeAssistantOptions) -> Void = { _ in }
    ) -> DiscoveryMapper {
        var options = HomeAssistantOptions(mode: mode)
        change(&options)
        return DiscoveryMapper(
            tree: self.tree,
            options: .init(
                homeAssistant: options, instance: "home", version: "1.0.0", hasPlainValues: hasPlainValues,
                hasArtworkImages: hasArtworkImages))
    }

    static let livingRoom = AnnouncedDevice(
        id: id, slug: "living-room", name: "Living Room", kind: .cast, model: "Chromecast", manufacturer: "Google Inc.",
        firmware: "1.56.281627", macAddress: "aa:bb:cc:dd:ee:ff",
        offers: OfferedOptions(textTracks: ["English", "Deutsch"], application: "DashCast"))

    /// Every kind of device, and names that a user may give one.
    static let devices: [AnnouncedDevice] =
        [
            livingRoom,
            AnnouncedDevice(id: "a1", slug: "kitchen", name: "Kitchen", kind: .audio, model: "Nest Audio", area: "Kitchen"),
            AnnouncedDevice(id: "b2", slug: "whole-house", name: "Whole House", kind: .group, model: "Google Cast Group"),
            AnnouncedDevice(id: "c3", slug: "pair", name: "Pair", kind: .stereoPair),
            AnnouncedDevice(id: "d4", slug: "nothing", name: "", kind: .cast, model: "", manufacturer: "", firmware: "", macAddress: ""),
        ]
        + hostileTexts.enumerated().map { index, text in
            AnnouncedDevice(
                id: "e\(index)", slug: "cast-e\(index)", name: text, kind: .cast, model: text, manufacturer: text, firmware: text,
                area: text, offers: OfferedOptions(textTracks: [text, "English", text + " 2"], application: text),
                presets: [text, "Radio One"])
        }

    static let hostileTexts = [
        "Küche", "客厅", "A/B#+", "🎵🎶", "   ", "None", "none", "off", "\u{0}\u{1}", "it's \"quoted\" \\ and {{ 1 }} {% x %} {# y #}",
        String(repeating: "long ", count: 80), String(repeating: "👩‍👩‍👧", count: 100), "line\nbreak", " blanks around ", "\u{202E}txt", "}}",
        "'",
        "Ω≈ç√∫˜µ≤≥÷", "null", "true", "'] or cycler.__init__",
    ]
}
