/// Owners whose documents may have changed, oldest first, each at most once. Bounded by the number of owners.
struct DirtyOwners {
    /// Every owner ever marked and not removed.
    private(set) var owners: Set<DocumentOwner> = []
    private var queue: [DocumentOwner] = []
    private var marked: Set<DocumentOwner> = []

    func contains(_ owner: DocumentOwner) -> Bool { self.marked.contains(owner) }

    mutating func mark(_ owner: DocumentOwner) {
        self.owners.insert(owner)
        if self.marked.insert(owner).inserted { self.queue.append(owner) }
    }

    /// Marks an owner that goes on before all others.
    mutating func markFirst(_ owner: DocumentOwner) {
        self.owners.insert(owner)
        if !self.marked.insert(owner).inserted { self.queue.removeAll { $0 == owner } }
        self.queue.insert(owner, at: 0)
    }

    /// Marks every owner, the bridge's own documents first, the devices' in the order of their ids.
    mutating func markAll() {
        let devices = self.owners.compactMap { if case .device(let id) = $0 { id } else { nil } }
        for id in devices.sorted() { self.mark(.device(id)) }
        self.markFirst(.bridge)
    }

    /// Takes the oldest marked owner that `isReady`.
    mutating func popFirst(where isReady: (DocumentOwner) -> Bool) -> DocumentOwner? {
        guard let index = self.queue.firstIndex(where: isReady) else { return nil }
        let owner = self.queue.remove(at: index)
        self.marked.remove(owner)
        return owner
    }

    mutating func remove(_ owner: DocumentOwner) {
        self.owners.remove(owner)
        if self.marked.remove(owner) != nil { self.queue.removeAll { $0 == owner } }
    }
}
