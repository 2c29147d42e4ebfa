import BridgeCore
import CastModels

package enum FileContents: Sendable, Hashable {
    case bytes([UInt8])
    case missing
    /// The file cannot be read, with the reason for people.
    case unreadable(String)
}

/// Builds the configuration from the environment, a file, what a person chose at run time, and the defaults; the first that has a key wins.
package enum ConfigurationLoader {
    /// The file that is read, if it exists, when no other is named.
    package static let standardPath = "/etc/cast2mqtt/cast2mqtt.yaml"

    /// The largest accepted file, in bytes. A reader may stop after it.
    package static let maximumBytes = ConfigurationDocument.maximumBytes

    package struct Loaded: Sendable, Hashable {
        package var configuration: Configuration
        /// The path of the file; `nil` when there was none.
        package var path: String?
        /// Variables that were ignored, and keys and variables that are deprecated.
        package var warnings: [ConfigurationProblem]
        /// The settings in force by section, without secrets.
        package var effective: JSONObject = [:]
        /// Where the values come from that are no defaults, by path.
        package var places: [String: ConfigurationPlace] = [:]
        /// What was chosen at run time, whether it is in force or not.
        package var chosen = ChosenSettings()
        /// The values that were given, with secrets, by path.
        fileprivate var given: [String: JSONValue] = [:]

        /// Returns the value of a key that is in force, without secrets.
        package func value(of path: String) -> JSONValue {
            path.split(separator: ".").reduce(.object(self.effective)) { $0[String($1)] ?? .null }
        }

        /// Whether a value has `…` where the value in force has a secret that is shown so.
        package func restoresHidden(_ value: JSONValue, of path: String) -> Bool {
            Self.restoresHidden(value, self.value(of: path), self.given[path] ?? .null)
        }

        private static func restoresHidden(_ value: JSONValue, _ shown: JSONValue, _ secret: JSONValue) -> Bool {
            if let text = value.stringValue {
                return text.contains(EffectiveSettings.hidden) && shown.stringValue?.contains(EffectiveSettings.hidden) == true
                    && value != secret
            }
            if let elements = value.arrayValue {
                let kept = zip(shown.arrayValue ?? [], secret.arrayValue ?? [])
                return elements.contains { element in kept.contains { self.restoresHidden(element, $0, $1) } }
            }
            return value.objectValue?.members.contains {
                self.restoresHidden($0.value, shown[$0.key] ?? .null, secret[$0.key] ?? .null)
            } ?? false
        }

        /// Returns the paths of the keys that have other values than in `other`.
        package func differences(from other: Self) -> [String] {
            ConfigurationKey.all.map(\.path).filter { path in
                if let role = WebRole.allCases.first(where: { path == "web.passwords.\($0.rawValue)" }) {
                    return self.configuration.web.passwords[role] != other.configuration.web.passwords[role]
                }
                return self.given[path] != other.given[path]
            }
        }
    }

    /// Loads the configuration, or throws all problems at once.
    /// - Parameters:
    ///   - argument: the file named by `--config`; otherwise `$CAST2MQTT_CONFIG` is used, then `standardPath` if it exists.
    ///   - environment: all variables of the process.
    ///   - settings: the file of what was chosen at run time. What can't be used there is left out with a warning, so that it keeps no
    ///     program from starting.
    ///   - isTrial: whether a mistake in `settings` is thrown, too.
    ///   - read: reads a file, for the configuration and for secrets.
    package static func load(
        argument: String?, environment: [String: String], settings: (path: String, bytes: [UInt8])? = nil, isTrial: Bool = false,
        read: (String) -> FileContents
    ) throws(ConfigurationError) -> Loaded {
        var reading = ConfigurationReading()
        if let settings { reading.readSettings(settings.bytes, path: settings.path, isTrial: isTrial) }
        var path = argument ?? environment[ConfigurationKey.fileVariable].flatMap { $0.isEmpty ? nil : $0 }
        let isNamed = path != nil
        switch read(path ?? self.standardPath) {
        case .bytes(let bytes):
            path = path ?? self.standardPath
            reading.readFile(bytes, path: path ?? self.standardPath)
        case .missing where !isNamed: break
        case .missing: reading.fail(.file(path: path ?? "", line: nil), message: "does not exist")
        case .unreadable(let reason): reading.fail(.file(path: path ?? self.standardPath, line: nil), message: "can't be read: \(reason)")
        }
        reading.readEnvironment(environment)
        reading.readSecretFiles(read)
        reading.checkCombinations()
        guard reading.problems.isEmpty else {
            let error = ConfigurationError(problems: reading.problems, warnings: reading.warnings)
            guard let settings, !isTrial else { throw error }
            // What was chosen must not keep the program from starting: without the keys that the problems name, else without all.
            let keys = error.problems.compactMap(\.key)
            let kept = reading.chosen.without { path in keys.contains { path == $0 || path.hasPrefix($0 + ".") } }
            var loaded = try self.load(
                argument: argument, environment: environment,
                settings: kept == reading.chosen || kept.paths.isEmpty ? nil : (settings.path, kept.bytes), read: read)
            loaded.chosen = reading.chosen
            loaded.warnings += error.problems.map { problem in
                ConfigurationProblem(
                    source: .file(path: settings.path, line: nil), key: problem.key, message: "left out, since with it: \(problem)")
            }
            return loaded
        }
        return Loaded(
            configuration: reading.configuration, path: path, warnings: reading.warnings,
            effective: reading.effective.json(reading.configuration.secrets.redaction), places: reading.places, chosen: reading.chosen,
            given: reading.effective.given.mapValues(\.written))
    }
}

