import Glibc

/// The name of the machine.
enum MachineName {
    /// Its host name; `nil` when the system has none.
    static var own: String? {
        var bytes = [CChar](repeating: 0, count: 256)
        guard gethostname(&bytes, bytes.count - 1) == 0, bytes[0] != 0 else { return nil }
        return String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
