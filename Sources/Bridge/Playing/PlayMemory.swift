import BridgeCore
import CastSender

/// What was played, and what is to be played again or to end: recents, what people saved, the presets of devices, the ends of sleep timers,
/// and web pages that stay. A file in the state directory has them.
package final class PlayMemory {
    package static let fileName = "plays.json"
    /// The names under which something can be saved.
    static let maximumSaved = 100
    /// The largest of what is saved, in bytes.
    static let maximumBytes = 131_072

    private let context: BridgeContext
    private let file: StateDocument
    private(set) var recents: Recents
    /// As JSON, because only what is recalled is read.
    private(set) var saved: [String: JSONValue]
    private(set) var sleeps: [Device.ID: Sleep]
    /// The preset that each device played last, and the name of the one that it was asked for last.
    private(set) var presets: [Device.ID: PlayedPreset]
    /// The web pages that stay on screens.
    private(set) var pages: [Device.ID: WebPage]
    private var asked: [Device.ID: String] = [:]
    private let offers: KeptOffers

    init(_ context: BridgeContext) {
        (self.context, self.file, self.offers) = (context, StateDocument(context, Self.fileName), KeptOffers(context))
        let json = self.file.read()
        func members<Value>(_ name: String, _ read: (JSONValue) -> Value?) -> [String: Value] {
            let members = (json?[name]?.objectValue?.members ?? []).compactMap { member in read(member.value).map { (member.key, $0) } }
            return Dictionary(members) { $1 }
        }
        self.recents = Recents(json: json?["recents"])
        (self.saved, self.sleeps, self.presets, self.pages) = (
            members("saved") { $0 }, members("sleeps", Sleep.init), members("presets", PlayedPreset.init),
            members("pages", WebPage.init(kept:))
        )
    }

    /// Puts what a preset or a recent plays in the place of a command that names one.
    /// - Parameter find: returns the device of a target; `nil` for all devices.
    func look(
        up command: inout DeviceCommand, _ envelope: inout CommandEnvelope, on find: (CommandTarget) -> DeviceAgent?
    ) throws(CommandRejection) {
        switch command {
        case .preset(let choice):
            let preset = try self.context.settings.presets.preset(
                choice, playing: find(envelope.target).flatMap { self.asked[$0.id] ?? self.presets[$0.id]?.name })
            (envelope.content.preset, envelope.content.playable) = (preset, preset.playable)
        case .recent(let number): envelope.content.playable = try self.recents.entry(number).playable
        default: return
        }
        guard let playable = envelope.content.playable else { return }
        envelope.content.given = command
        let recent = find(envelope.target)?.state.application.recent ?? RecentApplications()
        command = try self.context.parser.command(of: playable, recent: recent)
    }

    /// A device is about to play a preset, from which the next and the previous one follow.
    func began(_ preset: Preset, on device: Device.ID) { self.asked[device] = preset.name }

    /// Notes what a device plays now.
    func played(_ command: DeviceCommand, _ content: CommandEnvelope.Content, _ preset: PlayedPreset?, on device: Device.ID) {
        self.presets[device] = preset ?? self.presets[device]
        if command.isLoad, let playable = content.playable, JSONWriter.string(of: playable.json).utf8.count <= Playable.maximumBytes {
            let title = preset?.name ?? command.loadedMedia?.metadata?.title
            self.recents.add(playable, title: title, on: device, at: self.context.now.wall)
        } else if preset == nil {
            return
        }
        self.write()
    }

    func clockStepped(by seconds: Double) { for device in self.sleeps.keys { self.sleeps[device]?.end.add(seconds: seconds) } }

    /// Saves something under a name, or forgets it.
    /// - Returns: why it is not on disk.
    nonisolated(nonsending) func save(_ snapshot: JSONValue?, as name: String) async -> StateDirectory.Problem? {
        self.saved[name] = snapshot
        self.write()
        return await self.file.ended()
    }

    func change(_ sleep: Sleep?, of device: Device.ID) { if Self.put(sleep, in: &self.sleeps, device) { self.write() } }

    func keep(_ page: WebPage?, on device: Device.ID) { if Self.put(page, in: &self.pages, device) { self.write() } }

    /// A device was removed.
    func dismiss(_ device: Device.ID) {
        self.asked[device] = nil
        let (hadSleep, hadPreset) = (Self.put(nil, in: &self.sleeps, device), Self.put(nil, in: &self.presets, device))
        if hadSleep || hadPreset { self.write() }
    }

    /// - Returns: whether that changes anything.
    private static func put<Value: Equatable>(_ value: Value?, in values: inout [Device.ID: Value], _ device: Device.ID) -> Bool {
        defer { values[device] = value }
        return values[device] != value
    }

    // MARK: The file

    /// Returns when everything is on disk, at the latest after a second.
    nonisolated(nonsending) func end() async { await self.file.ended() }

    private func write() {
        let (recents, saved, sleeps, presets, pages) = (self.recents, self.saved, self.sleeps, self.presets, self.pages)
        self.file.write {
            func object(_ members: [String: JSONValue]) -> JSONValue {
                .object(JSONObject(members.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }))
            }
            return [
                "recents": recents.json, "saved": object(saved), "sleeps": object(sleeps.mapValues(\.json)),
                "presets": object(presets.mapValues(\.json)), "pages": object(pages.mapValues(\.kept)),
            ]
        }
    }
}
