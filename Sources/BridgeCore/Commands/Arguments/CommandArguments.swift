import CastModels

/// The arguments of a command: none, plain text, or JSON.
enum CommandArguments {
    case none
    case text(String)
    case json(JSONValue)

    /// Empty text and the word `PRESS`, which Home Assistant's buttons send, mean no argument.
    init(text: Substring) {
        self = text.isEmpty || (text.utf8.count == 5 && text.uppercased() == "PRESS") ? .none : .text(String(text))
    }

    init(json: JSONValue?) {
        switch json {
        case nil, .null: self = .none
        case .string(let text): self = Self(text: text.trimmedSpace)
        case .some(let value): self = .json(value)
        }
    }

    /// The commands whose requests carry data for the application, as far as their arguments do not.
    private static let dataCarriers: Set<String> = [
        "set", "play", "pause", "play_pause", "stop", "next", "previous", "skip_ad", "restart_item", "queue_jump", "queue_remove",
        "queue_move", "queue_clear",
    ]

    /// Moves `custom_data` to the envelope, and notes there what a load plays.
    mutating func hand(to envelope: inout CommandEnvelope, of command: String) {
        if let playable = Playable(command, self) { envelope.content.playable = playable }
        guard case .json(.object(var object)) = self, Self.dataCarriers.contains(command), let data = object["custom_data"] else { return }
        object["custom_data"] = nil
        if !data.isNull { envelope.content.customData = data }
        self = .json(.object(object))
    }

    /// Reads an object as a whole; a bare value is its member `key`.
    func read<Value>(
        _ key: String, of name: String, _ body: (inout ArgumentReader) throws(CommandRejection) -> Value
    ) throws(CommandRejection) -> Value {
        switch self {
        case .json(.object(let object)): return try ArgumentReader.read(object, of: name, body)
        case .text(let text): return try ArgumentReader.read([key: .string(text)], of: name, body)
        case .json(let value): return try ArgumentReader.read([key: value], of: name, body)
        case .none: throw CommandRejection(.badPayload, "\(name) needs \(key).")
        }
    }

    /// Reads a text, bare or as the member `key`.
    func text(_ key: String, of name: String, maximumBytes: Int = 1000) throws(CommandRejection) -> String {
        try self.read(key, of: name) { reader throws(CommandRejection) in
            guard let text = try reader.text(key, maximumBytes: maximumBytes) else { throw reader.wrong(key, "given") }
            return text
        }
    }

    /// Refuses all arguments but none, the command's own name (`Play` to `cmd/play`), and an object without members.
    func expectNone(for name: String) throws(CommandRejection) {
        switch self {
        case .none: return
        case .json(.object(let object)): try ArgumentReader(object, of: name).finish()
        case .text(let word) where word.lowercased() == name: return
        case .text, .json: throw CommandRejection(.badPayload, "\(name) takes no argument; send an empty payload.")
        }
    }
}

/// Takes members out of an object one by one, and refuses unknown members.
struct ArgumentReader {
    private var object: JSONObject
    /// The path of the object, for messages: `args`, `metadata`, `tracks[0]`.
    private let path: String
    /// The names that the command knows. An array, because a set of so few costs ten times as much.
    private var known: [String] = []

    init(_ object: JSONObject, of path: String) {
        self.object = object
        self.path = path
        self.known.reserveCapacity(16)
    }

    /// Reads an object as a whole: refuses the members that `body` does not take.
    static func read<Value>(
        _ object: JSONObject, of path: String, _ body: (inout Self) throws(CommandRejection) -> Value
    ) throws(CommandRejection) -> Value {
        var reader = Self(object, of: path)
        let value = try body(&reader)
        try reader.finish()
        return value
    }

    /// Takes a member; `nil` when it is missing or JSON `null`.
    mutating func take(_ key: String) -> JSONValue? {
        self.known.append(key)
        guard let value = self.object[key], !value.isNull else { return nil }
        return value
    }

    /// Takes what `read` makes of a member; it returns `nil` for a value that it refuses.
    mutating func value<Value>(
        _ key: String, _ expected: @autoclosure () -> String, _ read: (JSONValue) -> Value?
    ) throws(CommandRejection) -> Value? {
        guard let given = self.take(key) else { return nil }
        guard let value = read(given) else { throw self.wrong(key, expected()) }
        return value
    }

    func isNull(_ key: String) -> Bool { self.object[key]?.isNull ?? false }

    /// Returns the name that is used among several names of one argument; the first when none is used.
    mutating func name(_ first: String, _ others: String...) throws(CommandRejection) -> String {
        var used: String?
        for name in [first] + others where self.take(name) != nil {
            if let used { throw self.wrong(name, "left out beside \(used): both mean the same") }
            used = name
        }
        return used ?? first
    }

