import Bridge
import BridgeConfiguration
import BridgeCore
import CastSender
import Dashboard
import LogKeys
import Logging

/// The configuration of the running program: reads it again, applies what needs no restart, and keeps what people choose.
///
/// A configuration with a mistake changes nothing.
actor ProgramSettings: SettingsAccess {
    /// The key that applies at once between some of its values.
    private static let mode = "home_assistant.mode"
    private let file: ConfigurationOption
    private let logger: Logger
    /// What the program was started with; keys that need a restart have these values.
    private let started: ConfigurationLoader.Loaded
    private var loaded: ConfigurationLoader.Loaded
    /// The last change or reading; the next one begins after it, so that none is lost.
    private var last: Task<Result<JSONObject, SettingsRefusal>, Never>?
    /// What was chosen, while the disk refuses it; `nil` when the file has it.
    private var unwritten: [UInt8]?
    /// What another member of the pair has chosen and this one can't choose, by path: it is handed on as it is.
    private var handedOn: [String: JSONValue?] = [:]
    private var refusal: @Sendable () async -> String? = { nil }
    private var apply: @Sendable (_ former: Configuration, _ new: Configuration) async throws -> Void = { _, _ in }

    init(file: ConfigurationOption, loaded: ConfigurationLoader.Loaded, logger: Logger) {
        (self.file, self.started, self.loaded, self.logger) = (file, loaded, loaded, logger)
    }

    /// - Parameters:
    ///   - refusal: returns why this bridge, as a standby, chooses nothing for its pair.
    ///   - apply: hands a configuration to the parts of the program; throws when one can't use it.
    func begin(
        refusal: @escaping @Sendable () async -> String?,
        applying apply: @escaping @Sendable (_ former: Configuration, _ new: Configuration) async throws -> Void
    ) {
        (self.refusal, self.apply) = (refusal, apply)
    }

    var configuration: JSONObject { self.loaded.effective }

    func settings() -> JSONObject {
        let keys = ConfigurationKey.all.map { key -> JSONValue in
            [
                "key": .string(key.path), "value": self.loaded.value(of: key.path), "default": .string(key.defaultText),
                "place": .string(self.loaded.places[key.path]?.rawValue ?? "default"), "type": .string(key.type),
                "meaning": .string(key.meaning), "choosable": .bool(self.mayChoose(key)), "live": .bool(key.isLive),
            ]
        }
        return ["settings": .array(keys), "restart": .array(self.waiting(self.loaded).map { .string($0) })]
    }

    /// What environment or file set can't be chosen: it would have no effect.
    private func mayChoose(_ key: ConfigurationKey) -> Bool {
        key.isChoosable && self.started.configuration.settingsPath != nil
            && (key.isAdded || ![.environment, .file].contains(self.loaded.places[key.path]))
    }

    func change(
        _ changes: @autoclosure @escaping @Sendable () -> [(key: String, value: JSONValue?)], triesBroker: Bool
    ) async throws(SettingsRefusal) -> JSONObject {
        try await self.inTurn { settings async throws(SettingsRefusal) in try await settings.keep(changes(), triesBroker: triesBroker) }
    }

    func changePreset(_ name: String, to preset: JSONObject?) async throws(SettingsRefusal) {
        _ = try await self.inTurn { settings async throws(SettingsRefusal) in
            var presets = settings.loaded.chosen.members(of: "presets")
            guard presets[name] != nil || !settings.loaded.configuration.presets.names.contains(name) else {
                throw SettingsRefusal("The configuration file has a preset of that name, which comes before it.", code: "not_applied")
            }
            presets[name] = preset.map { .object($0) }
            return try await settings.keep([("presets", presets.isEmpty ? nil : .object(presets))], triesBroker: false)
        }
    }

    func chosen() async -> JSONObject {
        (try? await self.inTurn { settings async throws(SettingsRefusal) in
            var chosen = settings.loaded.chosen.handedOver
            for (path, value) in settings.handedOn { chosen[path] = value }
            return chosen
        }) ?? [:]
    }

    func adopt(_ chosen: JSONObject) async -> Bool {
        _ = try? await self.inTurn { settings async throws(SettingsRefusal) in
            let changes = settings.changes(towards: chosen)
            if !changes.isEmpty {
                settings.started.configuration.settingsPath.map { StateDirectory.keep($0) }
                // One that can't be used here keeps no other from being used.
                if (try? await settings.keep(changes, isAdopted: true)) == nil, changes.count > 1 {
                    for change in changes { _ = try? await settings.keep([change], isAdopted: true) }
                }
            }
            settings.handedOn = settings.differences(towards: chosen)
            return [:]
        }
        // A restart would lose what is not on disk.
        return self.unwritten == nil && !self.waiting(self.loaded).isEmpty
    }

    private func differences(towards chosen: JSONObject) -> [String: JSONValue?] {
        let own = self.loaded.chosen.handedOver
        return Dictionary(uniqueKeysWithValues: Set(own.keys + chosen.keys).filter { own[$0] != chosen[$0] }.map { ($0, chosen[$0]) })
    }

    private func changes(towards chosen: JSONObject) -> [(key: String, value: JSONValue?)] {
        self.differences(towards: chosen).sorted { $0.key < $1.key }.compactMap { path, value in
            guard let key = ConfigurationKey.at(path), self.mayChoose(key), key.isHandedOver else { return nil }
            return (path, self.loaded.chosen.merged(value, of: path))
        }
    }

    func brokers() async -> [JSONValue] {
        await BrokerSearch(interfaces: self.loaded.configuration.discovery.interfaces).run(within: .seconds(2))
    }

    func reload() async throws(SettingsRefusal) -> JSONObject {
        try await self.inTurn { settings async throws(SettingsRefusal) in try await settings.readAgain() }
    }

    private func inTurn(
        _ work: @escaping @Sendable (isolated ProgramSettings) async throws(SettingsRefusal) -> JSONObject
    ) async throws(SettingsRefusal) -> JSONObject {
        let former = self.last
        let task = Task { () async -> Result<JSONObject, SettingsRefusal> in
            _ = await former?.value
            do throws(SettingsRefusal) { return .success(try await work(self)) } catch { return .failure(error) }
        }
        self.last = task
        return try await task.value.get()
    }

    /// - Parameter isAdopted: whether the leader of the pair has chosen it, so that it is used even when the disk refuses it.
    private func keep(
        _ changes: [(key: String, value: JSONValue?)], triesBroker: Bool = false, isAdopted: Bool = false
    ) async throws(SettingsRefusal) -> JSONObject {
        guard let path = self.started.configuration.settingsPath else {
            throw SettingsRefusal("There is no state directory to keep it in.", code: "not_applied")
        }
        let (former, formerUnwritten) = (self.loaded.chosen, self.unwritten)
        var chosen = former
        if !isAdopted, changes.contains(where: { ConfigurationKey.at($0.key)?.isHandedOver == true }), let refusal = await self.refusal() {
            throw SettingsRefusal(refusal, code: "not_supported")
        }
        for (path, value) in changes {
            guard let key = ConfigurationKey.at(path) else { throw SettingsRefusal("\(path.prefix(80)) is no key.") }
            guard key.isChoosable else { throw SettingsRefusal("\(path) is set in the configuration file or the environment alone.") }
            if value != nil, !key.isAdded, let place = self.loaded.places[path], place != .settings {
                throw SettingsRefusal(
                    "\(path) is set in the \(place == .file ? "configuration file" : "environment"), which comes before it.")
            }
            if path == "mqtt.password", value != nil, self.loaded.places["mqtt.password_file"] != nil {
                throw SettingsRefusal("mqtt.password_file has the password.")
            }
            if let value, self.loaded.restoresHidden(value, of: path) {
                throw SettingsRefusal("\(path) has … in place of a secret. Give the secret itself, or leave the key as it is.")
            }
            chosen.set(path, value)
        }
        // Tried before it is kept.
        let trial = try self.read((path, chosen.bytes), isTrial: true).configuration
        if triesBroker, trial.mqtt != self.loaded.configuration.mqtt { try await self.tryBroker(of: trial) }
        self.unwritten = nil
        if let number = PrivateFile.replace(path, with: chosen.bytes, syncs: true) {
            let problem = StateDirectory.Problem.notWritable(path: path, errno: number)
            self.unwritten = isAdopted ? chosen.bytes : formerUnwritten
            guard isAdopted else { throw SettingsRefusal(problem.cause, code: "not_applied") }
            if formerUnwritten == nil {
                self.logger.error(
                    "settings of the leader can't be kept on disk; they are lost when this bridge restarts, and some apply only then",
                    metadata: [.reason: "\(problem.cause)", .remedy: "\(problem.remedy)"])
            }
        }
        do throws(SettingsRefusal) {
            let result = try await self.readAgain()
            for (path, _) in changes { self.handedOn.removeValue(forKey: path) }
            return result
        } catch {
            // What can't be used is not kept.
            if self.unwritten == nil { _ = PrivateFile.replace(path, with: former.bytes, syncs: true) }
            self.unwritten = formerUnwritten
            throw error
        }
    }

    /// - Throws: the fault of the broker that a configuration names.
    private func tryBroker(of trial: Configuration) async throws(SettingsRefusal) {
        guard trial.mqtt.host != nil else {
            if !PrivateBroker.isPossible { throw SettingsRefusal("mosquitto is not installed.", code: "mosquitto_missing") }
            return
        }
        guard let fault = await trial.brokerFault(within: .seconds(10)), !fault.isLimit else { return }
        throw SettingsRefusal("\(fault.reason). \(fault.remedy)", code: fault.code)
    }

    private func readAgain() async throws(SettingsRefusal) -> JSONObject {
        var settings: (path: String, bytes: [UInt8])?
        if let path = self.started.configuration.settingsPath {
            switch self.unwritten.map({ .bytes($0) }) ?? ConfigurationOption.read(path) {
            case .bytes(let bytes): settings = (path, bytes)
            case .missing: break
            case .unreadable(let reason): throw SettingsRefusal("\(path) can't be read: \(reason)")
            }
        }
        let loaded = try self.read(settings, isTrial: false)
        let changed = loaded.differences(from: self.loaded)
        do {
            try await self.apply(self.loaded.configuration, loaded.configuration)
        } catch {
            let problem = error as? DashboardServer.CertificateProblem
            let reason = problem.map { "\($0.key): \($0.detail)" } ?? "\(error)"
            self.logger.error("configuration can't be used; nothing has changed", metadata: [.reason: "\(reason)"])
            throw SettingsRefusal(reason)
        }
        self.loaded = loaded
        let waiting = self.waiting(loaded)
        let applied = changed.filter { ConfigurationKey.at($0)?.isLive == true || $0 == Self.mode && !waiting.contains($0) }
        self.logger.notice(
            "configuration read again",
            metadata: [.applied: "\(applied.joined(separator: ", "))", .needsRestart: "\(waiting.joined(separator: ", "))"])
        return ["applied": .array(applied.map { .string($0) }), "restart": .array(waiting.map { .string($0) })]
    }

    private func waiting(_ loaded: ConfigurationLoader.Loaded) -> [String] {
        let modes = [loaded, self.started].map(\.configuration.homeAssistant.mode)
        return loaded.differences(from: self.started).filter { path in
            path == Self.mode ? modes[0] != modes[1] && !modes.allSatisfy(\.isWhole) : ConfigurationKey.at(path)?.isLive != true
        }
    }

    private func read(_ settings: (path: String, bytes: [UInt8])?, isTrial: Bool) throws(SettingsRefusal) -> ConfigurationLoader.Loaded {
        do {
            return try self.file.read(settings: settings, isTrial: isTrial)
        } catch {
            self.logger.error("configuration is wrong; nothing has changed", metadata: [.reason: "\(error.problems[0])"])
            throw SettingsRefusal(error.problems.prefix(3).map(\.description).joined(separator: "; "))
        }
    }
}
