import BridgeCore
import CastModels

/// The part of a device's state from which its announcement is made. The device is announced again only when this changes.
public struct AnnouncedDevice: Sendable, Hashable {
    public var id: Device.ID
    public var slug: String
    /// The name; never empty.
    public var name: String
    public var kind: Device.Kind
    public var model: String?
    public var manufacturer: String?
    public var firmware: String?
    /// The MAC address, `aa:bb:cc:dd:ee:ff`.
    public var macAddress: String?
    /// The room that the user assigned in the configuration.
    public var area: String?
    public var offers: OfferedOptions
    /// The ids of the applications that the device reported as unavailable.
    public var unavailableApplications: Set<String>
    public var hasVolume: Bool
    /// The names of the presets, as far as Home Assistant can show them.
    public var presets: [String]

    public init(
        id: Device.ID, slug: String, name: String, kind: Device.Kind, model: String? = nil, manufacturer: String? = nil,
        firmware: String? = nil, macAddress: String? = nil, area: String? = nil, offers: OfferedOptions = OfferedOptions(),
        unavailableApplications: Set<String> = [], hasVolume: Bool = true, presets: [String] = []
    ) {
        self.id = id
        self.slug = slug
        self.name = Self.text(name) ?? slug
        self.kind = kind
        self.model = model.flatMap(Self.text)
        self.manufacturer = manufacturer.flatMap(Self.text)
        self.firmware = firmware.flatMap(Self.text)
        self.macAddress = macAddress.flatMap(Self.text)
        self.area = area.flatMap(Self.text)
        self.offers = offers
        self.unavailableApplications = unavailableApplications
        self.hasVolume = hasVolume
        self.presets = OfferedOptions.usable(presets)
    }

    /// - Parameters:
    ///   - offers: the offered options, updated with the same state.
    ///   - hadVolume: whether the device was announced with a volume; applies until the device reports its own.
    public init(_ state: borrowing DeviceState, offers: OfferedOptions, presets: [String] = [], area: String?, hadVolume: Bool = true) {
        self.init(
            id: state.device.id, slug: state.slug, name: state.device.friendlyName, kind: state.device.kind, model: state.device.modelName,
            manufacturer: state.details.manufacturer, firmware: state.details.firmware, macAddress: state.details.macAddress, area: area,
            offers: offers, unavailableApplications: state.application.unavailable,
            hasVolume: state.receiver?.volume?.isChangeable ?? hadVolume, presets: presets)
    }

    /// The slug as entity ids contain it.
    var objectID: String { String(self.slug.map { $0 == "-" ? "_" : $0 }) }

    /// Whether the device has a screen. Without one it gets no entities for text tracks, ads and the HDMI input.
    var hasScreen: Bool { self.kind == .cast }

    /// Returns the text in a form that Home Assistant accepts, or `nil` when no characters remain: it rejects a whole device for an empty
    /// name, and truncates at 255 characters.
    private static func text(_ text: String) -> String? {
        let printable = String.UnicodeScalarView(text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 })
        let result = String(String(printable).trimmedWhitespace.unicodeScalars.prefix(255)).trimmedWhitespace
        return result.isEmpty ? nil : result
    }
}

/// The options of selects that depend on the media. Each change causes an announcement, so they change as rarely as possible.
public struct OfferedOptions: Sendable, Hashable {
    /// The largest number of options of one select.
    static let maximumCount = 32
    /// The longest state that Home Assistant accepts, in characters.
    static let maximumLength = 255

    /// The names of the text tracks of the last media with text tracks.
    public private(set) var textTracks: [String]
    /// The application that ran last, unless it is always offered.
    public private(set) var application: String?

    public init(textTracks: [String] = [], application: String? = nil) {
        self.textTracks = Self.usable(textTracks)
        self.application = application.flatMap { Self.usable([$0]).first }
    }

    /// The part of a device's state from which the options are derived. While it stays equal, `update` changes nothing; comparing it costs
    /// far less.
    public struct Source: Sendable, Hashable {
        /// The tracks of the shown media; `nil` without media.
        fileprivate var tracks: [MediaTrack]?
        /// The name of the running application; `nil` for the idle screen.
        fileprivate var application: String?
        /// The parts of the announcement other than the options.
        public private(set) var facts: Facts

        /// The reported facts that an announcement depends on.
        public struct Facts: Sendable, Hashable {
            public var unavailableApplications: Set<String>
            var isVolumeChangeable: Bool?
        }

        /// - Parameter state: borrowed, because a copy of `DeviceState` retains about 100 references.
        public init(_ state: borrowing DeviceState) {
            self.tracks = state.media.shown?.shownMedia?.tracks
            self.application = state.receiver?.application?.isIdleScreen == false ? state.receiver?.application?.name : nil
            self.facts = Facts(
                unavailableApplications: state.application.unavailable, isVolumeChangeable: state.receiver?.volume?.isChangeable)
        }
    }

    /// Updates the options. Without media the tracks are kept, because the next item often has the same.
    /// - Parameter applications: the applications that the device always offers.
    /// - Returns: whether any option changed.
    public mutating func update(with source: Source, applications: [String]) -> Bool {
        let before = self
        if let tracks = source.tracks { self.textTracks = Self.usable(tracks.filter { $0.type == .text }.map(\.displayName)) }
        if let running = source.application, let name = Self.usable([running]).first, !applications.contains(name) {
            self.application = name
        }
        return self != before
    }

    /// Returns each name once, trimmed, without those that have a special meaning in Home Assistant (`none`, `off`).
    static func usable(_ names: [String]) -> [String] {
        var usable: [String] = []
        for name in names where usable.count < Self.maximumCount {
            let name = name.trimmedWhitespace
            guard !name.isEmpty, name.unicodeScalars.count <= Self.maximumLength, !["none", "off"].contains(name.lowercased()),
                !name.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }), !usable.contains(name)
            else { continue }
            usable.append(name)
        }
        return usable
    }
}
