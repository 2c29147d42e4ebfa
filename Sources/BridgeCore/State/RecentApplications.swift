import CastModels

/// The names of applications that a device was seen running, so that they can be launched by name. Only the newest are kept.
public struct RecentApplications: Sendable, Hashable {
    /// The number of names kept; the least recently seen one is removed first.
    static let maximumCount = 16
    /// The longest name that is kept, in bytes; users cannot choose longer ones from a list.
    static let maximumLength = 1000

    private struct Entry: Sendable, Hashable {
        let name: String
        let id: String
    }

    private var entries: [Entry] = []

    public init() {}

    /// Adds the application that the device runs. Ignores the idle screen, which cannot be launched.
    mutating func note(_ application: ReceiverApplication) {
        guard !application.isIdleScreen, let name = application.name?.trimmedWhitespace, !name.isEmpty, !application.applicationID.isEmpty,
            max(name.utf8.count, application.applicationID.utf8.count) <= Self.maximumLength
        else { return }
        let entry = Entry(name: name, id: application.applicationID)
        guard self.entries.last != entry else { return }
        self.entries.removeAll { $0.name == name }
        if self.entries.count == Self.maximumCount { self.entries.removeFirst() }
        self.entries.append(entry)
    }

    /// Returns the id for a name: first for the exact spelling, then for any spelling, newest first.
    func id(for name: String) -> String? {
        let name = name.trimmedWhitespace
        if let exact = self.entries.last(where: { $0.name == name }) { return exact.id }
        let folded = ApplicationNames.folded(name)
        guard !folded.isEmpty else { return nil }
        return self.entries.last { ApplicationNames.folded($0.name) == folded }?.id
    }
}

extension String {
    /// The text without white space at both ends.
    public var trimmedWhitespace: String {
        var scalars = self.unicodeScalars[...]
        while let first = scalars.first, first.properties.isWhitespace { scalars.removeFirst() }
        while let last = scalars.last, last.properties.isWhitespace { scalars.removeLast() }
        return String(scalars)
    }
}
