import BridgeCore
import CastModels

/// Settings that keep nothing: for the routes alone. What real ones do is tested with the program.
struct ModelSettings: SettingsAccess {
    var configuration: JSONObject { get async { ["mqtt": ["base": "cast2mqtt"]] } }

    func settings() async -> JSONObject { ["settings": [], "restart": []] }

    func brokers() async -> [JSONValue] { [] }

    func change(_ changes: [(key: String, value: JSONValue?)], triesBroker: Bool) async throws(SettingsRefusal) -> JSONObject {
        guard changes.allSatisfy({ $0.key == "log.level" }) else { throw SettingsRefusal("no key") }
        return ["applied": .array(changes.map { .string($0.key) }), "restart": []]
    }

    func changePreset(_ name: String, to preset: JSONObject?) async throws(SettingsRefusal) {}

    func reload() async throws(SettingsRefusal) -> JSONObject { [:] }
}
