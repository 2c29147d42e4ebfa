#if canImport(Glibc)
    import Glibc
#endif

/// Replaces files as a whole, readable by their owner alone.
package enum PrivateFile {
    /// Writes the bytes to `<path>.new` and renames that.
    ///
    /// Blocks until the disk has finished.
    /// - Parameter syncs: whether the bytes must survive a loss of power.
    /// - Returns: `nil`, or the `errno` of the failed call; the previous file is then unchanged.
    package static func replace(_ path: String, with bytes: [UInt8], syncs: Bool) -> Int32? {
        let temporary = path + ".new"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { return errno }
        // `open` applies the mode only to a new file.
        var isWritten = fchmod(descriptor, 0o600) == 0 && Self.write(bytes, to: descriptor)
        if isWritten, syncs { isWritten = fsync(descriptor) == 0 }
        var failure = isWritten ? nil : errno
        if close(descriptor) != 0 { failure = failure ?? errno }
        if failure == nil, rename(temporary, path) != 0 { failure = errno }
        if failure != nil { unlink(temporary) }
        return failure
    }

    /// - Returns: whether all bytes were written; otherwise `errno` has the reason.
    package static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        bytes.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while let base = UnsafeRawBufferPointer(rebasing: rest).baseAddress, !rest.isEmpty {
                // A write of zero bytes sets no `errno`.
                errno = ENOSPC
                let count = Glibc.write(descriptor, base, rest.count)
                guard count > 0 || errno == EINTR else { return false }
                rest = rest.dropFirst(max(0, count))
            }
            return true
        }
    }
}
