/// A text that never appears in `description`, `dump` and string interpolation.
package struct Secret: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The text itself, for the code that authenticates with it.
    package let value: String

    package init(_ value: String) { self.value = value }

    package var description: String { "(secret)" }
    package var debugDescription: String { "(secret)" }
    package var customMirror: Mirror { Mirror(self, children: []) }

    /// Returns the text of a file that holds only a secret; `nil` for one that is too large or not UTF-8. Editors and `echo` end files with
    /// a line end, and some editors begin them with a byte order mark.
    static func text(in file: [UInt8]) -> String? {
        var bytes = file[...]
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes = bytes.dropFirst(3) }
        while bytes.last == 0x0A || bytes.last == 0x0D { bytes.removeLast() }
        return file.count <= 4096 ? String(validating: bytes, as: UTF8.self) : nil
    }

    /// Returns the password in a file; `nil` for a file that has none.
    package static func password(in file: [UInt8]) -> String? {
        self.text(in: file).flatMap { try? ConfigurationValue(form: .text($0), line: nil).text(maximumBytes: 1024) }
    }
}
