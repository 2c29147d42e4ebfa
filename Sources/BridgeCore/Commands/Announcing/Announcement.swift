import CastModels

/// Something to play in between: a medium or a text, after which the device does again what it did.
public struct Announcement: Sendable, Hashable {
    public enum Content: Sendable, Hashable {
        case media(MediaInformation)
        /// A text to speak, and its language.
        case text(String, language: String?)
    }

    public enum Priority: String, Sendable, Hashable, CaseIterable {
        case normal
        /// Interrupts others, and is heard in quiet hours.
        case high
    }

    /// The volume while it plays; afterwards it is what it was, unless a person changed it.
    public enum Volume: Sendable, Hashable {
        /// 0 to 1.
        case absolute(Double)
        /// -1 to 1, added to the present level.
        case relative(Double)
        /// 0 to 1; a louder device stays as it is.
        case atLeast(Double)

        /// Returns the level to set.
        /// - Parameter limit: the loudest that the device may be, 0 to 1.
        public func level(from present: Double, limit: Double?) -> Double {
            let wanted =
                switch self {
                case .absolute(let level): level
                case .relative(let difference): present + difference
                case .atLeast(let level): max(present, level)
                }
            return min(max(wanted, 0), limit ?? 1)
        }
    }

    public var content: Content
    public var volume: Volume?
    public var chime: Chime?
    /// Slugs, ids or aliases of the devices, in place of the one that received the command; empty for that one.
    public var targets: [String] = []
    public var priority = Priority.normal
    /// The longest time that it plays, in seconds.
    public var limit: Double = Announcement.defaultLimit
    /// Whether it is refused where what plays can't be given back.
    public var onlyIfRestorable = false

    public init(_ content: Content) { self.content = content }

    public static let defaultLimit: Double = 30
    /// The longest text, in bytes.
    public static let maximumTextBytes = 2_000
}
