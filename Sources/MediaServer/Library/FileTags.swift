import BridgeCore
import CastModels
import Glibc
import ProcessSpawning

/// The tags of a medium, read by `ffprobe` where it is installed.
package struct FileTags: Sendable {
    /// In lower case.
    package let tags: [String: String]
    /// Seconds.
    package let duration: Double?

    private static let outputLimit = 64 << 10
    /// Far more than a file on a disk needs; a disk that sleeps takes longest.
    package static let timeLimit = Duration.seconds(5)

    /// Where the program is; `nil` when it is not installed.
    package static func locateProgram() -> String? { Spawning.locate("ffprobe") }

    /// Reads the tags of a file. Blocks, until `end` at the longest.
    ///
    /// The program gets the file that is open and no name, so it can't be led to another one. It may use no protocol but this.
    package init?(
        of file: MediaFile, program: String, until end: ContinuousClock.Instant, isCancelled: () -> Bool = { false }
    ) {
        let name = "/proc/\(getpid())/fd/\(file.descriptor)"
        let words = [
            program, "-v", "quiet", "-protocol_whitelist", "file", "-show_entries", "format=duration:format_tags", "-of", "json", name,
        ]
        guard let output = Spawning.output(of: words, environment: [], limit: Self.outputLimit, until: end, isCancelled: isCancelled)
        else { return nil }
        guard let format = (try? JSONParser.parse(output))?["format"] else { return nil }
        self.duration = format["duration"]?.stringValue.flatMap(Double.init).flatMap { $0 > 0 && $0 < 1e6 ? $0 : nil }
        let members = format["tags"]?.objectValue?.members ?? []
        self.tags = Dictionary(
            members.compactMap { member in
                member.value.stringValue.flatMap { $0.isEmpty || $0.utf8.count > 4096 ? nil : (member.key.lowercased(), $0) }
            }, uniquingKeysWith: { first, _ in first })
    }
}
