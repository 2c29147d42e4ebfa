import Foundation

/// What this process uses, as `/proc` tells it.
struct ProcessUsage: Sendable, Hashable {
    /// In units of 1 000 000 bytes.
    var residentMegabytes: Double?
    /// Processor time since the start, in seconds.
    var cpuSeconds: Double?
    var threads: Int?
    var fileDescriptors: Int?

    /// Reads it anew.
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
        usage.fileDescriptors = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
        return usage
    }

    private static func text(_ path: String) -> String? {
        // Files below /proc have no size, which Foundation's quick way relies on.
        guard let handle = FileHandle(forReadingAtPath: path), let data = try? handle.readToEnd() else { return nil }
        return String(decoding: data, as: UTF8.self)
    }
}
