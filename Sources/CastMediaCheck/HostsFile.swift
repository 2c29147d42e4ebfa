import FoundationEssentials
import NetworkReach

/// Reads the host names in this machine's hosts file.
enum HostsFile {
    private static let path = "/etc/hosts"

    /// Returns the names; empty when the file cannot be read. Reads on a separate thread, because a disk may hang.
    static func names() async -> Set<String> {
        await withCheckedContinuation { continuation in
            let isStarted = DetachedThread.start("hosts-file") {
                let data = FileManager.default.contents(atPath: Self.path)?.prefix(262_144) ?? Data()
                continuation.resume(returning: HostNameRule.names(inHostsFile: String(decoding: data, as: UTF8.self)))
            }
            if !isStarted { continuation.resume(returning: []) }
        }
    }
}