    /// Returns whether a member is given and not `null`.
    func has(_ key: String) -> Bool { self.object[key].map { !$0.isNull } ?? false }

    /// Takes a text that is not empty and has at most `maximumBytes`.
    mutating func text(_ key: String, maximumBytes: Int = 1000) throws(CommandRejection) -> String? {
        try self.value(key, "a text of 1 to \(maximumBytes) bytes") { given in
            given.stringValue.flatMap { (1...maximumBytes).contains($0.utf8.count) ? $0 : nil }
        }
    }

    /// Takes what `read` makes of a text; it returns `nil` for one that it refuses.
    mutating func parsed<Value>(
        _ key: String, _ expected: String, maximumBytes: Int = 1000, _ read: (String) -> Value?
    ) throws(CommandRejection) -> Value? {
        guard let text = try self.text(key, maximumBytes: maximumBytes) else { return nil }
        guard let value = read(text) else { throw self.wrong(key, expected) }
        return value
    }

    /// Takes a word of the Cast protocol, in any case.
    mutating func word<Word: WireWord>(
        _ key: String, _ expected: String, maximumBytes: Int = 1000
    ) throws(CommandRejection) -> Word? {
        try self.parsed(key, expected, maximumBytes: maximumBytes) { text in
            Word.words.first { $0.key.lowercased() == text.lowercased() }?.value
        }
    }

    mutating func bool(_ key: String) throws(CommandRejection) -> Bool? {
        try self.value(key, "true or false") { $0.boolValue }
    }

    mutating func integer(_ key: String, in range: ClosedRange<Int>) throws(CommandRejection) -> Int? {
        try self.value(key, "a whole number from \(range.lowerBound) to \(range.upperBound)") { given in
            given.intValue.flatMap { range.contains($0) ? $0 : nil }
        }
    }

    mutating func number(_ key: String, in range: ClosedRange<Double>) throws(CommandRejection) -> Double? {
        try self.value(key, "a number from \(PlainValue.text(range.lowerBound)) to \(PlainValue.text(range.upperBound))") { given in
            given.doubleValue.flatMap { range.contains($0) ? $0 : nil }
        }
    }

    mutating func array(_ key: String, maximumCount: Int) throws(CommandRejection) -> [JSONValue]? {
        try self.value(key, "an array of at most \(maximumCount) elements") { given in
            given.arrayValue.flatMap { $0.count <= maximumCount ? $0 : nil }
        }
    }

    mutating func object(_ key: String) throws(CommandRejection) -> JSONObject? {
        try self.value(key, "an object") { $0.objectValue }
    }

    /// Takes seconds, or `h:mm:ss`.
    mutating func seconds(_ key: String) throws(CommandRejection) -> Double? {
        try self.value(key, "seconds from 0, or h:mm:ss") { given in
            let seconds = given.stringValue.map { PlainValue.seconds($0.trimmedSpace) } ?? given.doubleValue
            return seconds.flatMap { (0...PlainValue.maximumSeconds).contains($0) ? $0 : nil }
        }
    }

    /// Refuses the first member that was not taken. The message names it and the nearest known name.
    func finish() throws(CommandRejection) {
        guard let unknown = self.object.members.first(where: { !self.known.contains($0.key) })?.key else { return }
        let meant = NearestName.of(unknown, among: self.known).map { "; did you mean \($0)?" } ?? "."
        throw CommandRejection(.badPayload, "\(self.path): unknown argument \"\(unknown.shortened)\"\(meant)")
    }

    /// Returns a refusal that names the member and the expected value.
    func wrong(_ key: String, _ expected: String) -> CommandRejection {
        CommandRejection(.badPayload, "\(self.path): \(key) must be \(expected).")
    }
}

extension StringProtocol {
    /// Returns the text without ASCII white space at both ends.
    var trimmedSpace: Substring {
        let isSpace = { (byte: UInt8) in byte == 0x20 || (0x09...0x0D).contains(byte) }
        let all = Substring(self)
        guard let first = all.utf8.firstIndex(where: { !isSpace($0) }), let last = all.utf8.lastIndex(where: { !isSpace($0) }) else {
            return all[all.startIndex..<all.startIndex]
        }
        return all[first..<all.utf8.index(after: last)]
    }

    /// Returns at most 40 characters, for messages.
    var shortened: String { self.shortened(to: 40) }

    /// Returns at most `length` characters. A longer text loses its secrets first, because the `@` that shows a password may be cut off.
    public func shortened(to length: Int) -> String {
        // A text has no more characters than bytes, and bytes are counted at once.
        guard self.utf8.count > length, self.count > length else { return String(self) }
        let text = SecretRedaction.standard.redacted(String(self))
        return text.count <= length ? text : text.prefix(length) + "…"
    }
}
