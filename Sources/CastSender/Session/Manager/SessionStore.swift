import CastModels
import FoundationEssentials

#if canImport(Glibc)
    import Glibc
#endif

/// Stores the records of sessions for the next run of the program: `CastOptions.sessionStore`.
public protocol SessionStore: Sendable {
    /// Returns the records that were saved last; empty when there are none.
    ///
    /// - Throws: when records may exist that cannot be read. The session manager then resumes nothing and reports the error.
    func load() async throws -> [SessionRecord]

    /// Replaces all records.
    ///
    /// - Throws: when the records are not stored. The session manager tries again with the next change.
    func save(_ records: [SessionRecord]) async throws
}

/// Stores the records of sessions in a JSON file that is replaced as a whole and readable by its owner only. Never blocks the event loop.
public struct SessionFile: SessionStore {
    /// The largest file in bytes; a larger one is refused.
    static let sizeLimit = 4_194_304

    public let path: String

    /// - Parameter path: the path of the file; its folder must exist.
    public init(path: String) { self.path = path }

    /// - Throws: `invalidRequest` when the file was not written by `save`; `unknown` when it cannot be read.
    @concurrent public func load() async throws(CastError) -> [SessionRecord] {
        guard let file = fopen(self.path, "rb") else {
            guard errno == ENOENT else { throw self.failure(.unknown, String(cString: strerror(errno))) }
            return []
        }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: Self.sizeLimit + 1)
        let count = fread(&bytes, 1, bytes.count, file)
        guard ferror(file) == 0 else { throw self.failure(.unknown, "can't be read") }
        guard count <= Self.sizeLimit, let records = try? JSONDecoder().decode([SessionRecord].self, from: Data(bytes[..<count])) else {
            throw self.failure(.invalidRequest, "is no list of sessions")
        }
        return records
    }

    /// - Throws: `unknown` when the file cannot be written; the previous one is then unchanged.
    @concurrent public func save(_ records: [SessionRecord]) async throws(CastError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let data: Data
        do {
            data = try encoder.encode(records)
        } catch {
            throw self.failure(.unknown, "\(error)")
        }
        if let number = PrivateFile.replace(self.path, with: Array(data), syncs: true) {
            throw self.failure(.unknown, String(cString: strerror(number)))
        }
    }

    private func failure(_ code: CastError.Code, _ detail: String) -> CastError { CastError(code, detail: "\(self.path): \(detail)") }
}
