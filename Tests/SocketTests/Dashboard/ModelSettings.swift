import BridgeCore
import CastModels
import Synchronization

@testable import Dashboard

/// Settings that keep passwords and tokens alone: for the routes. What real ones do is tested with the program.
final class ModelSettings: SettingsAccess {
    /// What stands in the file; it counts where nothing is chosen.
    private let file: WebOptions
    private let kept: Mutex<WebOptions>
    private let server = Mutex<DashboardServer?>(nil)

    init(file: WebOptions = WebOptions()) {
        self.file = file
        self.kept = Mutex(file)
    }

    func begin(with server: DashboardServer) { self.server.withLock { $0 = server } }

    var configuration: JSONObject { get async { ["mqtt": ["base": "cast2mqtt"]] } }

    func settings() async -> JSONObject { ["settings": [], "restart": []] }

    func chosen() async -> JSONObject { [:] }

    func adopt(_ chosen: JSONObject) async -> Bool { false }

    func brokers() async -> [JSONValue] { [] }

    func change(
        _ changes: @autoclosure @escaping @Sendable () -> [(key: String, value: JSONValue?)], triesBroker: Bool
    ) async throws(SettingsRefusal) -> JSONObject {
        try self.kept.withLock { web throws(SettingsRefusal) in
            let changes = changes()
            guard changes.allSatisfy({ $0.key == "log.level" || $0.key.hasPrefix("web.") }) else { throw SettingsRefusal("no key") }
            for (key, value) in changes {
                if key == "web.tokens" { web.tokens = value?.arrayValue?.compactMap(Self.token) ?? self.file.tokens }
                guard key.hasPrefix("web.passwords."), let role = WebRole(rawValue: String(key.dropFirst(14))) else { continue }
                web.passwords[role] = value?.stringValue.flatMap { PasswordHash($0) } ?? self.file.passwords[role]
            }
            try? self.server.withLock { $0 }?.apply(web)
            return ["applied": .array(changes.map { .string($0.key) }), "restart": []]
        }
    }

    private static func token(_ value: JSONValue) -> AccessToken? {
        guard let name = value["name"]?.stringValue, let role = value["role"]?.stringValue.flatMap({ WebRole(rawValue: $0) }),
            let digest = value["hash"]?.stringValue.flatMap({ HexadecimalText.bytes($0) })
        else { return nil }
        return AccessToken(name: name, role: role, digest: digest)
    }

    func changePreset(_ name: String, to preset: JSONObject?) async throws(SettingsRefusal) {}

    func reload() async throws(SettingsRefusal) -> JSONObject { [:] }
}
