/// One exception from the general log level: components that match `component` log from `level` up. Written as `CastSender.*=debug`.
///
/// A pattern matches a whole label, or the type name after the last dot of a label: `CastSession` and `Cast*Session` both match
/// `CastSender.CastSession`.
public struct LogFilter: Sendable, Hashable, CustomStringConvertible {
    public var component: GlobPattern
    public var level: LogLevel

    public init(component: GlobPattern, level: LogLevel) { (self.component, self.level) = (component, level) }

    /// Parses `glob=level`; `nil` for any other text.
    public init?(_ text: String) {
        let halves = text.split(separator: "=", omittingEmptySubsequences: false)
        guard halves.count == 2, let component = GlobPattern(Self.trimmed(halves[0])), let level = LogLevel(name: Self.trimmed(halves[1]))
        else {
            return nil
        }
        self.init(component: component, level: level)
    }

    public var description: String { "\(self.component)=\(self.level.rawValue)" }

    private static func trimmed(_ text: Substring) -> String {
        String(text.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}

/// The log levels in effect: a general one and its exceptions.
public struct LogFilters: Sendable, Hashable {
    /// The largest number of exceptions.
    public static let maximumCount = 64

    public var level: LogLevel
    /// The exceptions. The last one that matches applies.
    public var filters: [LogFilter]

    public init(level: LogLevel = .info, filters: [LogFilter] = []) { (self.level, self.filters) = (level, filters) }

    /// Returns the lowest level that `component` logs.
    public func level(for component: String) -> LogLevel {
        guard !self.filters.isEmpty else { return self.level }
        let type = component.lastIndex(of: ".").map { String(component[component.index(after: $0)...]) } ?? component
        return self.filters.last { $0.component.matches(component) || $0.component.matches(type) }?.level ?? self.level
    }
}
