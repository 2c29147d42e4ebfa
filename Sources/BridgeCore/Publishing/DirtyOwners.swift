import CastModels

/// Owners whose documents may have changed, oldest first, each at most once, with which of them. Bounded by the number of owners.
struct DirtyOwners {
    /// Every owner ever marked and not removed.
    private(set) var owners: Set<DocumentOwner> = []
    private var queue: [DocumentOwner] = []
    /// What is due of each owner in the queue. It grows until the owner is taken.
    private var marked: [DocumentOwner: DeviceDocuments] = [:]

    func contains(_ owner: DocumentOwner) -> Bool { self.marked[owner] != nil }

    mutating func mark(_ owner: DocumentOwner, _ documents: DeviceDocuments = .all) {
        if self.add(owner, documents) { self.queue.append(owner) }
    }

    /// Marks an owner that goes on before all others.
    mutating func markFirst(_ owner: DocumentOwner, _ documents: DeviceDocuments = .all) {
        if !self.add(owner, documents) { self.queue.removeAll { $0 == owner } }
        self.queue.insert(owner, at: 0)
    }

    /// - Returns: whether the owner was not marked before.
    private mutating func add(_ owner: DocumentOwner, _ documents: DeviceDocuments) -> Bool {
        if let already = self.marked[owner] {
            self.marked[owner] = already.union(documents)
            return false
        }
        self.owners.insert(owner)
        self.marked[owner] = documents
        return true
    }

    /// Marks every owner of documents: the bridge's own first, then the devices' in the order of their ids. Announcements have a pace of their own.
    mutating func markAll() {
        for owner in self.owners where !owner.isAnnouncement { self.mark(owner) }
        self.queue.sort { ($0.order, $0.device ?? "") < ($1.order, $1.device ?? "") }
    }

    /// Takes the oldest marked owner that `isReady`, with what is due of it.
    mutating func popFirst(where isReady: (DocumentOwner) -> Bool) -> (owner: DocumentOwner, documents: DeviceDocuments)? {
        guard let index = self.queue.firstIndex(where: isReady) else { return nil }
        let owner = self.queue.remove(at: index)
        return (owner, self.marked.removeValue(forKey: owner) ?? .all)
    }

    mutating func remove(_ owner: DocumentOwner) {
        self.owners.remove(owner)
        if self.marked.removeValue(forKey: owner) != nil { self.queue.removeAll { $0 == owner } }
    }
}
