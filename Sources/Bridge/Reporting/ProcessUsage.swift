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
        if let statistics = Self.text("/proc/self/stat"), let end = statistics.lastIndex(of: ")") {
            // Fields after the name in brackets, which may hold anything: proc(5), numbered from 3.
            let fields = statistics[statistics.index(after: end)...].split(separator: " ")
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

    /// Files below /proc have no size, and this one is a line of a few hundred bytes.
    private static func text(_ path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = Glibc.read(descriptor, &bytes, bytes.count)
        return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
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
