import BridgeCore
import CastModels

/// A value as written, with its line if it has one.
struct ConfigurationValue: Sendable {
    enum Form: Sendable {
        case null
        case text(String)
        case list([ConfigurationValue])
        /// Keys with their values, in written order.
        case mapping([(key: String, value: ConfigurationValue)])
    }

    var form: Form
    var line: Int?
}

/// The fault of a value; the only error that reading a value throws. It names the expected form, never the written text, which may be a
/// misplaced secret.
struct ValueProblem: Error {
    var message: String
    /// The line of the faulty part.
    var line: Int?
}

extension ConfigurationValue {
    func wanted(_ what: String) -> ValueProblem { ValueProblem(message: "must be \(what)", line: self.line) }

    func plainText(_ what: String) throws(ValueProblem) -> String {
        guard case .text(let text) = self.form else { throw self.wanted(what) }
        return text
    }

    /// Returns what `read` makes of the text; it returns `nil` for one that it refuses.
    func parsed<Value>(_ what: String, _ read: (String) -> Value?) throws(ValueProblem) -> Value {
        guard let value = read(try self.plainText(what)) else { throw self.wanted(what) }
        return value
    }

    /// Returns `nil` for null, otherwise the result of `read`.
    func optional<Value>(_ read: (Self) throws -> Value) throws -> Value? {
        if case .null = self.form { return nil }
        return try read(self)
    }

    func list<Value>(maximumCount: Int = 256, _ read: (Self) throws -> Value) throws -> [Value] {
        guard case .list(let elements) = self.form else { throw self.wanted("a list") }
        guard elements.count <= maximumCount else { throw self.wanted("a list of at most \(maximumCount)") }
        var values: [Value] = []
        for element in elements { values.append(try read(element)) }
        return values
    }

