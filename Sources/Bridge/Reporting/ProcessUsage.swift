import Glibc

/// The resources that this process uses, read from `/proc` (proc(5)).
struct ProcessUsage: Sendable, Hashable {
    /// Resident memory in units of 1 000 000 bytes.
    var residentMegabytes: Double?
    /// Processor time since the start, in seconds.
    var cpuSeconds: Double?
    var threads: Int?
    var fileDescriptors: Int?

    /// Reads the current values; those that cannot be read are `nil`.
    static func read() -> Self {
        var usage = Self()
        if let bytes = try? WholeFile.read("/proc/self/stat", limit: 4096), let end = bytes.lastIndex(of: UInt8(ascii: ")")) {
            // The fields after the name in brackets, which may contain anything: proc(5), numbered from 3.
            let fields = String(decoding: bytes[(end + 1)...], as: UTF8.self).split(separator: " ")
            let ticksPerSecond = Double(max(1, sysconf(Int32(_SC_CLK_TCK))))
            if fields.count > 21, let user = Double(fields[11]), let system = Double(fields[12]) {
                usage.cpuSeconds = (user + system) / ticksPerSecond
                usage.threads = Int(fields[17])
                usage.residentMegabytes = Double(fields[21]).map { $0 * Double(sysconf(Int32(_SC_PAGESIZE))) / 1e6 }
            }
        }
        usage.fileDescriptors = Self.descriptors(in: "/proc/self/fd")
        return usage
    }

    /// Returns the number of descriptors, without the one used for counting.
    private static func descriptors(in path: String) -> Int? {
        guard let folder = opendir(path) else { return nil }
        defer { closedir(folder) }
        var count = 0
        while readdir(folder) != nil { count += 1 }
        // Without "." and "..", and without the descriptor of this enumeration.
        return count - 3
    }
}
