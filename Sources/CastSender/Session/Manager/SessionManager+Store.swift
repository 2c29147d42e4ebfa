import CastModels
import EventLoopTiming
import Logging
import NIOCore

/// Taking sessions up that an earlier run of the program left, and leaving them to the next one (SDK: the framework's automatic resumption).
extension SessionManager {
    /// Resumes what the store holds, then saves the records of sessions as they change, until the sessions are over.
    func keepRecords(in store: any SessionStore) async {
        do {
            let stored = try await store.load()
            self.storedRecords = stored
            for record in stored { self.resumeStored(record) }
        } catch {
            self.logger.warning("session store not readable", metadata: ["error": "\(error)"])
        }
        for await _ in self.sessions { await self.saveRecords(in: store) }
    }

    /// Saves the records when they differ from what is stored.
    func saveRecords(in store: any SessionStore) async {
        let records = self.records
        guard records != self.storedRecords else { return }
        do {
            try await store.save(records)
            self.storedRecords = records
        } catch {
            self.logger.warning("session store not writable", metadata: ["error": "\(error)"])
        }
    }

    /// Tries for as long as the policy of resumption allows.
    private func resumeStored(_ record: SessionRecord) {
        guard let entry = try? self.open(self.newest(record.device)) else { return }
        self.restore(entry, from: record)
        self.armResume(entry)
    }

    /// Begins to take up a session that an earlier run left.
    func restore(_ entry: ManagedSession, from record: SessionRecord) {
        entry.applicationID = record.applicationID
        entry.sessionID = record.sessionID
        entry.isOwned = record.isOwned
        self.perform(entry.lifecycle.resumeStored(), entry)
    }
}
