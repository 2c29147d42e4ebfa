import CastSender
import Glibc

/// Whether and how the commands for people write to a terminal.
enum Terminal {
    /// Whether standard output is a terminal.
    static var isShown: Bool { isatty(STDOUT_FILENO) == 1 }

    /// Colours and bold text: on a terminal, unless `NO_COLOR` is set (no-color.org) or the terminal has none.
    static var hasColors: Bool {
        self.isShown && (getenv("NO_COLOR").map { $0.pointee == 0 } ?? true) && getenv("TERM").map { String(cString: $0) } != "dumb"
    }

    enum Style: String { case bold = "1", dim = "2", red = "31", green = "32", yellow = "33" }

    static func styled(_ text: String, _ style: Style) -> String {
        self.hasColors ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
    }

    /// Clears the screen and writes the text from its upper left corner.
    static func show(_ text: String) {
        print("\u{1B}[H\u{1B}[2J\(text)")
        fflush(nil)
    }

    /// Formats rows in columns, each as wide as its widest text; the last is not padded.
    static func columns(_ rows: [[String]]) -> [String] {
        let widths = (rows.first ?? []).indices.map { column in rows.map { $0[column].count }.max() ?? 0 }.dropLast() + [0]
        return rows.map { row in
            zip(row, widths).map { text, width in text + String(repeating: " ", count: max(0, width - text.count)) }.joined(separator: "  ")
        }
    }

    /// Formats rows below headings.
    static func table(_ headings: [String], _ rows: [[String]], style: ([String]) -> Style? = { _ in nil }) -> String {
        let rows = rows.map { $0.map(\.printable) }
        let lines = self.columns([headings] + rows)
        let body = zip(rows, lines.dropFirst()).map { row, line in style(row).map { self.styled(line, $0) } ?? line }
        return ([self.styled(lines[0], .bold)] + body).joined(separator: "\n")
    }
}
