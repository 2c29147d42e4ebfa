import CastModels

/// How the web page looks and what its buttons do.
public struct PageOptions: Sendable, Hashable {
    public var title = "Cast"
    public var language = Language.auto
    public var introduction = Introduction()
    /// Three, from left to right.
    public var miniSlots: [PageSlot] = [.none, .playPause, .none]
    /// Four: two left and two right of play and pause.
    public var expandedSlots: [PageSlot] = [.closedCaptions, .rewind30, .forward30, .mute]
    /// Whether the expanded controller opens after a load from the page.
    public var opensExpanded = true
    /// In the order of the configuration.
    public var customButtons: [PageButton] = []
    public var theme = PageTheme()

    public init() {}

    public enum Language: String, Sendable, Hashable, CaseIterable {
        /// The browser's.
        case auto
        case english = "en"
        case german = "de"
        case spanish = "es"
        case indonesian = "id"
    }

    /// The introduction that points at the Cast button for new users. `nil` leaves a text to the page.
    public struct Introduction: Sendable, Hashable {
        public var isEnabled = true
        public var text: String?
        public var title: String?
        public var titlePosition = TitlePosition.above
        public var dismiss: String?

        public enum TitlePosition: String, Sendable, Hashable, CaseIterable { case above, below }
    }
}

public enum PageSlot: Sendable, Hashable {
    case none, playPause, skipPrevious, skipNext, rewind30, forward30, mute, closedCaptions
    /// The button of this name in `PageOptions.customButtons`.
    case custom(String)

    /// The slots by their words, without `custom`.
    public static let words: [(word: String, slot: PageSlot)] = [
        ("none", .none), ("play_pause", .playPause), ("skip_previous", .skipPrevious), ("skip_next", .skipNext),
        ("rewind_30", .rewind30), ("forward_30", .forward30), ("mute", .mute), ("closed_captions", .closedCaptions),
    ]

    private static let customPrefix = "custom:"

    /// - Returns: `nil` for a word that names no slot.
    public init?(_ word: String) {
        if let known = Self.words.first(where: { $0.word == word }) {
            self = known.slot
        } else if word.hasPrefix(Self.customPrefix), PageButton.isName(String(word.dropFirst(Self.customPrefix.count))) {
            self = .custom(String(word.dropFirst(Self.customPrefix.count)))
        } else {
            return nil
        }
    }

    public var word: String {
        if case .custom(let name) = self { return Self.customPrefix + name }
        return Self.words.first { $0.slot == self }?.word ?? "none"
    }
}

/// A button that sends a command of the configuration to the device.
public struct PageButton: Sendable, Hashable {
    public let name: String
    /// The name of an icon of the page.
    public let icon: String
    public let label: String
    /// Below the device: `cmd/launch`.
    public let command: String
    public let payload: String

    public init(name: String, icon: String, label: String, command: String, payload: String) {
        (self.name, self.icon, self.label, self.command, self.payload) = (name, icon, label, command, payload)
    }

    /// Whether a text is 1 to 40 of the characters a-z, 0-9, `_` and `-`.
    public static func isName(_ text: String) -> Bool {
        (1...40).contains(text.utf8.count)
            && text.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5F || $0 == 0x2D }
    }
}
