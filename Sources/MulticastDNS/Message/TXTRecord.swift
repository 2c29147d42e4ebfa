/// The key/value list of a service (RFC 6763 section 6). Keys ignore ASCII case; of equal keys the first is used.
package struct TXTRecord: Sendable, Hashable {
    package struct Entry: Sendable, Hashable {
        package let key: String
        /// The value; `nil` for a key without `=`, empty for a key with `=` and no value.
        package let value: [UInt8]?

        package init(key: String, value: [UInt8]?) { (self.key, self.value) = (key, value) }
    }

    /// The entries in wire order, without duplicates.
    package let entries: [Entry]

    /// - Throws: `invalidText` for a key that is empty or contains `=` or characters other than printable ASCII, for an entry above 255
    ///   bytes, and for a repeated key.
    package init(entries: [Entry]) throws(MulticastDNSError) {
        var keys: Set<String> = []
        for entry in entries {
            guard !entry.key.isEmpty, entry.key.utf8.allSatisfy({ (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "=") }) else {
                throw MulticastDNSError(.invalidText, detail: "\"\(entry.key)\" is not a usable key")
            }
            guard entry.key.utf8.count + (entry.value.map { $0.count + 1 } ?? 0) <= 255 else {
                throw MulticastDNSError(.invalidText, detail: "the entry \"\(entry.key)\" has more than 255 bytes")
            }
            guard keys.insert(entry.key.lowercased()).inserted else {
                throw MulticastDNSError(.invalidText, detail: "the key \"\(entry.key)\" comes twice")
            }
        }
        self.entries = entries
    }

    /// - Throws: as `init(entries:)`.
    package init(_ pairs: KeyValuePairs<String, String>) throws(MulticastDNSError) {
        try self.init(entries: pairs.map { Entry(key: $0.key, value: Array($0.value.utf8)) })
    }

    /// Reads the usable entries and ignores the others, as RFC 6763 section 6.4 requires of readers.
    init(wire: [UInt8]) {
        var entries: [Entry] = []
        var keys: Set<String> = []
        var rest = wire[...]
        while let length = rest.popFirst(), Int(length) <= rest.count {
            let string = rest.prefix(Int(length))
            rest = rest.dropFirst(Int(length))
            let key = String(decoding: string.prefix { $0 != UInt8(ascii: "=") }, as: UTF8.self)
            guard !key.isEmpty, keys.insert(key.lowercased()).inserted else { continue }
            let value = string.firstIndex(of: UInt8(ascii: "=")).map { Array(string[($0 + 1)...]) }
            entries.append(Entry(key: key, value: value))
        }
        self.entries = entries
    }

    /// The wire form; an empty list is one empty string (RFC 6763 section 6.1).
    package var wire: [UInt8] {
        var wire: [UInt8] = []
        for entry in self.entries {
            let string = Array(entry.key.utf8) + (entry.value.map { [UInt8(ascii: "=")] + $0 } ?? [])
            wire.append(UInt8(truncatingIfNeeded: string.count))
            wire += string
        }
        return wire.isEmpty ? [0] : wire
    }

    /// The bytes of the value, empty also for a key without `=`; `nil` when the key is missing.
    package subscript(key: String) -> [UInt8]? {
        let key = key.lowercased()
        return self.entries.first { $0.key.lowercased() == key }.map { $0.value ?? [] }
    }

    /// Returns the value as text, with bytes that are not UTF-8 replaced by U+FFFD; `nil` when the key is missing.
    package func string(_ key: String) -> String? { self[key].map { String(decoding: $0, as: UTF8.self) } }
}
