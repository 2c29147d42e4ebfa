/// The applications that people can start on every device, apart from those that a device reported as unavailable.
public struct OfferedApplications: Sendable, Hashable {
    /// The names, each once.
    private let names: [String]
    /// The ids of those that are known, by name.
    public let ids: [String: String]

    public init(_ names: [String] = [], ids: [String: String] = [:]) { (self.names, self.ids) = (names, ids) }

    /// - Parameter unavailable: the ids of the applications that the device reported as unavailable.
    public func names(without unavailable: Set<String>) -> [String] {
        unavailable.isEmpty ? self.names : self.names.filter { name in self.ids[name].map { !unavailable.contains($0) } ?? true }
    }
}
