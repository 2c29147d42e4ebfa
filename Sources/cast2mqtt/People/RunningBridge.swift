import ArgumentParser
import BridgeConfiguration
import CastSender

/// The running bridge, as the commands for people ask it.
struct RunningBridge {
    let socket: ControlSocket
    /// All documents, by topic below the base.
    private(set) var documents: [String: JSONValue] = [:]

    /// The devices that have topics, as in `bridge/devices`.
    var devices: [JSONValue] { self.documents["bridge/devices"]?.arrayValue ?? [] }

    /// Finds the bridge of the configuration and reads its documents.
    ///
    /// - Throws: `ExitCode.noBridge` after a line on standard error; `ExitCode.wrongConfiguration`.
    static func connect(_ file: ConfigurationOption) async throws -> Self {
        do {
            if let (socket, _, _) = try await ControlSocket.find(try file.load().configuration) {
                var bridge = Self(socket: socket)
                try await bridge.refresh()
                return bridge
            }
            StandardError.print(
                "no bridge of this configuration runs here, or this user may not ask it: run it, name its --config, or join the group cast2mqtt"
            )
        } catch let silence as ControlSocket.Silence {
            StandardError.print("the bridge did not answer at \(silence.path)")
        }
        throw ExitCode.noBridge
    }

    /// Asks over the socket.
    ///
    /// - Throws: `ExitCode.noBridge` after a line on standard error, when the bridge does not answer.
    func ask(_ target: String, body: [UInt8]? = nil, within limit: Duration = .seconds(5)) async throws -> ControlSocket.Answer {
        if let answer = try? await self.socket.request(target, body: body, within: limit) { return answer }
        StandardError.print("the bridge did not answer at \(self.socket.path)")
        throw ExitCode.noBridge
    }

    /// Reads the bridge's current documents.
    mutating func refresh() async throws {
        let answer = try await self.ask("/api/v1/state")
        self.documents = Dictionary(
            (answer.body["documents"]?.objectValue ?? [:]).members.map { ($0.key, $0.value) }, uniquingKeysWith: { _, last in last })
    }

    /// Returns the slug of the device that a person means.
    ///
    /// - Parameter name: a slug, name, alias or id in any case, or what only one of these begins with; `nil` means the only device.
    /// - Throws: `ExitCode.noDevice` after a line on standard error that says which there are.
    func slug(of name: String?) throws -> String {
        guard let name else {
            if self.devices.count == 1, let slug = self.devices[0]["slug"]?.stringValue { return slug }
            throw self.noDevice("Which device?")
        }
        if name == "all" { return name }
        let wanted = name.lowercased()
        let named = self.devices.compactMap { device in
            device["slug"]?.stringValue.map { slug in (slug, Self.names(of: device).map { $0.lowercased() }) }
        }
        for fits in [{ $0 == wanted }, { $0.hasPrefix(wanted) }] as [(String) -> Bool] {
            let found = named.filter { $0.1.contains(where: fits) }
            if found.count == 1 { return found[0].0 }
            if found.count > 1 { throw self.noDevice("\"\(name)\" can be \(found.map(\.0).joined(separator: ", ")).") }
        }
        throw self.noDevice("No device is called \"\(name)\".")
    }

    private func noDevice(_ problem: String) -> ExitCode {
        StandardError.print("\(problem) There \(self.slugs.isEmpty ? "is none" : "are: \(self.slugs.joined(separator: ", "))").")
        return .noDevice
    }

    private static func names(of device: JSONValue) -> [String] {
        [device["slug"], device["name"], device["id"]].compactMap { $0?.stringValue }
            + (device["aliases"]?.arrayValue ?? []).compactMap(\.stringValue)
    }

    /// Returns the device's name, as its owner gave it.
    func name(of slug: String) -> String {
        self.devices.first { $0["slug"]?.stringValue == slug }?["name"]?.stringValue ?? slug
    }

    /// Returns what can complete a device's name on the command line.
    static func completions() async -> [String] {
        guard let configuration = try? ConfigurationOption().load().configuration,
            let (socket, _, _) = try? await ControlSocket.find(configuration, within: .seconds(1)),
            let answer = try? await socket.request("/api/v1/devices", within: .seconds(1))
        else { return [] }
        return (answer.body.arrayValue ?? []).compactMap { $0["slug"]?.stringValue }
    }
}

extension ExitCode {
    /// The command ended, and not as wished: the answer says why.
    static let refused = ExitCode(1)
    static let noDevice = ExitCode(68)
    static let noBridge = ExitCode(69)
    /// The device is offline, or did not answer in time.
    static let deviceSilent = ExitCode(75)
}
