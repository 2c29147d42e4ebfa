import NIOCore

/// Appends the fields of a protobuf message to a buffer.
package struct ProtobufWriter {
    package var buffer: ByteBuffer

    package init(_ buffer: ByteBuffer = ByteBuffer()) { self.buffer = buffer }

    package var bytes: [UInt8] { Array(self.buffer.readableBytesView) }

    package mutating func write(_ number: UInt64, _ value: UInt64) {
        self.varint(number << 3)
        self.varint(value)
    }

    package mutating func write(_ number: UInt64, _ text: String) {
        self.head(number, text.utf8.count)
        self.buffer.writeString(text)
    }

    package mutating func write(_ number: UInt64, _ bytes: some Collection<UInt8>) {
        self.head(number, bytes.count)
        self.buffer.writeBytes(bytes)
    }

    /// Writes the number and the length of a field with bytes.
    private mutating func head(_ number: UInt64, _ count: Int) {
        if number < 16, count < 0x80 { return _ = self.buffer.writeInteger(UInt16(number << 11 | 2 << 8) | UInt16(count)) }
        self.varint(number << 3 | 2)
        self.varint(UInt64(count))
    }

    private mutating func varint(_ value: UInt64) {
        var value = value
        while value >= 0x80 {
            self.buffer.writeInteger(UInt8(truncatingIfNeeded: value) | 0x80)
            value >>= 7
        }
        self.buffer.writeInteger(UInt8(value))
    }
}
