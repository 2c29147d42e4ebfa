import CastModels
import LogKeys
import Logging
import Synchronization

/// The session store, and the records in it.
final class StoredRecords: Sendable {
    private let store: any SessionStore
    private let records = Mutex<[SessionRecord]>([])

    init(_ store: any SessionStore) { self.store = store }

    func load() async throws -> [SessionRecord] {
        let records = try await self.store.load()
        self.records.withLock { $0 = records }
        return records
    }

    /// Saves the records if they differ from the stored ones.
    func save(_ records: [SessionRecord]) async throws {
        guard self.records.withLock({ $0 != records }) else { return }
        try await self.store.save(records)
        self.records.withLock { $0 = records }
    }
}

/// Resumes sessions that an earlier run of the program stored, and stores them for the next run (SDK: the framework's automatic
/// resumption).
extension SessionManager {
    /// Resumes the stored sessions, then saves the records of sessions as they change, until all sessions have ended.
    func keepRecords(in store: StoredRecords) async {
        do {
            for record in try await store.load() { self.resumeStored(record) }
        } catch {
            self.logger.warning("session store not readable", metadata: [.error: "\(error)"])
        }
        for await _ in self.sessions { await self.saveRecords(in: store) }
    }

    func saveRecords(in store: StoredRecords) async {
        do {
            try await store.save(self.records)
        } catch {
            self.logger.warning("session store not writable", metadata: [.error: "\(error)"])
        }
    }

    /// Retries for as long as the resume policy allows.
    private func resumeStored(_ record: SessionRecord) {
        guard self.options.allowsSeveralSessions || self.deviceIDs.isEmpty, let entry = try? self.open(self.newest(record.device)) else {
            return
        }
        self.restore(entry, from: record)
        self.armResume(entry)
    }

    /// Begins to resume a session that an earlier run stored.
    func restore(_ entry: ManagedSession, from record: SessionRecord) {
        entry.restore(from: record)
        self.change(entry) { $0.resumeStored() }
    }
}