struct ConfigurationReading {
    private(set) var configuration = Configuration()
    private(set) var problems: [ConfigurationProblem] = []
    private(set) var warnings: [ConfigurationProblem] = []
    private(set) var effective = EffectiveSettings()
    private(set) var places: [String: ConfigurationPlace] = [:]
    private(set) var chosen = ChosenSettings()
    /// Where the values come from that are being read.
    private var place = ConfigurationPlace.file

    /// The paths of the keys that were read so far, as written in the file, by their current path.
    private var writtenPaths: [String: String] = [:]
    /// The file that contains the password, and where it is named.
    private var passwordFile: (path: String, source: ConfigurationProblem.Source)?
    /// The files that variables name in place of a value, for keys whose value is a secret.
    private var secretFiles: [(key: ConfigurationKey, path: String, source: ConfigurationProblem.Source)] = []

    private static let keysByPath = Dictionary(uniqueKeysWithValues: ConfigurationKey.all.map { ($0.path, $0) })
    private static let formerByPath = Dictionary(uniqueKeysWithValues: ConfigurationKey.former.map { ($0.path, $0.key) })
    private static let formerByVariable = Dictionary(uniqueKeysWithValues: ConfigurationKey.former.map { ($0.environmentName, $0.key) })
    /// Every path that has keys below it.
    private static let sections = Set(
        ConfigurationKey.all.flatMap { key in
            let parts = key.path.split(separator: ".")
            return (1..<max(1, parts.count)).map { parts[..<$0].joined(separator: ".") }
        })

    mutating func fail(_ source: ConfigurationProblem.Source, key: String? = nil, message: String, suggestion: String? = nil) {
        self.problems.append(ConfigurationProblem(source: source, key: key, message: message, suggestion: suggestion))
    }

    mutating func readFile(_ bytes: [UInt8], path: String) {
        do throws(ConfigurationProblem) {
            let value = try ConfigurationDocument.parse(bytes, path: path)
            self.readSection(value, at: nil, path: path)
            if let passwordFile, self.configuration.mqtt.password != nil {
                self.fail(passwordFile.source, key: "mqtt.password_file", message: "is set beside mqtt.password; set one of them")
            }
        } catch {
            self.problems.append(error)
        }
    }

    /// Reads what was chosen at run time, before all other places.
    mutating func readSettings(_ bytes: [UInt8], path: String, isTrial: Bool) {
        self.place = .settings
        self.readFile(bytes, path: path)
        if !isTrial {
            self.warnings += self.problems.map { problem in
                ConfigurationProblem(source: problem.source, key: problem.key, message: "left out: \(problem.message)")
            }
            self.problems = []
        }
        (self.place, self.writtenPaths) = (.file, [:])
    }

