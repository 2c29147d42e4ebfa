/// The members of a request. Every member must be read, so that a misspelt one is detected.
struct ControlArguments {
    private let json: JSON
    private var used: Set<String> = []

    init(_ json: JSON) { self.json = json }

    mutating func value(_ name: String) -> JSON? {
        self.used.insert(name)
        return self.json[name].flatMap { $0.isNull ? nil : $0 }
    }

    mutating func text(_ name: String) throws(SimulatorError) -> String? { try self.read(name, "a text") { $0.text } }
    mutating func requiredText(_ name: String) throws(SimulatorError) -> String { try self.required(name, try self.text(name)) }
    mutating func number(_ name: String) throws(SimulatorError) -> Double? { try self.read(name, "a number") { $0.double } }
    mutating func integer(_ name: String) throws(SimulatorError) -> Int? { try self.read(name, "a whole number") { $0.int } }
    mutating func bool(_ name: String) throws(SimulatorError) -> Bool? { try self.read(name, "true or false") { $0.boolean } }

    mutating func read<Value>(_ name: String, _ kind: String, _ read: (JSON) -> Value?) throws(SimulatorError) -> Value? {
        guard let value = self.value(name) else { return nil }
        guard let read = read(value) else { throw SimulatorError(.invalidRequest, "\"\(name)\" must be \(kind)") }
        return read
    }

    func required<Value>(_ name: String, _ value: Value?) throws(SimulatorError) -> Value {
        guard let value else { throw SimulatorError(.invalidRequest, "\"\(name)\" is missing") }
        return value
    }

    func finish(verb: String) throws(SimulatorError) {
        guard case .object(let members) = self.json, let unknown = members.first(where: { !self.used.contains($0.name) }) else { return }
        throw SimulatorError(.invalidRequest, "\"\(verb)\" has no argument \"\(unknown.name)\"")
    }

    func range(_ name: String, _ value: Double, _ range: ClosedRange<Double>) throws(SimulatorError) -> Double {
        guard range.contains(value) else { throw SimulatorError(.invalidRequest, "\"\(name)\" must be in \(range)") }
        return value
    }

    /// Returns a value of an enumeration by its name.
    mutating func choice<Value: RawRepresentable<String> & CaseIterable>(_ name: String, _ type: Value.Type) throws(SimulatorError) -> Value
    {
        try Self.choice(name, try self.requiredText(name))
    }

    mutating func choices<Value: RawRepresentable<String> & CaseIterable>(_ name: String, _ type: Value.Type) throws(SimulatorError)
        -> [Value]
    {
        var values: [Value] = []
        for text in try self.texts(name) ?? [] { values.append(try Self.choice(name, text)) }
        return values
    }

    private static func choice<Value: RawRepresentable<String> & CaseIterable>(_ name: String, _ text: String) throws(SimulatorError)
        -> Value
    {
        guard let value = Value(rawValue: text) else {
            throw SimulatorError(
                .invalidRequest, "unknown \"\(name)\" \(text); one of \(Value.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return value
    }

    mutating func texts(_ name: String) throws(SimulatorError) -> [String]? {
        try self.read(name, "a list of texts") { value in
            guard let elements = value.elements else { return nil }
            let texts = elements.compactMap(\.text)
            return texts.count == elements.count ? texts : nil
        }
    }

    mutating func object(_ name: String) throws(SimulatorError) -> JSON? { try self.read(name, "an object") { $0.isObject ? $0 : nil } }
}
