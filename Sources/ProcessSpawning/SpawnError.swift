import Glibc

/// Why a program was not started.
package struct SpawnError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The system's error number; `ENOSYS` when the C library is older than 2.34.
    package var code: Int32
    /// The path of the program.
    package var program: String

    package var description: String { "\(self.program) can't be started: \(String(cString: strerror(self.code)))" }
}
