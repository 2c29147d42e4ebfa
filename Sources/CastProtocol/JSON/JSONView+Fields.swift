@_spi(JSON) import CastModels

/// Lenient reading: a value of the wrong type, an implausible value or `null` counts as missing, and the other members are read.
extension JSONView {
    /// A text that is not empty.
    var word: String? {
        guard let text = self.stringView, !text.isEmpty else { return nil }
        return text.string
    }

    /// A number whose size keeps arithmetic finite.
    var number: Double? {
        guard let value = self.doubleValue, abs(value) <= 1e12 else { return nil }
        return value
    }

    /// Seconds, not negative.
    var seconds: Double? {
        guard let value = self.number, value >= 0 else { return nil }
        return value
    }

    /// Any value except `null`.
    var any: JSONValue? { self.isNull ? Optional.none : self.value }

    var texts: [String]? { self.arrayView?.elements.compactMap(\.stringValue) }

    /// Whole numbers, also when written like `3.0`.
    var wholes: [Int]? { self.arrayView?.elements.compactMap(\.intValue) }

    /// Returns the objects of an array; other elements and those that cannot be read are left out. `nil` when there is no array.
    func objects<Value>(_ read: (JSONView) -> Value?) -> [Value]? {
        guard let array = self.arrayView else { return nil }
        var values: [Value] = []
        values.reserveCapacity(array.elements.underestimatedCount)
        for element in array.elements { if let object = element.objectView, let value = read(object) { values.append(value) } }
        return values
    }
}

/// The same for the last member with a name; a missing member is absent, too.
extension JSONView {
    func text(_ key: StaticString) -> String? { self[key]?.stringValue }
    func word(_ key: StaticString) -> String? { self[key]?.word }
    /// Returns the name of a device or its model.
    func name(_ key: StaticString) -> String? { self.word(key).flatMap(Device.name(normalizing:)) }
    func flag(_ key: StaticString) -> Bool? { self[key]?.boolValue }
    func whole(_ key: StaticString) -> Int? { self[key]?.intValue }
    func number(_ key: StaticString) -> Double? { self[key]?.number }
    func seconds(_ key: StaticString) -> Double? { self[key]?.seconds }
    func any(_ key: StaticString) -> JSONValue? { self[key]?.any }
    func texts(_ key: StaticString) -> [String]? { self[key]?.texts }
    func wholes(_ key: StaticString) -> [Int]? { self[key]?.wholes }
    func object(_ key: StaticString) -> JSONView? { self[key]?.objectView }

    func objects<Value>(_ key: StaticString, _ read: (JSONView) -> Value?) -> [Value]? { self[key]?.objects(read) }
}
