import BridgeCore
import CastMediaCheck
import Glibc
import NIOCore

/// A regular file that is open for reading, until its last reference is gone.
package final class MediaFile: Sendable {
    let handle: NIOFileHandle
    let descriptor: Int32
    package let size: Int
    /// Seconds since 1970.
    let modified: Int
    /// Differs whenever the file was replaced or written.
    let entityTag: String

    /// Takes ownership of the descriptor.
    /// - Returns: `nil` for anything but a regular file.
    init?(descriptor: Int32) {
        var facts = stat()
        guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            return nil
        }
        self.descriptor = descriptor
        self.handle = NIOFileHandle(_deprecatedTakingOwnershipOfDescriptor: descriptor)
        self.size = Int(facts.st_size)
        self.modified = facts.st_mtim.tv_sec
        let parts = [Int(bitPattern: facts.st_ino), facts.st_size, facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec]
        self.entityTag = "\"\(parts.map { String(UInt(bitPattern: $0), radix: 16) }.joined(separator: "-"))\""
    }

    deinit { try? self.handle.close() }

    /// Whether the file still has all bytes that it had when it was opened. sendfile ends at a new, earlier end again and again.
    var isWhole: Bool {
        var facts = stat()
        return fstat(self.descriptor, &facts) == 0 && Int(facts.st_size) >= self.size
    }

    /// Returns at most `count` bytes of the beginning.
    package func head(_ count: Int) -> [UInt8] {
        // pread(2) writes at most `count` bytes and returns their number, or -1. No caller's count is negative: a constant, or a file's size.
        [UInt8](unsafeUninitializedCapacity: count) { buffer, length in
            length = max(0, pread(self.descriptor, buffer.baseAddress, count, 0))
        }
    }
}

/// The MIME types of files, by their content; the name decides only among the types that fit the content.
package enum MediaType {
    /// The bytes that show the format of a file.
    package static let headLength = 4096

    /// Whether a file of this name refers to others by their place beside it.
    static func isManifest(_ name: String) -> Bool { [".m3u8", ".mpd"].contains { name.lowercased().hasSuffix($0) } }

    /// - Returns: `nil` for a file that is no medium, picture, manifest, playlist or subtitle.
    package static func of(_ head: [UInt8], name: String) -> (type: String, container: MediaFormat.Container)? {
        // A list of addresses has no mark of its own.
        let isList = name.lowercased().hasSuffix(".m3u") && !head.isEmpty && !head.contains { $0 < 0x09 }
        guard let container = FormatReader.read(head)?.container ?? (isList ? .m3u : nil), container != .html else { return nil }
        return (ContentTypeRule.type(of: container, like: ContentType.guess(name: name)), container)
    }
}
