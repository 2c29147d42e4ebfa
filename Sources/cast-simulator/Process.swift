import CastReceiverSimulator
import Glibc

/// The limit of open files and sockets of the process.
enum DescriptorLimit {
    /// Raises the soft limit to the hard one: each device needs several sockets.
    static func raise() {
        var limit = rlimit()
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        guard getrlimit(resource, &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        _ = setrlimit(resource, &limit)
    }
}

enum Output {
    /// Writes a line at once, also into a pipe, because the starting program may wait for it.
    static func line(_ text: String) { self.write(text, to: STDOUT_FILENO) }
    static func error(_ text: String) { self.write(text, to: STDERR_FILENO) }

    private static func write(_ text: String, to descriptor: Int32) {
        var rest = Array((text + "\n").utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            // The reader has closed the pipe.
            guard count > 0 || errno == EINTR else { return }
            rest = rest.dropFirst(max(count, 0))
        }
    }
}

/// Formats the devices of a fleet for people.
enum Table {
    static func text(of devices: [DeviceDescription]) -> String {
        let head = ["DEVICE", "NAME", "MODEL", "ADDRESS", "ID"]
        let rows = [head] + devices.map { [$0.controlName, $0.friendlyName, $0.model.name, "\($0.address):\($0.port)", $0.id] }
        let widths = head.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            // The last column needs no padding.
            (zip(row, widths).dropLast().map { $0 + String(repeating: " ", count: $1 - $0.count) } + row.suffix(1)).joined(separator: "  ")
        }.joined(separator: "\n")
    }
}
