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
    /// The largest of what is saved, in bytes.
    static let maximumBytes = 131_072

    private let context: BridgeContext
    private(set) var recents: Recents
    private(set) var saved: [String: PlaybackSnapshot] = [:]
    private(set) var sleeps: [Device.ID: Sleep] = [:]
    /// The preset that each device was asked for last.
    private var asked: [Device.ID: String] = [:]
    private var writing: Task<Void, Never>?
    private var isChanged = false
    /// Why the last content is not on disk.
    private var fault: StateDirectory.Problem?

    init(_ context: BridgeContext) {
        self.context = context
        let json = Self.read(context)
        self.recents = Recents(json: json?["recents"])
        for member in json?["saved"]?.objectValue?.members ?? [] { self.saved[member.key] = PlaybackSnapshot(json: member.value) }
        for member in json?["sleeps"]?.objectValue?.members ?? [] { self.sleeps[member.key] = Sleep(json: member.value) }
    }

    /// A damaged file is set aside, so that people can examine it.
    private static func read(_ context: BridgeContext) -> JSONValue? {
        let directory = context.program.stateDirectory
        var reason = "it is damaged"
        do throws(StateDirectory.Problem) {
            guard let contents = try directory?.read(Self.fileName) else { return nil }
            if contents.isWhole, let json = try? JSONParser.parse(contents.bytes) { return json }
        } catch { reason = error.cause }
        directory?.setAside(Self.fileName)
        context.logger.warning("what was played and saved is lost", metadata: [.reason: "\(reason)"])
        return nil
    }

    /// Puts what a preset or a recent plays in the place of a command that names one.
    /// - Parameter find: returns the device of a target; `nil` for all devices.
    func look(
        up command: inout DeviceCommand, _ envelope: inout CommandEnvelope, on find: (CommandTarget) -> DeviceAgent?
    ) throws(CommandRejection) {
        let given = command
        let device: DeviceAgent?
        switch command {
        case .preset(let choice):
            device = find(envelope.target)
            let playing = device.flatMap { self.asked[$0.id] ?? $0.state.presentedPreset }
            let preset = try self.context.settings.presets.preset(choice, playing: playing)
            (envelope.content.preset, envelope.content.playable) = (preset, preset.playable)
        case .recent(let number):
            device = find(envelope.target)
            envelope.content.playable = try self.recents.entry(number).playable
        default: return
        }
        guard let playable = envelope.content.playable else { return }
        command = try self.context.parser.command(of: playable, recent: device?.state.application.recent ?? RecentApplications())
        envelope.content.given = given
    }

    /// A device is about to play a preset, from which the next and the previous one follow.
    func began(_ preset: Preset, on device: Device.ID) { self.asked[device] = preset.name }

    /// Notes what a device plays now.
    func played(_ command: DeviceCommand, _ content: CommandEnvelope.Content, on device: Device.ID) {
        guard command.isLoad, let playable = content.playable,
            JSONWriter.string(of: playable.json).utf8.count <= Playable.maximumBytes
        else { return }
        let title = content.preset?.name ?? command.loadedMedia?.metadata?.title
        self.recents.add(playable, title: title, on: device, at: self.context.now.wall)
        self.write()
    }

    func clockStepped(by seconds: Double) { for device in self.sleeps.keys { self.sleeps[device]?.end.add(seconds: seconds) } }

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
