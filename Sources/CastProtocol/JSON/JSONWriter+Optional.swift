import CastModels

/// A value that requests contain as an object.
protocol WireObject {
    /// Writes the members of the object.
    func write(to writer: inout JSONWriter)
}

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
        self.beginArray()
        for value in values { self.value(value) }
        self.endArray()
    }

    mutating func optional(_ key: StaticString, _ value: (some WireObject)?) {
        guard let value else { return }
        self.key(key)
        self.object(value)
    }

    mutating func optional(_ key: StaticString, _ values: [some WireObject]?) {
        guard let values else { return }
        self.key(key)
        self.beginArray()
        for value in values { self.object(value) }
        self.endArray()
    }

    /// Writes a list unless it is empty.
    mutating func list(_ key: StaticString, _ values: [some WireObject]) { if !values.isEmpty { self.optional(key, values) } }

    mutating func object(_ value: some WireObject) {
        self.beginObject()
        value.write(to: &self)
        self.endObject()
    }

    mutating func members(of object: JSONObject) {
        for member in object.members { self.member(member.key, member.value) }
    }
}
