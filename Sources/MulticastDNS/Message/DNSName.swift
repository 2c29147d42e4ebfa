/// A domain name of at most 255 bytes on the wire. Comparisons ignore ASCII case (RFC 6762 section 16).
package struct DNSName: Sendable {
    /// The labels, each after its length byte, without the closing zero.
    let wire: [UInt8]

    /// The longest name in bytes on the wire, including the closing zero (RFC 1035 section 2.3.4).
    static let maximumWireBytes = 255
    package static let maximumLabelBytes = 63
    static let root = DNSName(uncheckedWire: [])

    /// Creates a name whose labels the caller has checked.
    package init(uncheckedWire wire: [UInt8]) { self.wire = wire }

    init(labels: [[UInt8]]) throws(MulticastDNSError) {
        var wire: [UInt8] = []
        for label in labels {
            guard !label.isEmpty, label.count <= Self.maximumLabelBytes else {
                throw MulticastDNSError(.invalidName, detail: "a label has \(label.count) bytes, 1 to 63 are allowed")
            }
            wire.append(UInt8(label.count))
            wire += label
        }
        guard wire.count < Self.maximumWireBytes else {
            throw MulticastDNSError(.invalidName, detail: "the name has \(wire.count + 1) bytes, 255 are allowed")
        }
        self.wire = wire
    }

    /// Parses presentation form: labels between dots, `\.` and `\\` for these bytes, `\DDD` for any byte, and an optional closing dot.
    package init(_ text: String) throws(MulticastDNSError) {
        var labels: [[UInt8]] = []
        var label: [UInt8] = []
        var bytes = Array(text.utf8)[...]
        if bytes.last == UInt8(ascii: "."), bytes.dropLast().last != UInt8(ascii: "\\") { bytes.removeLast() }
        while let byte = bytes.popFirst() {
            switch byte {
            case UInt8(ascii: "."):
                labels.append(label)
                label = []
            case UInt8(ascii: "\\"):
                label.append(try Self.unescape(&bytes))
            default:
                label.append(byte)
            }
        }
        labels.append(label)
        try self.init(labels: labels)
    }

    private static func unescape(_ bytes: inout ArraySlice<UInt8>) throws(MulticastDNSError) -> UInt8 {
        let digits = bytes.prefix(3)
        if digits.count == 3, digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {
            let value = digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
            guard let byte = UInt8(exactly: value) else { throw MulticastDNSError(.invalidName, detail: "\\\(value) is not a byte") }
            bytes.removeFirst(3)
            return byte
        }
        guard let byte = bytes.popFirst() else { throw MulticastDNSError(.invalidName, detail: "the name ends in a backslash") }
        return byte
    }

    var labels: [ArraySlice<UInt8>] {
        var labels: [ArraySlice<UInt8>] = []
        var position = 0
        while position < self.wire.count {
            let end = position + 1 + Int(self.wire[position])
            labels.append(self.wire[(position + 1)..<end])
            position = end
        }
        return labels
    }

    package var firstLabel: ArraySlice<UInt8> { self.wire.isEmpty ? [] : self.wire[1...Int(self.wire[0])] }

    /// The name without its first label; the root's parent is the root.
    package var parent: DNSName { self.wire.isEmpty ? self : DNSName(uncheckedWire: Array(self.wire[(1 + Int(self.wire[0]))...])) }

    func isChild(of other: DNSName) -> Bool {
        guard !self.wire.isEmpty, self.wire.count == 1 + Int(self.wire[0]) + other.wire.count else { return false }
        return Self.order(self.wire[(1 + Int(self.wire[0]))...], other.wire[...]) == 0
    }

    package func child(_ label: some Collection<UInt8>) throws(MulticastDNSError) -> DNSName {
        try DNSName(labels: [Array(label)] + self.labels.map(Array.init))
    }

    /// Compares two names byte by byte; negative when `left` comes first, 0 when they are equal. Length bytes are below 64, so case folding
    /// changes only letters.
    fileprivate static func order(_ left: ArraySlice<UInt8>, _ right: ArraySlice<UInt8>) -> Int {
        func fold(_ byte: UInt8) -> Int { Int(UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte ? byte + 32 : byte) }
        for (left, right) in zip(left, right) where left != right {
            let difference = fold(left) - fold(right)
            if difference != 0 { return difference }
        }
        return left.count - right.count
    }
}

extension DNSName: Hashable {
    package static func == (left: DNSName, right: DNSName) -> Bool {
        left.wire.count == right.wire.count && Self.order(left.wire[...], right.wire[...]) == 0
    }

    /// Sets `0x20`, the bit in which an upper-case letter differs from its lower-case one, in every byte, so names that differ only in case
    /// have the same hash.
    package func hash(into hasher: inout Hasher) { hasher.combine(self.wire.map { $0 | 0x20 }) }
}

extension DNSName: Comparable {
    /// An order for reproducible output; it follows the wire form, not the tree of names.
    package static func < (left: DNSName, right: DNSName) -> Bool { Self.order(left.wire[...], right.wire[...]) < 0 }
}

extension DNSName: CustomStringConvertible {
    package var description: String {
        self.labels.map { label in
            var bytes: [UInt8] = []
            for byte in label {
                if byte == UInt8(ascii: ".") || byte == UInt8(ascii: "\\") { bytes.append(UInt8(ascii: "\\")) }
                bytes.append(byte)
            }
            return String(decoding: bytes, as: UTF8.self)
        }.joined(separator: ".")
    }
}
