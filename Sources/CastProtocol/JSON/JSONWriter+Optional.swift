import CastModels

/// Writes members of requests. A member without a value is left out, because receivers reject `null` as a value of the wrong type.
extension JSONWriter {
    mutating func optional(_ key: StaticString, _ value: String?) {
        if let value { self.member(key, value) }
    }

    mutating func optional(_ key: StaticString, _ value: Bool?) {
        if let value { self.member(key, value) }
    }

    mutating func optional(_ key: StaticString, _ value: Int?) {
        if let value { self.member(key, value) }
    }

    mutating func optional(_ key: StaticString, _ value: JSONValue?) {
        if let value { self.member(key, value) }
    }

    /// Writes a number with all its digits; NaN and infinity, which JSON cannot represent, are left out.
    mutating func optional(_ key: StaticString, _ value: Double?) {
        guard let value, value.isFinite else { return }
        self.key(key)
        self.value(value)
    }

    mutating func optional(_ key: StaticString, _ values: [Int]?) {
        guard let values else { return }
        self.key(key)
        self.array(values) { writer, value in writer.value(value) }
    }

    mutating func array<Element>(_ elements: [Element], _ write: (inout JSONWriter, Element) -> Void) {
        self.beginArray()
        for element in elements { write(&self, element) }
        self.endArray()
    }

    mutating func members(of object: JSONObject) {
        for member in object.members { self.member(member.key, member.value) }
    }
}
