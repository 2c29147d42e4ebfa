/// Writes metrics in the text formats of Prometheus: version 0.0.4, and OpenMetrics 1.0 for clients that ask for it.
struct MetricsText {
    enum Format: Sendable {
        case prometheus, openMetrics

        /// Returns the format that a client accepts, by its header `Accept`.
        init(accept: String?) {
            self = accept?.contains("application/openmetrics-text") == true ? .openMetrics : .prometheus
        }

        var contentType: String {
            switch self {
            case .prometheus: "text/plain; version=0.0.4; charset=utf-8"
            case .openMetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8"
            }
        }
    }

    enum Kind: String, Sendable { case counter, gauge, histogram }

    typealias Labels = [(String, String)]

    private let format: Format
    private var text = ""
    private var family: (name: String, kind: Kind) = ("", .gauge)

    init(_ format: Format) { self.format = format }

    /// Begins a metric; its samples follow.
    /// - Parameter name: without `_total`.
    mutating func begin(_ name: String, _ kind: Kind, _ help: String) {
        let name = Self.name(name)
        self.family = (name, kind)
        let title = kind == .counter && self.format == .prometheus ? name + "_total" : name
        self.text += "# HELP \(title) \(Self.escaped(help, quotes: false))\n# TYPE \(title) \(kind.rawValue)\n"
    }

    mutating func sample(_ value: Double, _ labels: Labels = []) {
        self.line(self.family.kind == .counter ? "_total" : "", labels, Self.number(value))
    }

    mutating func sample(_ value: Int, _ labels: Labels = []) {
        self.line(self.family.kind == .counter ? "_total" : "", labels, "\(value)")
    }

    /// Writes a metric with one sample; writes nothing while the value is not known.
    mutating func add(_ name: String, _ kind: Kind, _ value: Double?, _ help: String) {
        guard let value else { return }
        self.begin(name, kind, help)
        self.sample(value)
    }

    /// Writes a histogram.
    /// - Parameters:
    ///   - bounds: upper bounds, ascending.
    ///   - counts: the count of each bucket and of the one above the last bound, not cumulated.
    mutating func histogram(bounds: [Double], counts: [Int], sum: Double, _ labels: Labels = []) {
        var count = 0
        for (bound, number) in zip(bounds.map(Self.number) + ["+Inf"], counts) {
            count += number
            self.line("_bucket", labels + [("le", bound)], "\(count)")
        }
        self.line("_sum", labels, Self.number(sum))
        self.line("_count", labels, "\(count)")
    }

    /// The whole text, with the ending that the format requires.
    var whole: String { self.format == .openMetrics ? self.text + "# EOF\n" : self.text }

    private mutating func line(_ suffix: String, _ labels: Labels, _ value: String) {
        self.text += self.family.name + suffix
        if !labels.isEmpty {
            self.text += "{" + labels.map { "\(Self.name($0.0))=\"\(Self.escaped($0.1, quotes: true))\"" }.joined(separator: ",") + "}"
        }
        self.text += " \(value)\n"
    }

    /// Returns the name with characters that are not allowed replaced by `_`.
    static func name(_ text: String) -> String {
        let name = String(
            decoding: text.utf8.map { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"), UInt8(ascii: ":"): byte
                default: UInt8(ascii: "_")
                }
            }, as: UTF8.self)
        guard let first = name.utf8.first, !(0x30...0x39).contains(first) else { return "_" + name }
        return name
    }

    private static func escaped(_ text: String, quotes: Bool) -> String {
        var result = ""
        for character in text.unicodeScalars {
            switch character {
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\"" where quotes: result += "\\\""
            default: result.unicodeScalars.append(character)
            }
        }
        return result
    }

    static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        if let whole = Int(exactly: value), abs(whole) < 1 << 53 { return "\(whole)" }
        return "\(value)"
    }
}
