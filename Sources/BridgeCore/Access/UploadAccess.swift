/// Takes files that people send, for devices to play.
public protocol UploadAccess: Sendable {
    /// Stores the bytes of a file as they arrive. A file that does not arrive as a whole leaves nothing.
    ///
    /// - Parameters:
    ///   - name: the file's name where it comes from; what can't be in a name is replaced.
    ///   - length: the number of its bytes; `nil` when it is not known yet.
    func store(
        _ body: some AsyncSequence<[UInt8], any Error> & Sendable, named name: String, length: Int?
    ) async throws -> UploadedFile
}

public struct UploadedFile: Sendable, Hashable {
    /// What `cmd/load` takes as `file`.
    public var path: MediaPath
    /// Its MIME type, found by its bytes.
    public var contentType: String
    public var size: Int

    public init(path: MediaPath, contentType: String, size: Int) { (self.path, self.contentType, self.size) = (path, contentType, size) }
}

/// Why a file was not stored.
public enum UploadRefusal: Error, Sendable, Hashable {
    /// Larger than `limit` bytes.
    case tooLarge(limit: Int)
    case noMedium
    case tooMany
    /// The folder takes no more, for a reason and with a remedy in words.
    case notStored(String)
}

/// Where uploaded files are kept, and how many.
public struct UploadOptions: Sendable, Hashable {
    /// `nil` uses a folder in the state directory.
    public var folder: String?
    /// The bytes of one file; 0 takes none.
    public var fileByteLimit = 200_000_000
    /// The bytes of all files. The oldest make room.
    public var byteLimit = 2_000_000_000
    public var countLimit = 100
    public var days = 7

    public init() {}
}
