import BridgeCore
import CastSender
import MediaServer

extension BridgeRequests {
    /// Answers with a page of what can be played.
    func browseMedia(_ place: BridgeCommand.MediaPlace, from offset: Int, _ envelope: CommandEnvelope) {
        switch place {
        case .folder(let path):
            guard let folders = self.context.program.media?.folders else {
                return self.answer(envelope, CommandResult(MediaResolution.off))
            }
            self.list(envelope) { MediaListing(folders).page(of: path, from: offset) }
        case .presets: self.answer(envelope, .done(MediaListing.page(self.presetRows, from: offset)))
        case .recents: self.answer(envelope, .done(MediaListing.page(self.recentRows, from: offset)))
        }
    }

    func searchMedia(_ query: String, from offset: Int, _ envelope: CommandEnvelope) {
        let (rows, folders) = (self.presetRows + self.recentRows, self.context.program.media?.folders)
        self.list(envelope) { MediaListing(folders ?? MediaFolders([])).search(query, among: rows, from: offset) }
    }

    private func list(_ envelope: CommandEnvelope, _ read: @escaping @Sendable () -> JSONObject?) {
        guard self.takeListing("Pages of media", envelope) else { return }
        self.answerLater(envelope) {
            let page = await Blocking.run(read) ?? nil
            return page.map { CommandResult.done($0) } ?? CommandResult(.badPayload, message: "path: there is no such folder.")
        }
    }

    private var presetRows: [JSONValue] {
        self.context.settings.presets.all.map { preset in
            ["name": .string(preset.name), "kind": "preset", "image": self.shown(preset.image)]
        }
    }

    private var recentRows: [JSONValue] {
        self.bridge.commands.memory.recents.entries.enumerated().map { index, entry in
            [
                "name": .string(self.context.settings.redaction.redacted(entry.title)), "kind": "recent",
                "recent": .integer(Int64(index + 1)), "path": entry.playable.file.map { .string($0) } ?? .null,
                "image": self.shown(entry.playable.image), "device": self.fleet.slug(of: entry.device).map { .string($0) } ?? .null,
                "at": .string(entry.at.text),
            ]
        }
    }

    private func shown(_ address: String?) -> JSONValue { address.map { .string(self.context.settings.redaction.redacted($0)) } ?? .null }

    /// Keeps or forgets a preset in the chosen settings.
    func changePreset(_ name: String, to preset: JSONObject?, _ envelope: CommandEnvelope) {
        let known = try? self.context.settings.presets.preset(.named(name), playing: nil)
        guard known != nil || preset != nil else {
            return self.answer(envelope, CommandResult(.badPayload, message: "There is no such preset."))
        }
        // One spelling of a name.
        let name = known?.name ?? name
        self.changeSettings(for: envelope, result: { _ in .done(["name": .string(name)]) }) { settings async throws(SettingsRefusal) in
            try await settings.changePreset(name, to: preset)
        }
    }

    /// Changes what is kept in the settings, and answers with the result, or why they stay as they are.
    func changeSettings(
        for envelope: CommandEnvelope, result: @escaping @Sendable (BridgeRequests) -> CommandResult,
        _ change: @escaping @Sendable (any SettingsAccess) async throws(SettingsRefusal) -> Void
    ) {
        guard let settings = self.context.program.settings else {
            return self.answer(envelope, CommandResult(.notSupported, message: "This program keeps no settings."))
        }
        guard self.takeListing("Changes of settings", envelope) else { return }
        _ = self.context.loop.start(self) { requests in
            var refusal: CommandResult?
            do throws(SettingsRefusal) { try await change(settings) } catch {
                let code = AnswerCode(rawValue: error.code) ?? .badPayload
                let hint = "Settings are kept in the state directory; the configuration file and the environment come before them."
                refusal = CommandResult(code, message: error.message, hint: code == .badPayload ? nil : hint)
            }
            requests.context.loop.turn { requests.answer(envelope, refusal ?? result(requests)) }
        }
    }
}
