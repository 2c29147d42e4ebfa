import CastModels

/// What the applications call themselves that a device was seen to run, so that they can be started by those names. The newest few.
package struct RecentApplications: Sendable, Hashable {
    /// How many names are kept; the one that was seen longest ago goes first.
    static let maximumCount = 16
    /// What is longer is no name that people choose from a list, in bytes.
    static let maximumLength = 1000

    private struct Entry: Sendable, Hashable {
        let name: String
        let id: String
    }

    private var entries: [Entry] = []

    package init() {}

    /// The device runs this. The idle screen is none that one starts.
    mutating func note(_ application: ReceiverApplication) {
        guard !application.isIdleScreen, let name = application.name.map(Self.trimmed), !name.isEmpty, !application.applicationID.isEmpty,
            max(name.utf8.count, application.applicationID.utf8.count) <= Self.maximumLength
        else { return }
        let entry = Entry(name: name, id: application.applicationID)
        guard self.entries.last != entry else { return }
        self.entries.removeAll { $0.name == name }
        if self.entries.count == Self.maximumCount { self.entries.removeFirst() }
        self.entries.append(entry)
    }

    /// The id behind a name: as it was told, else in any spelling, the newest first.
    func id(for name: String) -> String? {
        let name = Self.trimmed(name)
        if let exact = self.entries.last(where: { $0.name == name }) { return exact.id }
        let folded = ApplicationNames.folded(name)
        guard !folded.isEmpty else { return nil }
        return self.entries.last { ApplicationNames.folded($0.name) == folded }?.id
    }

    private static func trimmed(_ text: String) -> String {
        var scalars = text.unicodeScalars[...]
        while let first = scalars.first, first.properties.isWhitespace { scalars.removeFirst() }
        while let last = scalars.last, last.properties.isWhitespace { scalars.removeLast() }
        return String(scalars)
    }
}
