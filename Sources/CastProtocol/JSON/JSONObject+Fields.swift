import CastModels

/// Lenient reading: a field of the wrong type, out of any sensible range or `null` counts as absent, and the rest is read.
extension JSONObject {
    package func text(_ key: String) -> String? { self[key]?.stringValue }

    /// A text that is not empty.
    package func word(_ key: String) -> String? {
        guard let text = self[key]?.stringValue, !text.isEmpty else { return nil }
        return text
    }

    package func flag(_ key: String) -> Bool? { self[key]?.boolValue }

    /// A whole number, also when written like `3.0`.
    package func whole(_ key: String) -> Int? { self[key]?.intValue }

    /// Any number of a size that arithmetic on it stays finite.
    package func number(_ key: String) -> Double? {
        guard let value = self[key]?.doubleValue, abs(value) <= 1e12 else { return nil }
        return value
    }

    /// Seconds that are not negative.
    package func seconds(_ key: String) -> Double? {
        guard let value = self.number(key), value >= 0 else { return nil }
        return value
    }

    package func object(_ key: String) -> JSONObject? { self[key]?.objectValue }

    /// The objects of an array; other elements are left out. `nil` when there is no array.
    package func objects(_ key: String) -> [JSONObject]? { self[key]?.arrayValue?.compactMap(\.objectValue) }

    package func texts(_ key: String) -> [String]? { self[key]?.arrayValue?.compactMap(\.stringValue) }

    package func wholes(_ key: String) -> [Int]? { self[key]?.arrayValue?.compactMap(\.intValue) }

    /// Any value but `null`.
    package func any(_ key: String) -> JSONValue? {
        guard let value = self[key], !value.isNull else { return nil }
        return value
    }
}
