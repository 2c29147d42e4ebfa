import Bridge
import BridgeConfiguration
import BridgeCore
import CProgramSupport
import CastSender
import Glibc

/// What the doctor looks at on this machine; the findings follow from it alone.
struct MachineFacts {
    /// The state directory, and the `errno` of writing to it, 0 for none; `nil` without a directory.
    var stateDirectory: (path: String, refusal: Int32)?
    /// Bytes that are free where the state directory is.
    var freeBytes: UInt64 = .max
    /// The hard limit of open files.
    var descriptors: UInt64 = .max
    var clock = Timestamp(milliseconds: 0)
    /// Whether the system says that something keeps its clock right.
    var isClockKept = true
    var needsMosquitto = false
    var hasMosquitto = true
    var isContainer = false

    /// 2026-01-01: no machine that runs this program is older.
    static let earliest = Timestamp(milliseconds: 1_767_225_600_000)
    /// Enough for two hundred devices and the page.
    static let fewDescriptors: UInt64 = 512
    static let leastFreeBytes: UInt64 = 16 << 20

    static func read(_ configuration: Configuration) -> Self {
        var facts = Self(clock: .now(), needsMosquitto: configuration.mqtt.host == nil)
        if let path = configuration.stateDirectoryPath {
            facts.stateDirectory = (path, self.refusal(of: path))
            var space = statvfs()
            if statvfs(self.existing(path), &space) == 0 {
                // A file system without blocks, such as /proc, keeps no files.
                if space.f_blocks == 0 { facts.stateDirectory = (path, EROFS) }
                facts.freeBytes = space.f_blocks == 0 ? .max : UInt64(space.f_bavail) * UInt64(space.f_frsize)
            }
        }
        var limit = rlimit()
        if getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 { facts.descriptors = UInt64(limit.rlim_max) }
        facts.isClockKept = cast2mqtt_clock_is_kept() != 0
        facts.hasMosquitto = PrivateBroker.isPossible
        facts.isContainer = ContainerNetwork.isContainer
        return facts
    }

    /// The nearest folder above that exists.
    private static func existing(_ path: String) -> String {
        var path = path
        while access(path, F_OK) != 0, let slash = path.lastIndex(of: "/"), path != "/" {
            path = slash == path.startIndex ? "/" : String(path[..<slash])
        }
        return path
    }

    private static func refusal(of path: String) -> Int32 {
        let place = self.existing(path)
        if access(place, W_OK | X_OK) != 0 { return errno }
        let devices = "\(path)/\(StateDirectory.devicesFile)"
        return access(devices, F_OK) == 0 && access(devices, R_OK | W_OK) != 0 ? errno : 0
    }

    var findings: [Finding] {
        var findings: [Finding] = []
        func add(_ severity: Finding.Severity, _ code: String, _ text: String, _ remedy: String) {
            findings.append(Finding(severity, code, text, remedy, .starting))
        }
        if self.clock.milliseconds < Self.earliest.milliseconds {
            add(
                .error, "clock_wrong", "the clock shows \(self.clock.text)",
                "Set the clock, or let the machine get the time: certificates and times need it.")
        } else if !self.isClockKept, !self.isContainer {
            add(
                .warning, "clock_not_kept", "nothing keeps the clock of this machine right",
                "Install a time service, such as systemd-timesyncd or chrony.")
        }
        if let directory = self.stateDirectory, directory.refusal != 0 {
            add(
                .error, "state_directory_refused", "\(directory.path) can't be written: \(String(cString: strerror(directory.refusal)))",
                "Give it to the bridge's user, or run this command as that user.")
        } else if self.stateDirectory == nil {
            add(
                .warning, "state_directory_missing", "there is no state directory: nothing is remembered over a restart",
                "Set state_directory.")
        }
        if self.freeBytes < Self.leastFreeBytes {
            add(
                .error, "disk_full", "\(self.freeBytes >> 10) KiB are free for the state directory",
                "Free some space: the bridge can't keep its state.")
        }
        if self.descriptors < Self.fewDescriptors {
            add(
                .warning, "few_files", "a process may open \(self.descriptors) files; each device takes one",
                "Raise the limit (systemd: LimitNOFILE; ulimit -n).")
        }
        if self.needsMosquitto, !self.hasMosquitto {
            add(
                .error, "mosquitto_missing", "mosquitto is not installed, and no broker is set",
                "Set mqtt.host, or install Debian's package mosquitto.")
        }
        return findings
    }
}
