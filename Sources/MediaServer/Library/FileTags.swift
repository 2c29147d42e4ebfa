import BridgeCore
import CastModels
import FoundationEssentials
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
    package static func locateProgram() -> String? {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin").split(separator: ":")
        return folders.map { "\($0)/ffprobe" }.first { $0.hasPrefix("/") && access($0, X_OK) == 0 }
    }

    /// Reads the tags of a file. Blocks, until `end` at the longest.
    ///
    /// The program gets the file that is open and no name, so it can't be led to another one. It may use no protocol but this.
    package init?(of file: MediaFile, program: String, until end: ContinuousClock.Instant) {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { return nil }
        defer { close(ends[0]) }
        let name = "/proc/\(getpid())/fd/\(file.descriptor)"
        let words = [
            program, "-v", "quiet", "-protocol_whitelist", "file", "-show_entries", "format=duration:format_tags", "-of", "json", name,
        ]
        guard let pid = try? Spawning.spawn(words, environment: [], output: ends[1], ownGroup: true) else {
            close(ends[1])
            return nil
        }
        close(ends[1])
        defer { _ = Spawning.wait(for: pid) }
        var output: [UInt8] = []
        while true {
            let left = (end - ContinuousClock.now) / .milliseconds(1)
            var wanted = pollfd(fd: ends[0], events: Int16(POLLIN), revents: 0)
            guard left > 0, output.count <= Self.outputLimit, poll(&wanted, 1, Int32(min(left, 60_000)) + 1) > 0 else {
                kill(pid, SIGKILL)
                return nil
            }
            let bytes = [UInt8](unsafeUninitializedCapacity: 16 << 10) { $1 = max(0, read(ends[0], $0.baseAddress, $0.count)) }
            if bytes.isEmpty { break }
            output += bytes
        }
        guard let format = (try? JSONParser.parse(output))?["format"] else { return nil }
        self.duration = format["duration"]?.stringValue.flatMap(Double.init).flatMap { $0 > 0 && $0 < 1e6 ? $0 : nil }
        let members = format["tags"]?.objectValue?.members ?? []
        self.tags = Dictionary(
            members.compactMap { member in
                member.value.stringValue.flatMap { $0.isEmpty || $0.utf8.count > 4096 ? nil : (member.key.lowercased(), $0) }
            }, uniquingKeysWith: { first, _ in first })
    }
}
