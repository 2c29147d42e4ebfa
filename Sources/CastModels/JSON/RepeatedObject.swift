/// The object that stood at one key when it was last read, with its text.
///
/// Where the same text comes again, the parser takes the object from here: comparing bytes costs a small part of reading them, and devices
/// repeat the largest object of their statuses in every one of them.
package struct RepeatedObject: Sendable {
    /// The shortest text that is worth it.
    static let minimumLength = 64

    /// Whose value is remembered.
    package let key: String
    /// As it was read last; empty before.
    package private(set) var object = JSONObject()
    private var text: [UInt8] = []
    /// How deep it stood: what is read deeper than that might be nested too deep with the same text.
    private var depth = 0

    package init(key: String) { self.key = key }

    /// The length of the text at `start` of `bytes` that stands for `object`; `nil` when another text is there.
    ///
    /// An object's text ends where its last brace closes, so bytes that begin with the whole text are this object and what follows it.
    func length(at start: Int, of bytes: UnsafeBufferPointer<UInt8>, depth: Int) -> Int? {
        let count = self.text.count
        guard count > 0, count <= bytes.count - start, depth <= self.depth else { return nil }
        let isEqual = self.text.withUnsafeBytes { text in
            let other = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[start..<start + count])
            var index = 0
            while index + 8 <= count {
                let (left, right) = (
                    text.loadUnaligned(fromByteOffset: index, as: UInt64.self), other.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                )
                guard left == right else { return false }
                index += 8
            }
            while index < count {
                guard text[index] == other[index] else { return false }
                index += 1
            }
            return true
        }
        return isEqual ? count : nil
    }

    mutating func remember(_ object: JSONObject, text: Slice<UnsafeBufferPointer<UInt8>>, depth: Int) {
        guard text.count >= Self.minimumLength else { return }
        self.object = object
        self.text.removeAll(keepingCapacity: true)
        self.text.append(contentsOf: UnsafeBufferPointer(rebasing: text))
        self.depth = depth
    }
}
