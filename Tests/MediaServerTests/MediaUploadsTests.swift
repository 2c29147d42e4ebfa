import BridgeCore
import Foundation
import Testing

@testable import MediaServer

@Suite struct MediaUploadsTests {
    /// Opens a folder as a start does, with old files of these names in it before.
    private static func opened(
        _ names: [String], _ options: UploadOptions = UploadOptions()
    ) throws -> (uploads: MediaUploads, names: () -> [String]) {
        let folder = NSTemporaryDirectory() + "uploads-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for name in names {
            let attributes: [FileAttributeKey: Any] = [.modificationDate: Date(timeIntervalSince1970: 0)]
            #expect(FileManager.default.createFile(atPath: "\(folder)/\(name)", contents: Data("RIFF".utf8), attributes: attributes))
            try FileManager.default.setAttributes(attributes, ofItemAtPath: "\(folder)/\(name)")
        }
        let uploads = MediaUploads(options, folder: MediaFolder(name: "uploads", path: folder))
        uploads.open()
        uploads.expire()
        return (uploads, { (try? FileManager.default.contentsOfDirectory(atPath: folder).sorted()) ?? [] })
    }

    @Test("an existing folder of a person loses nothing, and gets nothing")
    func foreign() async throws {
        let (uploads, names) = try Self.opened(["mine.wav", ".part-1"])
        #expect(names() == [".part-1", "mine.wav"])
        await #expect(throws: UploadRefusal.self) { try await uploads.store(Self.body, named: "a.wav", length: nil) }
        #expect(names() == [".part-1", "mine.wav"])
    }

    @Test("a folder of its own loses what is old and what was left half")
    func own() throws {
        #expect(try Self.opened([".cast2mqtt-uploads", "old.wav", ".part-1"]).names() == [".cast2mqtt-uploads"])
    }

    @Test("a folder with nothing but what file systems put there is taken")
    func empty() async throws {
        let (uploads, names) = try Self.opened([".DS_Store"])
        _ = try await uploads.store(Self.body, named: "a.wav", length: nil)
        #expect(names() == [".DS_Store", ".cast2mqtt-uploads", "a.wav"])
    }

    @Test("a file of unknown length gets room as it grows, and not at once for the largest one")
    func unknownLength() async throws {
        var options = UploadOptions()
        // More than any disk has.
        (options.fileByteLimit, options.byteLimit) = (1 << 50, 1 << 50)
        let (uploads, names) = try Self.opened([], options)
        let pieces = 3 * MediaUploads.step >> 20
        func body() -> AsyncThrowingStream<[UInt8], any Error> {
            AsyncThrowingStream { continuation in
                continuation.yield(Array("RIFF0000WAVEfmt ".utf8))
                for _ in 0..<pieces { continuation.yield([UInt8](repeating: 7, count: 1 << 20)) }
                continuation.finish()
            }
        }
        let file = try await uploads.store(body(), named: "a.wav", length: nil)
        #expect(file.size == 16 + pieces << 20 && names() == [".cast2mqtt-uploads", "a.wav"])
        await #expect(throws: UploadRefusal.self) { try await uploads.store(body(), named: "b.wav", length: 1 << 50) }
    }

    private static var body: AsyncThrowingStream<[UInt8], any Error> {
        AsyncThrowingStream { continuation in
            continuation.yield(Array("RIFF0000WAVEfmt ".utf8))
            continuation.finish()
        }
    }
}