    /// Returns a text without control characters.
    func text(maximumBytes: Int) throws(ValueProblem) -> String {
        let what = "a text of 1 to \(maximumBytes) bytes without control characters"
        let text = try self.plainText(what)
        guard (1...maximumBytes).contains(text.utf8.count), !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
            throw self.wanted(what)
        }
        return text
    }

    func name(maximumLength: Int) throws(ValueProblem) -> String {
        try self.parsed("1 to \(maximumLength) letters, digits, -, _ or .") { text in
            let isNamed = text.utf8.allSatisfy {
                (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) || [0x2D, 0x5F, 0x2E].contains($0)
            }
            return isNamed && (1...maximumLength).contains(text.utf8.count) ? text : nil
        }
    }

    func integer(_ range: ClosedRange<Int>) throws(ValueProblem) -> Int {
        let what = "a whole number from \(range.lowerBound) to \(range.upperBound)"
        let text = try self.plainText(what)
        guard (1...15).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(text),
            range.contains(number)
        else { throw self.wanted(what) }
        return number
    }

    /// Returns seconds, rounded to 3 decimals.
    func seconds(_ range: ClosedRange<Double>, allowsZero: Bool = false) throws(ValueProblem) -> Duration {
        let what = "a number of seconds from \(Int(range.lowerBound)) to \(Int(range.upperBound))\(allowsZero ? ", or 0" : "")"
        let number = try self.number(what) { range.contains($0) || (allowsZero && $0 == 0) }
        return .milliseconds(Int64((number * 1000).rounded()))
    }

    /// Returns a number written without a sign or an exponent.
    func number(_ what: String, where isAllowed: (Double) -> Bool) throws(ValueProblem) -> Double {
        try self.parsed(what) { text in
            let isPlain =
                (1...12).contains(text.utf8.count) && text.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }
            return isPlain ? Double(text).flatMap { isAllowed($0) ? $0 : nil } : nil
        }
    }

    func flag() throws(ValueProblem) -> Bool {
        switch try self.plainText("true or false").lowercased() {
        case "true", "yes", "on", "1": return true
        case "false", "no", "off", "0": return false
        default: throw self.wanted("true or false")
        }
    }

    /// Returns one of the words of `Value`.
    func choice<Value: RawRepresentable<String> & CaseIterable>() throws(ValueProblem) -> Value {
        try self.parsed("one of " + Value.allCases.map(\.rawValue).joined(separator: ", ")) { Value(rawValue: $0.lowercased()) }
    }

    /// Returns a host; brackets around an IPv6 address are removed.
    func host() throws(ValueProblem) -> String {
        try self.parsed("a host name or address, without scheme and port") { text in
            let host = text.first == "[" && text.last == "]" ? String(text.dropFirst().dropLast()) : text
            return DeviceEndpoint.isHost(host) ? host : nil
        }
    }

    /// Returns topic levels: no wildcards, no empty level, no leading `$`.
    func topic() throws(ValueProblem) -> String {
        let what = "topic levels without +, # and empty levels, not beginning with $"
        let text = try self.text(maximumBytes: 200)
        let levels = text.split(separator: "/", omittingEmptySubsequences: false)
        guard text.first != "$", !text.contains("+"), !text.contains("#"), levels.allSatisfy({ !$0.isEmpty }) else {
            throw self.wanted(what)
        }
        return text
    }

    func webAddress() throws(ValueProblem) -> String {
        let what = "a web address that begins with http:// or https://"
        let text = try self.text(maximumBytes: 2048)
        let scheme = ["https://", "http://"].first { text.hasPrefix($0) }
        guard let scheme, text.utf8.count > scheme.utf8.count, !text.contains(" ") else { throw self.wanted(what) }
        return text
    }

    func interface() throws(ValueProblem) -> String {
        let what = "an interface name of 1 to 15 characters, with ! before it to leave that one out"
        let text = try self.plainText(what)
        let name = text.hasPrefix("!") ? text.dropFirst() : text[...]
        guard (1...15).contains(name.utf8.count), name.utf8.allSatisfy({ (0x21..<0x7F).contains($0) && $0 != UInt8(ascii: "/") }) else {
            throw self.wanted(what)
        }
        return text
    }

    func glob() throws(ValueProblem) -> GlobPattern {
        try self.parsed("a pattern of 1 to \(GlobPattern.maximumLength) characters") { GlobPattern($0) }
    }

    func capability() throws(ValueProblem) -> DeviceCapabilities {
        try self.parsed("one of " + DeviceCapabilities.named.map(\.name).joined(separator: ", ")) { text in
            DeviceCapabilities.named.first { $0.name == text.lowercased() }?.capability
        }
    }

    /// Returns a pattern for namespaces, in characters that a namespace may contain.
    func namespacePattern() throws(ValueProblem) -> GlobPattern {
        try self.parsed("a namespace like urn:x-cast:org.example.echo, or a pattern of such") { text in
            text.utf8.allSatisfy { (0x21..<0x7F).contains($0) } ? GlobPattern(text) : nil
        }
    }

    func knownHost() throws(ValueProblem) -> KnownHost {
        let what = "a host like 192.168.1.31, tv.lan:8009 or [fe80::1%eth0]:8009, or host, port and id"
        guard case .mapping(let members) = self.form else {
            guard let host = KnownHost(try self.plainText(what)) else { throw self.wanted(what) }
            return host
        }
        var known: KnownHost?
        var port: Int?
        var id: String?
        for (key, value) in members {
            switch key {
            case "host": known = KnownHost(endpoint: DeviceEndpoint(host: try value.host()))
            case "port": port = try value.integer(1...65_535)
            case "id":
                id = Device.id(normalizing: try value.plainText("an id"))
                if id == nil { throw ValueProblem(message: "id must be 1 to 64 letters and digits", line: value.line) }
            default: throw ValueProblem(message: "has an unknown key in an entry; use host, port and id", line: value.line)
            }
        }
        guard var known else { throw ValueProblem(message: "needs host in every entry", line: self.line) }
        known.endpoint.port = port ?? known.endpoint.port
        known.id = id
        return known
    }

    /// Returns an application's name and id, written as `{name, id}` or `name=id`.
    func application() throws(ValueProblem) -> NamedApplication {
        let what = "name and id of an application, the id like CC1AD845"
        var parts: [String: String] = [:]
        if case .mapping(let members) = self.form {
            for (key, value) in members {
                guard key == "name" || key == "id" else {
                    throw ValueProblem(message: "has an unknown key in an entry; use name and id", line: value.line)
                }
                parts[key] = try value.text(maximumBytes: 200)
            }
        } else {
            let text = try self.text(maximumBytes: 400)
            guard let sign = text.lastIndex(of: "=") else { throw self.wanted(what) }
            parts = ["name": String(text[..<sign]), "id": String(text[text.index(after: sign)...])]
        }
        guard let name = parts["name"], let id = parts["id"], let application = NamedApplication(name: name, id: id) else {
            throw self.wanted(what)
        }
        return application
    }

    /// Returns a language tag, in characters that one may contain.
    func language() throws(ValueProblem) -> String {
        try self.parsed("a language like en-US") { text in
            let isTag = (1...64).contains(text.utf8.count) && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
            return isTag ? text : nil
        }
    }

    func color() throws(ValueProblem) -> TextTrackStyle.Color {
        try self.parsed("a colour like \"#RRGGBB\" or \"#RRGGBBAA\", in quotes") { TextTrackStyle.Color(hex: $0) }
    }

    /// Returns a value of the Cast protocol from its word, in any case.
    func wireWord<Value: WireWord>() throws(ValueProblem) -> Value {
        try self.parsed("one of " + Value.words.map { $0.key.lowercased() }.joined(separator: ", ")) { text in
            let value = Value(wireValue: text.uppercased())
            return value.unknownWord == nil ? value : nil
        }
    }

    func number(_ range: ClosedRange<Double>) throws(ValueProblem) -> Double {
        try self.number("a number, \(range.plainText)") { range.contains($0) }
    }
}

extension ClosedRange<Double> {
    /// The range as text: `0.01 to 10`.
    var plainText: String { "\(Self.text(self.lowerBound)) to \(Self.text(self.upperBound))" }

    private static func text(_ value: Double) -> String { Int(exactly: value).map(String.init) ?? "\(value)" }
}
