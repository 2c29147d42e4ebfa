import CastModels

/// A value that requests contain.
protocol WireValue {
    func writeValue(to writer: inout JSONWriter)
}

/// A value that requests contain as an object.
protocol WireObject: WireValue {
    /// Writes the members of the object.
    func write(to writer: inout JSONWriter)
}

extension WireObject {
    func writeValue(to writer: inout JSONWriter) {
        writer.beginObject()
        self.write(to: &writer)
        writer.endObject()
    }
}

extension String: WireValue { func writeValue(to writer: inout JSONWriter) { writer.value(self) } }
extension Bool: WireValue { func writeValue(to writer: inout JSONWriter) { writer.value(self) } }
extension Int: WireValue { func writeValue(to writer: inout JSONWriter) { writer.value(self) } }
extension JSONValue: WireValue { func writeValue(to writer: inout JSONWriter) { writer.value(self) } }

extension Array: WireValue where Element: WireValue {
    func writeValue(to writer: inout JSONWriter) {
        writer.beginArray()
        for value in self { value.writeValue(to: &writer) }
        writer.endArray()
    }
}

/// Writes members of requests. A member without a value is left out, because receivers reject `null` as a value of the wrong type.
extension JSONWriter {
    mutating func optional(_ key: StaticString, _ value: (some WireValue)?) {
        guard let value else { return }
        self.key(key)
        value.writeValue(to: &self)
    }

    /// Writes a number with all its digits; NaN and infinity, which JSON cannot represent, are left out.
    mutating func optional(_ key: StaticString, _ value: Double?) {
        guard let value, value.isFinite else { return }
        self.key(key)
        self.value(value)
    }

    /// Writes a list unless it is empty.
    mutating func list(_ key: StaticString, _ values: [some WireObject]) { if !values.isEmpty { self.optional(key, values) } }

    mutating func members(of object: JSONObject) {
        for member in object.members { self.member(member.key, member.value) }
    }
}
