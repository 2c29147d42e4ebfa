import ArgumentParser
import Bridge
import BridgeConfiguration
import BridgeCore
import CastSender
import Glibc

/// The files of the state directory that a backup has, and how it is written.
private enum Backup {
    static let format = "cast2mqtt backup 1"
    /// The last one has addresses of media, which may be secrets.
    static let files = [StateDirectory.devicesFile, ChosenSettings.fileName, PlayMemory.fileName]
    static let maximumBytes = 32 << 20
}

/// `cast2mqtt backup`: writes what the bridge remembers into one file.
struct BackupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Writes what the bridge remembers, and what was chosen, into one file.",
        discussion: """
            The bridge may run meanwhile. Beside a service name its state directory: CAST2MQTT_STATE_DIRECTORY=/var/lib/cast2mqtt. The configuration file and
            the environment are not part of it. Without --secrets, passwords and tokens that were chosen are left out, and what was played and saved.
            """)
    @OptionGroup var file: ConfigurationOption
    @Flag(help: "Also write passwords, tokens and what was played; the file is then a secret, too.")
    var secrets = false
    @Argument(help: "The file to write; it must not exist.", completion: .file())
    var path: String

    func run() throws {
        let loaded = try self.file.load()
        guard let directory = loaded.configuration.stateDirectoryPath else { throw ValidationError("there is no state directory") }
        var files: [(String, JSONValue)] = []
        for name in Backup.files where self.secrets || name != PlayMemory.fileName {
            let bytes: [UInt8]
            do throws(WholeFile.Failure) {
                bytes = try WholeFile.read("\(directory)/\(name)", limit: Backup.maximumBytes)
            } catch {
                if error.number == ENOENT { continue }
                StandardError.print("\(directory)/\(name) can't be read: \(String(cString: strerror(error.number)))")
                throw ExitCode.failure
            }
            let kept = name == ChosenSettings.fileName && !self.secrets ? loaded.chosen.withoutSecrets.bytes : bytes
            files.append((name, .string(String(decoding: kept, as: UTF8.self))))
        }
        guard !files.isEmpty else {
            StandardError.print(
                "\(directory) has nothing to keep; beside a service name its directory: CAST2MQTT_STATE_DIRECTORY=/var/lib/cast2mqtt")
            throw ExitCode.failure
        }
        let document: JSONValue = [
            "format": .string(Backup.format), "version": .string(Build.version), "files": .object(JSONObject(files)),
        ]
        guard access(self.path, F_OK) != 0 else { throw ValidationError("\(self.path) exists") }
        if let number = PrivateFile.replace(self.path, with: JSONWriter.bytes(of: document), syncs: true) {
            StandardError.print("\(self.path) can't be written: \(String(cString: strerror(number)))")
            throw ExitCode.failure
        }
        print("\(self.path): \(files.map(\.0).joined(separator: ", "))".printable)
    }
}

/// `cast2mqtt restore`: puts a backup into the state directory.
struct RestoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Puts a backup into the state directory, in place of what is there.",
        discussion: """
            The bridge must not run. What can't be chosen, such as listeners and paths, is refused in a backup, too. Beside a service write
            "sudo -u cast2mqtt CAST2MQTT_STATE_DIRECTORY=/var/lib/cast2mqtt" before it.
            """)
    @OptionGroup var file: ConfigurationOption
    @Argument(help: "The file that backup wrote.", completion: .file())
    var path: String

    func run() throws {
        let loaded = try self.file.load()
        guard let path = loaded.configuration.stateDirectoryPath else { throw ValidationError("there is no state directory") }
        guard let bytes = try? WholeFile.read(self.path, limit: Backup.maximumBytes), let document = try? JSONParser.parse(bytes),
            document["format"]?.stringValue == Backup.format, let files = document["files"]?.objectValue
        else { return try self.refuse("\(self.path) is no backup") }
        let contents = Backup.files.compactMap { name in files[name]?.stringValue.map { (name: name, bytes: Array($0.utf8)) } }
        guard contents.count == files.members.count else { return try self.refuse("\(self.path) has files that no backup has") }
        if let settings = contents.first(where: { $0.name == ChosenSettings.fileName }) {
            do {
                _ = try self.file.read(settings: ("\(self.path): \(settings.name)", settings.bytes), isTrial: true)
            } catch { return try self.refuse("\(error.problems[0])") }
        }
        let directory: StateDirectory
        do { directory = try StateDirectory(path: path) } catch { return try self.refuse("\(error.cause); \(error.remedy)") }
        for content in contents {
            // The member of a pair that restores comes before what the broker retains of the pair.
            var record = StateFile.read(content.bytes)
            record.file.version = nil
            let isRecord = content.name == StateDirectory.devicesFile && record.problems.isEmpty
            let bytes = isRecord ? record.file.bytes : content.bytes
            if let number = PrivateFile.replace("\(directory.path)/\(content.name)", with: bytes, syncs: true) {
                return try self.refuse("\(path)/\(content.name) can't be written: \(String(cString: strerror(number)))")
            }
        }
        print("\(path): \(contents.map(\.name).joined(separator: ", "))".printable)
    }

    private func refuse(_ reason: String) throws {
        StandardError.print("not restored: \(reason)")
        throw ExitCode.failure
    }
}
