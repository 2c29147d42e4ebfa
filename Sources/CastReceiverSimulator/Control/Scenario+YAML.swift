import Yams

extension Scenario {
    /// Largest scenario file, in bytes.
    static let maximumSize = 1_048_576
    /// Most steps, with those that are repeated.
    static let maximumSteps = 100_000

    /// Reads a YAML document with `fleet` and `steps`; either may be left out.
    ///
    /// - Throws: `SimulatorError` `configuration` with the number of the line.
    public init(yaml text: String) throws(SimulatorError) {
        guard text.utf8.count <= Self.maximumSize else { throw SimulatorError(.configuration, "more than \(Self.maximumSize) bytes") }
        guard Self.isShallow(text) else { throw SimulatorError(.configuration, "nested too deeply") }
        let root: Node?
        do { root = try Yams.compose(yaml: text) } catch { throw SimulatorError(.configuration, "not YAML: \(error)") }
        var reader = YAMLReader()
        let document = try Self.mapping(root)
        if let unknown = document.keys.first(where: { !["fleet", "steps"].contains($0.string) }) {
            throw SimulatorError(.configuration, "line \(unknown.mark?.line ?? 0): unknown \"\(unknown.string ?? "")\"")
        }
        var steps: [Step] = []
        for node in try Self.sequence(document["steps"]) {
            let json = try reader.json(node)
            try Self.at(node) { () throws(SimulatorError) in steps += try Self.steps(json) }
            guard steps.count <= Self.maximumSteps else { throw SimulatorError(.configuration, "more than \(Self.maximumSteps) steps") }
        }
        self.init(steps: steps)
        guard let fleet = document["fleet"], fleet.null == nil else { return }
        self.fleet = try Self.fleet(fleet, &reader)
    }

    private static func fleet(_ node: Node, _ reader: inout YAMLReader) throws(SimulatorError) -> FleetScript {
        var script = FleetScript()
        let mapping = try self.mapping(node)
        let json = try reader.json(node)
        try self.at(node) { () throws(SimulatorError) in try script.readDefaults(json) }
        for device in try self.sequence(mapping["devices"]) {
            let json = try reader.json(device)
            try self.at(device) { () throws(SimulatorError) in try script.readDevice(json) }
        }
        for group in try self.sequence(mapping["groups"]) {
            let json = try reader.json(group)
            try self.at(group) { () throws(SimulatorError) in try script.readGroup(json) }
        }
        return script
    }

    /// A request with its time, or several when it is repeated.
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

    /// Names the line of what is wrong.
    private static func at(_ node: Node, _ body: () throws(SimulatorError) -> Void) throws(SimulatorError) {
        do throws(SimulatorError) { try body() } catch {
            throw SimulatorError(.configuration, "line \(node.mark?.line ?? 0): \(error.detail)")
        }
    }

    private static func mapping(_ node: Node?) throws(SimulatorError) -> Node.Mapping {
        guard let node, node.null == nil else { return Node.Mapping([]) }
        guard let mapping = node.mapping else { throw SimulatorError(.configuration, "line \(node.mark?.line ?? 0): not a mapping") }
        return mapping
    }

    private static func sequence(_ node: Node?) throws(SimulatorError) -> Node.Sequence {
        guard let node, node.null == nil else { return Node.Sequence([]) }
        guard let sequence = node.sequence else { throw SimulatorError(.configuration, "line \(node.mark?.line ?? 0): not a list") }
        return sequence
    }

    /// Whether the parser, which recurses, can take it.
    private static func isShallow(_ text: String) -> Bool {
        var depth = 0
        for line in text.utf8.split(separator: UInt8(ascii: "\n")) {
            guard line.prefix(while: { [0x20, 0x09, 0x2D, 0x3A, 0x3F].contains($0) }).count <= 200 else { return false }
            for byte in line {
                if byte == UInt8(ascii: "[") || byte == UInt8(ascii: "{") { depth += 1 }
                if byte == UInt8(ascii: "]") || byte == UInt8(ascii: "}") { depth = max(0, depth - 1) }
                guard depth <= 100 else { return false }
            }
        }
        return true
    }
}

/// Turns nodes into JSON. Anchors that refer to each other can make a small text large: it stops when there is too much.
private struct YAMLReader {
    private static let maximumValues = 500_000
    private var values = 0

    mutating func json(_ node: Node) throws(SimulatorError) -> JSON {
        self.values += 1
        guard self.values <= Self.maximumValues else { throw SimulatorError(.configuration, "too many values") }
        switch node {
        case .scalar(let scalar): return Self.json(scalar)
        case .sequence(let sequence):
            var elements: [JSON] = []
            for element in sequence { elements.append(try self.json(element)) }
            return .array(elements)
        case .mapping(let mapping):
            var members: [JSON.Member] = []
            for (key, value) in mapping { members.append(JSON.Member(name: key.string ?? "", value: try self.json(value))) }
            return .object(members)
        case .alias: return .null
        }
    }

    /// Unquoted text that JSON has a value for is that value.
    private static func json(_ scalar: Node.Scalar) -> JSON {
        guard scalar.style == .plain || scalar.style == .any else { return .string(scalar.string) }
        if ["", "~", "Null", "NULL"].contains(scalar.string) { return .null }
        switch JSONReader.read(scalar.string) {
        case .some(let value) where !value.isObject && value.elements == nil && value.text == nil: return value
        default: return .string(scalar.string)
        }
    }
}
