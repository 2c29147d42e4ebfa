import Glibc

/// The resources that this process uses, read from `/proc` (proc(5)).
struct ProcessUsage: Sendable, Hashable {
    /// In units of 1 000 000 bytes.
    var residentMegabytes: Double?
    /// Processor time since the start, in seconds.
    var cpuSeconds: Double?
    var threads: Int?
    var fileDescriptors: Int?

    /// Reads the present values; those that can't be read are `nil`.
    static func read() -> Self {
        var usage = Self()
        if let bytes = try? WholeFile.read("/proc/self/stat", limit: 4096), let end = bytes.lastIndex(of: UInt8(ascii: ")")) {
            // Fields after the name in brackets, which may hold anything: proc(5), numbered from 3.
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

    /// How many descriptors there are beside the one that looks.
    private static func descriptors(in path: String) -> Int? {
        guard let folder = opendir(path) else { return nil }
        defer { closedir(folder) }
        var count = 0
        while readdir(folder) != nil { count += 1 }
        // Without "." and "..", and without the descriptor that counts.
        return count - 3
    }
}