    private mutating func readSection(_ value: ConfigurationValue, at section: String?, path: String) {
        switch value.form {
        case .null: return
        case .mapping(let members):
            for (name, member) in members { self.readMember(name, member, at: section, path: path) }
        case .text, .list:
            self.fail(
                .file(path: path, line: value.line), key: section,
                message: section == nil ? "must hold keys and values" : "must hold keys of its own")
        }
    }

    private mutating func readMember(_ name: String, _ value: ConfigurationValue, at section: String?, path: String) {
        let key = section.map { "\($0).\(name)" } ?? name
        let source = ConfigurationProblem.Source.file(path: path, line: value.line)
        // A dot inside a name does not separate sections; only nesting does.
        if !name.contains("."), let known = Self.keysByPath[key] ?? Self.formerKey(key, value) {
            if known.path != key { self.warn(source, key: key, message: "deprecated; use \(known.path)") }
            if let other = self.writtenPaths.updateValue(key, forKey: known.path) {
                return self.fail(source, key: key, message: "is set beside \(other); set one of them")
            }
            self.apply(known, value) { .file(path: path, line: $0 ?? value.line) }
        } else if !name.contains("."), Self.sections.contains(key) {
            self.readSection(value, at: key, path: path)
        } else if name.contains("."), let known = Self.keysByPath[key], let point = known.path.lastIndex(of: ".") {
            self.fail(source, key: key, message: "is written as \(known.path[point...].dropFirst()) below \(known.path[..<point])")
        } else {
            let suggestion = NearestName.of(key, among: Self.keysByPath.keys.sorted() + Self.sections.sorted(), isPath: true)
            self.fail(source, key: String(key.prefix(80)), message: "unknown key", suggestion: suggestion)
        }
    }

    /// Returns the key of a former path; `nil` if the path now names a section and a section is meant.
    private static func formerKey(_ path: String, _ value: ConfigurationValue) -> ConfigurationKey? {
        if self.sections.contains(path) { guard case .text = value.form else { return nil } }
        return self.formerByPath[path]
    }

    mutating func warn(_ source: ConfigurationProblem.Source, key: String? = nil, message: String, suggestion: String? = nil) {
        self.warnings.append(ConfigurationProblem(source: source, key: key, message: message, suggestion: suggestion))
    }

    private mutating func apply(_ key: ConfigurationKey, _ value: ConfigurationValue, source: (Int?) -> ConfigurationProblem.Source) {
        guard self.place != .settings || key.isChoosable else {
            return self.fail(source(value.line), key: key.path, message: "is set in the configuration file or the environment alone")
        }
        do {
            if key.isPasswordFile {
                // The file has the password, in place of one that was chosen.
                if self.places["mqtt.password"] == .settings { self.configuration.mqtt.password = nil }
                self.passwordFile = try value.optional { try $0.text(maximumBytes: 4096) }.map { ($0, source(value.line)) }
            } else {
                try key.apply(&self.configuration, value)
            }
            self.effective.note(key, value)
            self.places[key.path] = self.place
            if self.place == .settings { self.chosen.set(key.path, value.written) }
        } catch {
            let problem = error as? ValueProblem
            self.fail(source(problem?.line), key: key.path, message: problem?.message ?? "can't be read")
        }
    }

