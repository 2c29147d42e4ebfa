import CastModels

/// The owners whose documents may have changed, oldest first, each at most once, with the affected documents. Bounded by the number of
/// owners.
struct DirtyOwners {
    /// The due documents of every owner ever marked and not removed. They accumulate until the owner is taken; empty for an owner that is
    /// not in the queue.
    private var due: [DocumentOwner: DeviceDocuments] = [:]
    private var queue: [DocumentOwner] = []

    var owners: some Collection<DocumentOwner> { self.due.keys }

    var isEmpty: Bool { self.queue.isEmpty }

    func contains(_ owner: DocumentOwner) -> Bool { self.due[owner].map { !$0.isEmpty } ?? false }

    mutating func mark(_ owner: DocumentOwner, _ documents: DeviceDocuments = .all) {
        if self.add(owner, documents) { self.queue.append(owner) }
    }

    mutating func markFirst(_ owner: DocumentOwner, _ documents: DeviceDocuments = .all) {
        if !self.add(owner, documents) { self.queue.removeAll { $0 == owner } }
        self.queue.insert(owner, at: 0)
    }

    /// - Returns: whether the owner was not marked before.
    private mutating func add(_ owner: DocumentOwner, _ documents: DeviceDocuments) -> Bool {
        func isFirst(_ due: inout DeviceDocuments) -> Bool {
            defer { due.formUnion(documents) }
            return due.isEmpty && !documents.isEmpty
        }
        return isFirst(&self.due[owner, default: []])
    }

    /// Marks every owner of documents: the bridge first, then the devices in the order of their ids. Announcements have their own pace.
    mutating func markAll() {
        for owner in Array(self.due.keys) where !owner.isAnnouncement { self.mark(owner) }
        self.queue.sort()
    }

    /// Removes and returns the oldest marked owner that `isReady`, with its due documents.
    mutating func popFirst(where isReady: (DocumentOwner) -> Bool) -> (owner: DocumentOwner, documents: DeviceDocuments)? {
        guard let index = self.queue.firstIndex(where: isReady) else { return nil }
        let owner = self.queue.remove(at: index)
        return (owner, self.due.updateValue([], forKey: owner) ?? .all)
    }

    mutating func remove(_ owner: DocumentOwner) {
        if let documents = self.due.removeValue(forKey: owner), !documents.isEmpty { self.queue.removeAll { $0 == owner } }
    }
}
