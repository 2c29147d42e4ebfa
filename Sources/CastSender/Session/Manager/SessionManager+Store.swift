import CastModels
import EventLoopTiming
import LogKeys
import Logging
import NIOCore

/// Resumes sessions that an earlier run of the program stored, and stores them for the next run (SDK: the framework's automatic
/// resumption).
extension SessionManager {
    /// Resumes the stored sessions, then saves the records of sessions as they change, until all sessions have ended.
    func keepRecords(in store: any SessionStore) async {
        do {
            let stored = try await store.load()
            self.storedRecords = stored
            for record in stored { self.resumeStored(record) }
        } catch {
            self.logger.warning("session store not readable", metadata: [.error: "\(error)"])
        }
        for await _ in self.sessions { await self.saveRecords(in: store) }
    }

    /// Saves the records if they differ from the stored ones.
    func saveRecords(in store: any SessionStore) async {
        let records = self.records
        guard records != self.storedRecords else { return }
        do {
            try await store.save(records)
            self.storedRecords = records
        } catch {
            self.logger.warning("session store not writable", metadata: [.error: "\(error)"])
        }
    }

    /// Retries for as long as the resume policy allows.
    private func resumeStored(_ record: SessionRecord) {
        guard let entry = try? self.open(self.newest(record.device)) else { return }
        self.restore(entry, from: record)
        self.armResume(entry)
    }

    /// Begins to resume a session that an earlier run stored.
    func restore(_ entry: ManagedSession, from record: SessionRecord) {
        entry.applicationID = record.applicationID
        entry.participation = Participation(sessionID: record.sessionID, isLaunched: record.isOwned)
        self.perform(entry.lifecycle.resumeStored(), entry)
    }
}
