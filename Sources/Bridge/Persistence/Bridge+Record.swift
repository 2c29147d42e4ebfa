import BridgeCore
import CastSender

/// The record on disk: every topic that was ever published retained, so that each can be cleared some day.
extension Bridge {
    /// What is remembered from the start on: the topics of every owner, those of an earlier configuration among them.
    func restoreRecord(_ file: StateFile) {
        self.rememberedProtocol = file.rememberedProtocol
        self.bridgeTopics = file.topics
        self.bridgeDiscoveryTopics = file.discoveryTopics
        self.publisher.restore(file.topics.subtracting([self.stateTopic]), for: .bridge)
        if !file.discoveryTopics.isEmpty { self.publisher.restore(file.discoveryTopics, for: .bridgeDiscovery) }
    }

    /// `bridge/state`, which no owner's documents hold: the publisher sends it, and the broker, as the will.
    private var stateTopic: String { self.settings.topics.bridge("state") }

    /// Notes that these topics are about to be used.
    func record(_ topics: Set<String>, of owner: DocumentOwner) {
        self.change(owner) { $0.formUnion(topics) }
        self.unrecorded.insert(owner)
        self.save()
    }

    /// Notes that the broker holds fewer topics of the owner.
    func shrinkRecord(of owner: DocumentOwner) {
        let topics = self.publisher.record(of: owner)
        self.change(owner) { $0 = topics }
        self.save()
    }

    private func change(_ owner: DocumentOwner, _ body: (inout Set<String>) -> Void) {
        switch owner {
        case .bridge:
            body(&self.bridgeTopics)
            self.bridgeTopics.insert(self.stateTopic)
        case .bridgeDiscovery: body(&self.bridgeDiscoveryTopics)
        case .device(let id):
            guard var known = self.known.removeValue(forKey: id) else { return }
            body(&known.topics)
            self.known[id] = known
        case .discovery(let id):
            guard var known = self.known.removeValue(forKey: id) else { return }
            body(&known.discoveryTopics)
            self.known[id] = known
        }
    }

    /// Writes the state file; what changes meanwhile is written right after.
    func save() {
        self.isUnsaved = true
        guard self.saving == nil else { return }
        self.saving = Task {
            while let work = self.takeUnsaved() {
                await self.keeper.save(work.file)
                self.saved(work.recorded)
            }
        }
    }

    private func takeUnsaved() -> (file: StateFile, recorded: Set<DocumentOwner>)? {
        guard self.isUnsaved else {
            self.saving = nil
            return nil
        }
        self.isUnsaved = false
        let recorded = self.unrecorded
        self.unrecorded = []
        let file = StateFile(
            rememberedProtocol: self.rememberedProtocol, topics: self.bridgeTopics, discoveryTopics: self.bridgeDiscoveryTopics,
            devices: self.known.values.sorted { $0.id < $1.id })
        return (file, recorded)
    }

    private func saved(_ owners: Set<DocumentOwner>) {
        for owner in owners { self.publisher.recorded(owner) }
        self.pump()
    }
}
