import CastModels

/// The settings of the running program, as the API and requests read and change them.
///
/// What is returned has no secrets. Changes are kept in the state directory; what environment or configuration file set comes before them.
public protocol SettingsAccess: Sendable {
    /// Returns every key with its value, its place and what it means, and the keys that wait for a restart.
    func settings() async -> JSONObject

    /// The settings in force, by section.
    var configuration: JSONObject { get async }

    /// Keeps other values of keys (`null` is a value; `nil` leaves a key to the other places), and applies what needs no restart.
    ///
    /// - Parameters:
    ///   - changes: formed when it is the turn of this change, so that they may build on values in force.
    ///   - triesBroker: whether another broker is reached and used before it is kept; its fault is the refusal.
    /// - Returns: the keys that were applied, and those that wait for a restart.
    func change(
        _ changes: @autoclosure @escaping @Sendable () -> [(key: String, value: JSONValue?)], triesBroker: Bool
    ) async throws(SettingsRefusal) -> JSONObject

    /// Keeps a preset, or another one of that name; `nil` forgets it. It applies at once.
    func changePreset(_ name: String, to preset: JSONObject?) async throws(SettingsRefusal)

    /// Searches for two seconds: a broker on this machine, and those that announce themselves in the network.
    func brokers() async -> [JSONValue]

    /// What was chosen, by key, without secrets and without what belongs to one machine: what another member of a pair takes over.
    func chosen() async -> JSONObject

    /// Chooses what another member of the pair has `chosen`. What can't be chosen here stays as it is.
    ///
    /// - Returns: whether keys wait for a restart.
    func adopt(_ chosen: JSONObject) async -> Bool

    /// Reads all places again, and applies what needs no restart.
    ///
    /// - Returns: as `change`.
    func reload() async throws(SettingsRefusal) -> JSONObject
}

/// Why settings stay as they are.
public struct SettingsRefusal: Error, Sendable, Hashable {
    /// `bad_payload`, or the code of the broker's fault.
    public var code: String
    public var message: String

    public init(_ message: String, code: String = "bad_payload") { (self.message, self.code) = (message, code) }
}
