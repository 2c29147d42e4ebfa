/// Writes members. A `nil` value is written as `null`, because readers rely on every key.
///
/// Keys are literals of the program; write other keys with `key` and `value`.
extension JSONWriter {
    public mutating func member(_ key: StaticString, _ value: JSONValue) {
        self.key(key)
        self.value(value)
    }

    public mutating func member(_ key: StaticString, _ value: String?) {
        self.key(key)
        if let value { self.value(value) } else { self.null() }
    }

    public mutating func member(_ key: StaticString, _ value: Bool?) {
        self.key(key)
        if let value { self.value(value) } else { self.null() }
    }

    public mutating func member(_ key: StaticString, _ value: Int?) {
        self.key(key)
        if let value { self.value(value) } else { self.null() }
    }

    /// Writes a member rounded to at most 3 decimals.
    public mutating func member(_ key: StaticString, milli value: Double?) {
        self.key(key)
        if let value { self.milli(value) } else { self.null() }
    }

    public mutating func member(_ key: StaticString, _ values: [String]) {
        self.key(key)
        self.value(values)
    }

    /// Writes an array of texts.
    public mutating func value(_ values: [String]) {
        self.beginArray()
        for value in values { self.value(value) }
        self.endArray()
    }

    @_disfavoredOverload
    public mutating func member(_ key: String, _ value: JSONValue) {
        self.key(key)
        self.value(value)
    }
}
