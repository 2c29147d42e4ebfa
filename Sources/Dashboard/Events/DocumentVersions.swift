import BridgeCore
import CastModels

/// The documents as the page reads them, each with the number of its last change. Pure.
///
/// A reader names the last change that it received and gets the newest value of each document that changed since, without intermediate values.
struct DocumentVersions {
    /// The most removed documents to remember. A reader that has not received the removal of a forgotten one gets all documents again.
    static let maximumRemoved = 1_024

    private struct Version {
        /// `nil`: the document was removed.
        var value: [UInt8]?
        var sequence: UInt64
    }

    /// Distinguishes this run of the program from others.
    let boot: String
    /// The number of the last change.
    private(set) var sequence: UInt64 = 0
    /// Whether all documents have been received from the bridge.
    private(set) var isWhole = false
    /// Changes up to this number are not known any more.
    private var floor: UInt64 = 0
    private var versions: [String: Version] = [:]
    private var removed = 0
    /// What the last change changed, in the order of topics: nearly all readers ask for that.
    private var newest: [DocumentChange] = []

    init(boot: String) { self.boot = boot }

    /// Identifies the current state: `<boot>-<number>`.
    var id: String { "\(self.boot)-\(self.sequence)" }

    /// Returns the number in an id of this run; `nil` for any other text.
    func sequence(of id: String) -> UInt64? {
        guard id.utf8.count <= 64, let dash = id.lastIndex(of: "-"), id[..<dash] == self.boot else { return nil }
        return UInt64(id[id.index(after: dash)...])
    }

    /// Applies changes reported by the bridge.
    /// - Returns: the changes that differ from the stored documents, in the order of topics.
    @discardableResult
    mutating func apply(_ changes: BridgeChanges) -> [DocumentChange] {
        let isFirst = changes.isWhole && !self.isWhole
        var different = changes.documents.filter { self.versions[$0.topic]?.value != $0.value }
        if changes.isWhole {
            let present = Set(changes.documents.map(\.topic))
            different += self.versions.filter { $0.value.value != nil && !present.contains($0.key) }.keys
                .map { DocumentChange(topic: $0, value: nil) }
            self.isWhole = true
        }
        guard !different.isEmpty || isFirst else { return [] }
        self.sequence += 1
        // Any document may have changed between two watches.
        if isFirst { self.floor = self.sequence }
        for change in different { self.set(change) }
        self.forgetRemoved()
        self.newest = different.sorted { $0.topic < $1.topic }
        return self.newest
    }

    private mutating func set(_ change: DocumentChange) {
        let former = self.versions.updateValue(Version(value: change.value, sequence: self.sequence), forKey: change.topic)
        if let former, former.value == nil { self.removed -= 1 }
        if change.value == nil { self.removed += 1 }
    }

    private mutating func forgetRemoved() {
        guard self.removed > Self.maximumRemoved else { return }
        for (topic, version) in self.versions where version.value == nil {
            self.floor = max(self.floor, version.sequence)
            self.versions[topic] = nil
        }
        self.removed = 0
    }

    /// Forgets the documents, because the bridge is not watched any more.
    mutating func forget() {
        (self.versions, self.newest) = ([:], [])
        (self.removed, self.isWhole) = (0, false)
    }

    /// Whether `changes` returns what changed after this number.
    func knowsChanges(since sequence: UInt64) -> Bool { self.isWhole && sequence >= self.floor && sequence <= self.sequence }

    /// - Returns: what changed after this number, in the order of topics; `nil` when that is not known.
    func changes(since sequence: UInt64) -> [DocumentChange]? {
        guard self.knowsChanges(since: sequence) else { return nil }
        guard sequence < self.sequence else { return [] }
        if sequence + 1 == self.sequence { return self.newest }
        return self.documents { $1.sequence > sequence }
    }

    /// Every document, in the order of topics.
    var all: [DocumentChange] { self.all(below: "") }

    /// Every document whose topic begins with this text, in the order of topics.
    func all(below prefix: String) -> [DocumentChange] {
        self.documents { $1.value != nil && $0.utf8.starts(with: prefix.utf8) }
    }

    /// The documents of this name of all devices, in the order of topics.
    func all(named name: String) -> [DocumentChange] {
        self.documents { $1.value != nil && $0.hasSuffix("/" + name) && !$0.hasPrefix("bridge/") }
    }

    private func documents(where isMeant: (_ topic: String, Version) -> Bool) -> [DocumentChange] {
        self.versions.filter(isMeant).map { DocumentChange(topic: $0.key, value: $0.value.value) }.sorted { $0.topic < $1.topic }
    }

    /// Returns the slug of the device that a path names, by the rules of commands (`SlugRegistry.device(named:)`): by slug or alias in any
    /// case, or by id with or without hyphens.
    func slug(named name: String) -> String? {
        let lowered = name.lowercased()
        for slug in [name, lowered] where slug != "bridge" && self["\(slug)/availability"] != nil { return slug }
        let id = String(lowered.filter { $0 != "-" })
        var owner: String?
        for document in self.all(named: "info") {
            guard let facts = document.value.flatMap({ try? JSONParser.parse($0) }) else { continue }
            let slug = String(document.topic.prefix { $0 != "/" })
            // Aliases take precedence over ids, because devices announce their ids themselves.
            if facts["aliases"]?.arrayValue?.contains(where: { $0.stringValue == lowered }) == true { return slug }
            if facts["id"]?.stringValue == id { owner = slug }
        }
        return owner
    }

    /// Returns JSON text; `nil` when there is no such document.
    subscript(topic: String) -> [UInt8]? { self.versions[topic]?.value }
}
