import Bridge
import Glibc

/// Words for people that are not part of a command's output, and the log.
enum StandardError {
    /// Longest time that the end of the process waits for a reader that takes nothing.
    private static let flushLimit = Duration.seconds(1)

    /// Writes everything to standard error; what waits when the process exits is written then.
    static let writer: LogWriter = {
        atexit { StandardError.flush() }
        return LogWriter(STDERR_FILENO)
    }()

    /// Whether it goes to the journal of systemd, which names device and inode of the stream in `JOURNAL_STREAM`.
    static var isJournal: Bool {
        var status = stat()
        guard let stream = getenv("JOURNAL_STREAM"), fstat(STDERR_FILENO, &status) == 0 else { return false }
        return String(cString: stream) == "\(status.st_dev):\(status.st_ino)"
    }

    static func print(_ text: String) { self.writer.append(Array((text + "\n").utf8)) }

    /// Waits for what is not written yet. Called on exit; before the process becomes another program, its owner calls it.
    static func flush() { self.writer.flush(within: self.flushLimit) }
}