    mutating func readEnvironment(_ environment: [String: String]) {
        self.place = .environment
        let keys = Dictionary(uniqueKeysWithValues: ConfigurationKey.all.map { ($0.environmentName, $0) })
        let password = (value: "CAST2MQTT_MQTT_PASSWORD", file: "CAST2MQTT_MQTT_PASSWORD_FILE")
        if environment[password.value] != nil, environment[password.file] != nil {
            self.fail(.environment(variable: password.file), message: "is set beside \(password.value); set one of them")
        } else if environment[password.value] != nil || environment[password.file] != nil {
            // A password in the environment overrides both in the file.
            (self.passwordFile, self.configuration.mqtt.password) = (nil, nil)
        }
        let variables = environment.keys.filter { $0.hasPrefix(ConfigurationKey.environmentPrefix) && $0 != ConfigurationKey.fileVariable }
        for variable in variables.sorted() {
            let source = ConfigurationProblem.Source.environment(variable: String(variable.prefix(80)))
            let text = environment[variable] ?? ""
            if PlatformVariable.isLink(variable, value: text) {
                guard let key = keys[variable] else { continue }
                // A service named `cast2mqtt-mqtt` sets CAST2MQTT_MQTT_PORT, which a user may also set.
                self.warn(source, key: key.path, message: "ignored; a container platform sets such a value")
            } else if let key = keys[variable] {
                self.apply(key, Self.value(text, isList: key.isList)) { _ in source }
            } else if let key = Self.formerByVariable[variable] {
                self.warn(source, message: "deprecated; use \(key.environmentName)")
                guard environment[key.environmentName] == nil else {
                    self.fail(source, key: key.path, message: "is set beside \(key.environmentName); set one of them")
                    continue
                }
                self.apply(key, Self.value(text, isList: key.isList)) { _ in source }
            } else if let key = Self.secretKey(ofFileVariable: variable, among: keys) {
                if environment[key.environmentName] != nil {
                    self.fail(source, message: "is set beside \(key.environmentName); set one of them")
                } else if !text.isEmpty {
                    self.secretFiles.append((key, text, source))
                }
            } else {
                let names = (Array(keys.keys) + [ConfigurationKey.fileVariable]).sorted()
                self.warn(source, message: "unknown variable", suggestion: NearestName.of(variable, among: names))
            }
        }
    }

    /// The key whose value is in the file that a variable names: `CAST2MQTT_WEB_PASSWORDS_ADMIN_FILE`. `mqtt.password_file` is a key itself.
    private static func secretKey(ofFileVariable variable: String, among keys: [String: ConfigurationKey]) -> ConfigurationKey? {
        guard variable.hasSuffix("_FILE"), let key = keys[String(variable.dropLast(5))], key.path.hasPrefix("web.passwords.") else {
            return nil
        }
        return key
    }

    /// Reads the files that are named in place of secrets.
    mutating func readSecretFiles(_ read: (String) -> FileContents) {
        if let (path, source) = self.passwordFile {
            self.readSecret(path, source, key: "mqtt.password_file", read) {
                $0.mqtt.password = Secret(try $1.text(maximumBytes: 1024))
                $0.mqtt.passwordFile = path
            }
        }
        for (key, path, source) in self.secretFiles {
            self.readSecret(path, source, key: key.path, read, apply: key.apply)
            self.places[key.path] = .environment
            self.effective.note(key, ConfigurationValue(form: .text(path), line: nil))
        }
    }

    private mutating func readSecret(
        _ path: String, _ source: ConfigurationProblem.Source, key: String, _ read: (String) -> FileContents,
        apply: (inout Configuration, ConfigurationValue) throws -> Void
    ) {
        switch read(path) {
        case .missing: self.fail(source, key: key, message: "names a file that does not exist")
        case .unreadable(let reason): self.fail(source, key: key, message: "names a file that can't be read: \(reason)")
        case .bytes(let bytes):
            guard let text = Secret.text(in: bytes) else {
                return self.fail(source, key: key, message: "names a file that is too large or not UTF-8 text")
            }
            do {
                try apply(&self.configuration, ConfigurationValue(form: .text(text), line: nil))
            } catch {
                self.fail(source, key: key, message: "names a file whose content \((error as? ValueProblem)?.message ?? "can't be read")")
            }
        }
    }

    /// Converts the text of a variable. An empty variable means null, or an empty list.
    private static func value(_ text: String, isList: Bool) -> ConfigurationValue {
        let trimmed = { (text: Substring) in String(text.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()) }
        guard isList else { return ConfigurationValue(form: text.isEmpty ? .null : .text(text), line: nil) }
        let elements = trimmed(Substring(text)).isEmpty ? [] : text.split(separator: ",", omittingEmptySubsequences: false)
        return ConfigurationValue(form: .list(elements.map { ConfigurationValue(form: .text(trimmed($0)), line: nil) }), line: nil)
    }
}
