import CastSender

/// Something that keeps the bridge from working, or may.
struct Finding: Equatable {
    enum Severity: String { case error, warning }

    /// A heading in docs/TROUBLESHOOTING.md, as a link names it.
    enum Place: String {
        case starting = "the-bridge-does-not-start", devices = "no-device-is-found", broker = "the-broker-is-not-reached"
    }

    var severity: Severity
    /// For programs, and to search for in the documents.
    var code: String
    /// What is wrong, for people.
    var text: String
    var remedy: String
    var place: Place

    init(_ severity: Severity, _ code: String, _ text: String, _ remedy: String, _ place: Place) {
        (self.severity, self.code, self.text, self.remedy, self.place) = (severity, code, text, remedy, place)
    }

    var json: JSONValue {
        [
            "severity": .string(self.severity.rawValue), "code": .string(self.code), "text": .string(self.text),
            "remedy": .string(self.remedy),
            "place": .string("docs/TROUBLESHOOTING.md#\(self.place.rawValue)"),
        ]
    }

    var description: String {
        let head = Terminal.styled("\(self.severity.rawValue): \(self.code)", self.severity == .error ? .red : .yellow)
        return "\(head): \(self.text.printable)\n  \(self.remedy.printable)\n  docs/TROUBLESHOOTING.md#\(self.place.rawValue)"
    }
}

extension Finding {
    /// The findings of discovery without which neither the broker nor a device can be blamed.
    static let network: Set = ["interface_missing", "no_interface", "socket_refused", "container_network", "multicast_blocked"]
}
