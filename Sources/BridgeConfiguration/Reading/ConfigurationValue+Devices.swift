import BridgeCore
import CastModels

extension ConfigurationValue {
    /// Returns the entries of the key `devices`.
    /// - Throws: `ValueProblem` for an invalid entry, and for a device or an alias that occurs twice.
    func configuredDevices() throws -> [ConfiguredDevice] {
        let devices = try self.list(maximumCount: 1000) { try $0.configuredDevice() }
        var named: Set<String> = []
        var aliases: Set<String> = []
        for (entry, device) in zip(self.elements, devices) {
            guard named.insert(device.device.lowercased()).inserted else {
                throw ValueProblem(message: "has two entries for one device", line: entry.line)
            }
            for alias in device.preferences.aliases ?? [] where !aliases.insert(alias).inserted {
                throw ValueProblem(message: "has one alias twice", line: entry.line)
            }
        }
        // An alias that names the device of another entry would never apply, because slugs and ids take precedence.
        for (entry, device) in zip(self.elements, devices) {
            for alias in device.preferences.aliases ?? [] where alias != device.device.lowercased() && named.contains(alias) {
                throw ValueProblem(message: "has an alias that is another entry's device", line: entry.line)
            }
        }
        return devices
    }

    private var elements: [ConfigurationValue] { if case .list(let elements) = self.form { elements } else { [] } }

    private func configuredDevice() throws -> ConfiguredDevice {
        guard case .mapping(let members) = self.form else {
            throw ValueProblem(message: "must be a list of entries with device and what is chosen for it", line: self.line)
        }
        var device: String?
        var preferences = DevicePreferences()
        for (key, value) in members {
            switch key {
            case "device": device = try value.text(maximumBytes: 128)
            case "aliases":
                preferences.aliases = try value.list(maximumCount: DevicePreferences.maximumAliases) { try $0.alias() }
            case "area": preferences.area = try value.text(maximumBytes: DevicePreferences.maximumAreaBytes)
            case "inactive_input_is_off": preferences.inactiveInputIsOff = try value.flag()
            case "max_volume": preferences.maximumVolume = try value.integer(0...100)
            default:
                throw ValueProblem(
                    message: "has an unknown key in an entry; use device, aliases, area, inactive_input_is_off and max_volume",
                    line: value.line)
            }
        }
        guard let device else { throw ValueProblem(message: "needs device in every entry", line: self.line) }
        return ConfiguredDevice(device: device, preferences: preferences)
    }

    private func alias() throws -> String {
        let allowed = "1 to 64 of the characters a-z, 0-9 and -, and not \(Slug.reserved.sorted().joined(separator: ", "))"
        let text = try self.text(maximumBytes: 64).lowercased()
        guard DevicePreferences.isAlias(text) else { throw ValueProblem(message: "has an alias that must be \(allowed)", line: self.line) }
        return text
    }

    func publishedLogLevel() throws -> PublishedLogLevel {
        let levels = LogLevel.allCases.map(\.rawValue).joined(separator: ", ")
        guard let text = try? self.text(maximumBytes: 20), let level = PublishedLogLevel(rawValue: text.lowercased()) else {
            throw ValueProblem(message: "must be one of \(levels), or off", line: self.line)
        }
        return level
    }
}
