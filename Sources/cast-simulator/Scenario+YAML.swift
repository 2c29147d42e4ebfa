import CastReceiverSimulator
import YAML

extension Scenario {
    /// The largest scenario file, in bytes.
    static let maximumSize = 1_048_576
    /// The largest number of steps, including repetitions.
    static let maximumSteps = 100_000
    private static let limits = YAMLDocument.Limits(depth: 100, nodes: 500_000)

    /// Parses a YAML document with `fleet` and `steps`; either may be missing.
    ///
    /// - Throws: `SimulatorError` `configuration` with the line number.
    init(yaml text: String) throws(SimulatorError) {
        guard text.utf8.count <= Self.maximumSize else { throw SimulatorError(.configuration, "more than \(Self.maximumSize) bytes") }
        let document: YAMLNode?
        do throws(YAMLError) { document = try YAMLDocument.parse(Array(text.utf8), limits: Self.limits) } catch {
            throw SimulatorError(.configuration, (error.line.map { "line \($0): " } ?? "") + Self.message(error.reason))
        }
        if let unknown = try Self.pairs(document).first(where: { !["fleet", "steps"].contains($0.key.text) })?.key {
            throw SimulatorError(.configuration, "line \(unknown.line): unknown \"\(unknown.text ?? "")\"")
        }
        var steps: [Step] = []
        for node in try Self.elements(document?["steps"]) {
            try Self.at(node) { json throws(SimulatorError) in steps += try Self.steps(json) }
            guard steps.count <= Self.maximumSteps else { throw SimulatorError(.configuration, "more than \(Self.maximumSteps) steps") }
        }
        self.init(steps: steps)
        guard let fleet = document?["fleet"], !fleet.isNull else { return }
        self.fleet = try Self.fleet(fleet)
    }

    private static func fleet(_ node: YAMLNode) throws(SimulatorError) -> FleetScript {
        var script = FleetScript()
        _ = try self.pairs(node)
        try self.at(node) { json throws(SimulatorError) in try script.readDefaults(json) }
        for device in try self.elements(node["devices"]) {
            try self.at(device) { json throws(SimulatorError) in try script.readDevice(json) }
        }
        for group in try self.elements(node["groups"]) {
            try self.at(group) { json throws(SimulatorError) in try script.readGroup(json) }
        }
        return script
    }

    /// Returns a request with its time, or several if it is repeated.
    private static func steps(_ json: JSON) throws(SimulatorError) -> [Step] {
        var json = json
        guard let at = json["at"]?.double, at >= 0, at <= self.latest else {
            throw SimulatorError(.invalidRequest, "needs a number \"at\"")
        }
        let (every, times) = (json["every"]?.double, json["times"]?.int)
        guard (every == nil) == (times == nil), every ?? 1 > 0, every ?? 1 <= 1e6, (1...self.maximumSteps).contains(times ?? 1) else {
            throw SimulatorError(.invalidRequest, "\"every\" needs \"times\", both above 0")
        }
        for name in ["at", "every", "times"] { json[name] = nil }
        let request = try ControlRequest(json)
        return (0..<(times ?? 1)).map { Step(at: .seconds(at + Double($0) * (every ?? 0)), request: request) }
    }

    // MARK: Nodes

    private static func message(_ reason: YAMLError.Reason) -> String {
        switch reason {
        case .notYAML(let problem): "not YAML: \(problem)"
        case .repeatedKeys(let keys): "a key twice: \(keys.joined(separator: ", "))"
        case .tooDeep: "nested too deeply"
        case .tooManyNodes: "too many values"
        }
    }

    /// Passes the content of `node` to `body` and adds its line to the errors.
    private static func at(_ node: YAMLNode, _ body: (JSON) throws(SimulatorError) -> Void) throws(SimulatorError) {
        do throws(SimulatorError) { try body(JSON(node)) } catch {
            throw SimulatorError(.configuration, "line \(node.line): \(error.detail)")
        }
    }

    private static func pairs(_ node: YAMLNode?) throws(SimulatorError) -> [(key: YAMLNode, value: YAMLNode)] {
        guard let node, !node.isNull else { return [] }
        guard case .mapping(let pairs) = node.content else { throw SimulatorError(.configuration, "line \(node.line): not a mapping") }
        return pairs
    }

    private static func elements(_ node: YAMLNode?) throws(SimulatorError) -> [YAMLNode] {
        guard let node, !node.isNull else { return [] }
        guard case .sequence(let elements) = node.content else { throw SimulatorError(.configuration, "line \(node.line): not a list") }
        return elements
    }
}

extension JSON {
    /// Converts a node to JSON. Unquoted text becomes the JSON value that it spells; keys that are not scalars become empty.
    init(_ node: YAMLNode) {
        switch node.content {
        case .scalar(let text, let isPlain): self = isPlain ? JSON(plain: text, isNull: node.isNull) : .string(text)
        case .sequence(let elements): self = .array(elements.map { JSON($0) })
        case .mapping(let pairs): self = .object(pairs.map { JSON.Member(name: $0.key.text ?? "", value: JSON($0.value)) })
        }
    }

    private init(plain text: String, isNull: Bool) {
        if isNull {
            self = .null
        } else if let value = JSONTextReader.read(text), !value.isObject, value.elements == nil, value.text == nil {
            self = value
        } else {
            self = .string(text)
        }
    }
}
