import BridgeCore
import CastSender
import LogKeys
import Logging

/// What was played, and what is to be played again or to end: recents, what people saved, and the ends of sleep timers. A file in the state
/// directory has them.
package final class PlayMemory {
    package static let fileName = "plays.json"
    /// The names under which something can be saved.
    static let maximumSaved = 100

    private let context: BridgeContext
    private(set) var recents: Recents
    private(set) var saved: [String: PlaybackSnapshot] = [:]
    private(set) var sleeps: [Device.ID: Sleep] = [:]
    private var writing: Task<Void, Never>?
    private var isChanged = false
    /// Why the last content is not on disk.
    private var fault: StateDirectory.Problem?

    init(_ context: BridgeContext) {
        self.context = context
        let contents = try? context.program.stateDirectory?.read(Self.fileName)
        let json = contents.flatMap { try? JSONParser.parse($0.bytes) }
        self.recents = Recents(json: json?["recents"])
        for member in json?["saved"]?.objectValue?.members ?? [] { self.saved[member.key] = PlaybackSnapshot(json: member.value) }
        for member in json?["sleeps"]?.objectValue?.members ?? [] { self.sleeps[member.key] = Sleep(json: member.value) }
    }

    /// What a command plays, once it begins.
    struct Play: Sendable {
        var command: DeviceCommand
        var playable: Playable?
        var preset: Preset?
    }

    /// Looks up the preset or the recent that a command names; any other command is itself.
    func play(_ command: DeviceCommand, _ playable: Playable?, on device: DeviceAgent) throws(CommandRejection) -> Play {
        let recent = device.state.application.recent
        switch command {
        case .preset(let choice):
            let preset = try self.context.settings.presets.preset(choice, playing: device.state.presentedPreset)
            let command = try self.context.parser.command(of: preset.playable, recent: recent)
            return Play(command: command, playable: preset.playable, preset: preset)
        case .recent(let number):
            let entry = try self.recents.entry(number)
            return Play(command: try self.context.parser.command(of: entry.playable, recent: recent), playable: entry.playable)
        default: return Play(command: command, playable: playable)
        }
    }

    /// Notes what a device plays now.
    func played(_ play: Play, on device: Device.ID) {
        guard play.command.isLoad, let playable = play.playable, JSONWriter.string(of: playable.json).utf8.count <= Playable.maximumBytes
        else { return }
        let title = play.preset?.name ?? play.command.loadedMedia?.metadata?.title
        self.recents.add(playable, title: title, on: device, at: self.context.now.wall)
        self.write()
    }

    /// Saves something under a name, or forgets it.
    /// - Returns: why it is not on disk.
    nonisolated(nonsending) func save(_ snapshot: PlaybackSnapshot?, as name: String) async -> StateDirectory.Problem? {
        self.saved[name] = snapshot
        self.write()
        await self.writing?.value
        return self.fault
    }

    func change(_ sleep: Sleep?, of device: Device.ID) {
        guard self.sleeps[device] != sleep else { return }
        self.sleeps[device] = sleep
        self.write()
    }

    // MARK: The file

    /// Returns when everything is on disk.
    nonisolated(nonsending) func end() async { await self.writing?.value }

    /// One writer at a time, and the newest content wins.
    private func write() {
        self.isChanged = true
        guard self.writing == nil else { return }
        self.writing = self.context.loop.start(self) { memory in
            while memory.isChanged {
                memory.isChanged = false
                let (json, directory) = (memory.json, memory.context.program.stateDirectory)
                memory.fault = await Blocking.run { Self.write(json, to: directory) } ?? nil
                if let fault = memory.fault {
                    memory.context.logger.warning(
                        "what was played can't be kept on disk", metadata: [.reason: "\(fault.cause)", .remedy: "\(fault.remedy)"])
                }
            }
            memory.writing = nil
        }
    }

    private static func write(_ json: JSONValue, to directory: StateDirectory?) -> StateDirectory.Problem? {
        do throws(StateDirectory.Problem) { try directory?.write(Self.fileName, JSONWriter.bytes(of: json)) } catch { return error }
        return directory == nil ? .missing : nil
    }

    private var json: JSONValue {
        [
            "recents": self.recents.json,
            "saved": .object(JSONObject(self.saved.sorted { $0.key < $1.key }.map { ($0.key, $0.value.json) })),
            "sleeps": .object(JSONObject(self.sleeps.sorted { $0.key < $1.key }.map { ($0.key, $0.value.json) })),
        ]
    }
}
