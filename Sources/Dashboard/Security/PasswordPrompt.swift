import Glibc

/// Asks for a password at a terminal, without echo.
package struct PasswordPrompt {
    package enum Answer: Equatable {
        case line(String)
        /// Ctrl-C or Ctrl-\ was pressed; the caller raises the signal. The echo is on again.
        case interrupted(signal: Int32)
    }

    private let terminal: Int32
    /// The longest line, in bytes; longer ones are cut off. A terminal accepts at most 4096.
    private static let maximumBytes = 4096

    /// - Parameter terminal: its file descriptor.
    package init(terminal: Int32) { self.terminal = terminal }

    /// Reads a line, up to its end or that of the input.
    package func read() -> Answer {
        var shown = termios()
        guard tcgetattr(self.terminal, &shown) == 0 else { return .line("") }
        defer { tcsetattr(self.terminal, TCSAFLUSH, &shown) }
        let keys = withUnsafeBytes(of: shown.c_cc) { (interrupt: $0[Int(VINTR)], quit: $0[Int(VQUIT)]) }
        var hidden = shown
        // The keys end the line instead of the process, because a process that ends here would leave the echo off.
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
            // Other control keys, such as Ctrl-Z.
            if byte >= 0x20 { bytes.append(byte) }
        }
        return .line(String(decoding: bytes, as: UTF8.self))
    }
}
