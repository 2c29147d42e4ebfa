import Glibc

/// Asks for a password at a terminal, which shows nothing of it.
package struct PasswordPrompt {
    package enum Answer: Equatable {
        case line(String)
        /// Ctrl-C or Ctrl-\, whose signal the caller raises. The terminal shows what is typed again.
        case interrupted(signal: Int32)
    }

    private let terminal: Int32
    /// Longer lines are cut off; a terminal takes no more than 4096 bytes.
    private static let maximumBytes = 4096

    /// - Parameter terminal: its file descriptor.
    package init(terminal: Int32) { self.terminal = terminal }

    /// Reads a line. Its end is the end of the line or of the input.
    package func read() -> Answer {
        var shown = termios()
        guard tcgetattr(self.terminal, &shown) == 0 else { return .line("") }
        defer { tcsetattr(self.terminal, TCSAFLUSH, &shown) }
        let keys = withUnsafeBytes(of: shown.c_cc) { (interrupt: $0[Int(VINTR)], quit: $0[Int(VQUIT)]) }
        var hidden = shown
        // The keys end the line instead of the process, which would leave the terminal as it is here.
        hidden.c_lflag &= ~tcflag_t(ECHO | ISIG)
        withUnsafeMutableBytes(of: &hidden.c_cc) {
            $0[Int(VEOL)] = keys.interrupt
            $0[Int(VEOL2)] = keys.quit
        }
        tcsetattr(self.terminal, TCSAFLUSH, &hidden)
        return self.line(interrupt: keys.interrupt, quit: keys.quit)
    }

    private func line(interrupt: UInt8, quit: UInt8) -> Answer {
        var bytes: [UInt8] = []
        while bytes.count < Self.maximumBytes {
            var byte: UInt8 = 0
            let count = Glibc.read(self.terminal, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count == 1, byte != UInt8(ascii: "\n") else { break }
            // 0: the terminal has no such key.
            if byte == interrupt, byte != 0 { return .interrupted(signal: SIGINT) }
            if byte == quit, byte != 0 { return .interrupted(signal: SIGQUIT) }
            // Other keys that control something, such as Ctrl-Z.
            if byte >= 0x20 { bytes.append(byte) }
        }
        return .line(String(decoding: bytes, as: UTF8.self))
    }
}
