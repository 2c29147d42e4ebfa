@_spi(JSON)
extension JSONView {
    /// A string in place, without its escapes.
    public struct StringView {
        @usableFromInline let start: UnsafeRawPointer
        @usableFromInline let count: Int
        @usableFromInline let isASCII: Bool

        @inlinable
        init(start: UnsafeRawPointer, count: Int, isASCII: Bool) { (self.start, self.count, self.isASCII) = (start, count, isASCII) }

        @inlinable public var isEmpty: Bool { self.count == 0 }

        public var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: self.start, count: self.count) }

        public var string: String {
            let bytes = UnsafeBufferPointer(start: self.start.assumingMemoryBound(to: UInt8.self), count: self.count)
            // The reader has checked that it is UTF-8.
            return String(copying: UTF8Span(unchecked: bytes.span, isKnownASCII: self.isASCII))
        }

        /// Returns whether the string equals `word`. The compiler reduces this to a few comparisons with constants.
        @inlinable
        @inline(__always)
        public static func ~= (word: StaticString, string: Self) -> Bool {
            let (count, other) = (word.utf8CodeUnitCount, UnsafeRawPointer(word.utf8Start))
            guard string.count == count else { return false }
            var index = 0
            while index + 8 <= count {
                let bytes = string.start.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                guard bytes == other.loadUnaligned(fromByteOffset: index, as: UInt64.self) else { return false }
                index += 8
            }
            while index < count {
                let byte = string.start.load(fromByteOffset: index, as: UInt8.self)
                guard byte == other.load(fromByteOffset: index, as: UInt8.self) else { return false }
                index += 1
            }
            return true
        }
    }

    public struct Members: Sequence, IteratorProtocol {
        @usableFromInline var current: JSONView
        @usableFromInline let end: UnsafePointer<JSONEntry>

        @inlinable
        init(of object: JSONView) {
            self.current = object.sibling(1)
            self.end = object.entry + (object.entry.pointee.kind == .object ? Int(object.entry.pointee.count) : 1)
        }

        @inlinable public var underestimatedCount: Int { self.reduce(0) { count, _ in count + 1 } }

        @inlinable
        public mutating func next() -> (key: StringView, value: JSONView)? {
            guard self.current.entry < self.end else { return nil }
            let (key, value) = (self.current.stringBytes, self.current.sibling(1))
            self.current = value.sibling(Int(value.entry.pointee.count))
            return (key, value)
        }
    }

    public struct Elements: Sequence, IteratorProtocol {
        @usableFromInline var current: JSONView
        @usableFromInline let end: UnsafePointer<JSONEntry>

        @inlinable
        init(of array: JSONView) {
            self.current = array.sibling(1)
            self.end = array.entry + (array.entry.pointee.kind == .array ? Int(array.entry.pointee.count) : 1)
        }

        @inlinable public var underestimatedCount: Int { self.reduce(0) { count, _ in count + 1 } }

        @inlinable
        public mutating func next() -> JSONView? {
            guard self.current.entry < self.end else { return nil }
            let value = self.current
            self.current = value.sibling(Int(value.entry.pointee.count))
            return value
        }
    }
}
