import BridgeCore
import CastModels

/// What Home Assistant is told of one device: as long as this stays equal, nothing has to be announced anew.
public struct AnnouncedDevice: Sendable, Hashable {
    public var id: Device.ID
    public var slug: String
    /// Never empty.
    public var name: String
    public var kind: Device.Kind
    public var model: String?
    public var manufacturer: String?
    public var firmware: String?
    /// `aa:bb:cc:dd:ee:ff`.
    public var macAddress: String?
    /// Where the user says that it stands.
    public var area: String?
    public var offers: OfferedOptions

    public init(
        id: Device.ID, slug: String, name: String, kind: Device.Kind, model: String? = nil, manufacturer: String? = nil,
        firmware: String? = nil, macAddress: String? = nil, area: String? = nil, offers: OfferedOptions = OfferedOptions()
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
    }

    /// - Parameter offers: updated with the same state.
    public init(_ state: borrowing DeviceState, offers: OfferedOptions, area: String?) {
        self.init(
            id: state.device.id, slug: state.slug, name: state.device.friendlyName, kind: state.device.kind, model: state.device.modelName,
            manufacturer: state.details.manufacturer, firmware: state.details.firmware, macAddress: state.details.macAddress, area: area,
            offers: offers)
    }

    /// Whether it shows pictures: text tracks, ads and an HDMI input come with a screen.
    var hasScreen: Bool { self.kind == .cast }

    /// Home Assistant refuses a whole device for an empty name, and cuts at 255 characters.
    private static func text(_ text: String) -> String? {
        let printable = text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }
        var result = String.UnicodeScalarView()
        result.append(contentsOf: printable.drop { $0.properties.isWhitespace }.prefix(255))
        while let last = result.last, last.properties.isWhitespace { result.removeLast() }
        return result.isEmpty ? nil : String(result)
    }
}

/// The options of selects that depend on what runs. Home Assistant wants them announced, so they change as rarely as can be.
public struct OfferedOptions: Sendable, Hashable {
    /// Most options of one select.
    static let maximumCount = 32
    /// Home Assistant's bound of a state.
    static let maximumLength = 255

    /// Names of text tracks of the medium that was played last.
    public private(set) var textTracks: [String]
    /// The application that ran last, unless it is one of those that are always offered.
    public private(set) var application: String?

    public init(textTracks: [String] = [], application: String? = nil) {
        self.textTracks = Self.usable(textTracks)
        self.application = application.flatMap { Self.usable([$0]).first }
    }

    /// All of a state that options are made of. As long as it stays equal, `update` has nothing to find; to compare it costs far less.
    public struct Source: Sendable, Hashable {
        /// Of the medium that is shown; `nil` without one.
        fileprivate var tracks: [MediaTrack]?
        /// Of the application that runs, unless that is the idle screen.
        fileprivate var application: String?

        /// - Parameter state: borrowed, because a copy of `DeviceState` retains about 100 references.
        public init(_ state: borrowing DeviceState) {
            self.tracks = state.shownMedia?.shownMedia?.tracks
            self.application = state.receiver?.application?.isIdleScreen == false ? state.receiver?.application?.name : nil
        }
    }

    /// Takes in what the device plays now. Without media the tracks stay: the next item often has the same.
    /// - Parameter applications: what is offered always.
    /// - Returns: whether anything changed.
    public mutating func update(with state: DeviceState, applications: [String]) -> Bool {
        self.update(with: Source(state), applications: applications)
    }

    public mutating func update(with source: Source, applications: [String]) -> Bool {
        let before = self
        if let tracks = source.tracks { self.textTracks = Self.usable(tracks.filter { $0.type == .text }.map(\.displayName)) }
        if let running = source.application, let name = Self.usable([running]).first, !applications.contains(name) {
            self.application = name
        }
        return self != before
    }

    /// Each once, without blanks around, and without what Home Assistant takes for something else.
    static func usable(_ names: [String]) -> [String] {
        var usable: [String] = []
        for name in names where usable.count < Self.maximumCount {
            let name = Self.trimmed(name)
            guard !name.isEmpty, name.unicodeScalars.count <= Self.maximumLength, !["none", "off"].contains(name.lowercased()),
                !name.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }), !usable.contains(name)
            else { continue }
            usable.append(name)
        }
        return usable
    }

    private static func trimmed(_ text: String) -> String {
        var scalars = text.unicodeScalars[...]
        while let first = scalars.first, first.properties.isWhitespace { scalars.removeFirst() }
        while let last = scalars.last, last.properties.isWhitespace { scalars.removeLast() }
        return String(scalars)
    }
}

extension MediaTrack {
    /// What `state.tracks` calls it: its name, its language or its number.
    fileprivate var displayName: String {
        if let name, !name.isEmpty { return name }
        if let language, !language.isEmpty { return language }
        return String(self.trackID)
    }
}
