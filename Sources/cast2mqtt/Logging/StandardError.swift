import Bridge
import Glibc

/// Standard error: the log, and messages for people that are not part of a command's output.
enum StandardError {
    /// How long the end of the process waits for a reader that accepts no data.
    private static let flushLimit = Duration.seconds(1)

    /// The writer of standard error; waiting lines are written when the process exits.
    static let writer: LogWriter = {
        atexit { StandardError.flush() }
        return LogWriter(STDERR_FILENO)
    }()

    /// Whether standard error goes to the journal of systemd, which sets device and inode of the stream in `JOURNAL_STREAM`.
    static var isJournal: Bool { Self.isJournal(STDERR_FILENO) }

    /// Whether a stream of the process goes there.
    static func isJournal(_ descriptor: Int32) -> Bool {
        var status = stat()
        guard let stream = getenv("JOURNAL_STREAM"), fstat(descriptor, &status) == 0 else { return false }
        return String(cString: stream) == "\(status.st_dev):\(status.st_ino)"
    }

    static func print(_ text: String) {
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            self.writer.append(Array((String(line).printable + "\n").utf8))
        }
    }

    /// Waits for lines that are not written yet. Called on exit; call it before the process is replaced by another program.
    static func flush() { self.writer.flush(within: self.flushLimit) }
}
