import CastModels

/// Decides when a web page that stays on a screen is shown again: when the device ended it and shows its idle screen, and nothing else is
/// wanted there. Attempts that last for less than a minute are spaced more and more.
public struct KeptPage: Sendable, Hashable {
    /// Long enough for another sender, which ends an application before it launches its own.
    private static let shortest = Duration.seconds(5), longest = Duration.seconds(300), lasting = Duration.seconds(60)

    public enum Step: Sendable, Hashable {
        case stays
        /// Something else was chosen.
        case isEnded
        case isDue
    }

    private var delay = Self.shortest
    private var shown: MonotonicTime?

    public init() {}

    public static func step(_ state: borrowing DeviceState) -> Step {
        guard state.isAvailable, let receiver = state.receiver else { return .stays }
        if let application = receiver.application, !application.isIdleScreen {
            return application.applicationID == WebPage.applicationID ? .stays : .isEnded
        }
        // A launch would turn the television on, or to this input.
        return receiver.isStandBy == true || receiver.isActiveInput == false ? .stays : .isDue
    }

    /// Returns how long to wait before the page is shown again.
    public mutating func wait(now: MonotonicTime) -> Duration {
        let isShort = self.shown.map { now < $0 + Self.lasting } ?? false
        self.delay = isShort ? min(self.delay * 2, Self.longest) : Self.shortest
        return self.delay
    }

    /// It was shown again, or that failed.
    public mutating func tried(now: MonotonicTime) { self.shown = now }
}

extension WebPage {
    /// Reads what `kept` wrote.
    public init?(kept json: JSONValue) {
        guard let url = json["url"]?.stringValue, url.isWebAddress else { return nil }
        self.init(url: url, isForced: json["force"]?.boolValue ?? false, reloadInterval: json["reload"]?.doubleValue)
    }

    public var kept: JSONValue {
        ["url": .string(self.url), "force": .bool(self.isForced), "reload": self.reloadInterval.map { .number($0) } ?? .null]
    }
}
