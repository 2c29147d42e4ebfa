import ArgumentParser
import CastSender

/// The bridge's answer to a command, as a person reads it.
struct CommandAnswer {
    let body: JSONValue

    /// The exit code of its outcome; `nil` when the command is done.
    var exitCode: ExitCode? {
        guard self.body["status"]?.stringValue != "ok" else { return nil }
        return switch self.body["code"]?.stringValue {
        case "device_offline", "timeout", "not_responding": .deviceSilent
        case "unknown_device": .noDevice
        case "bad_payload", "unknown_command", "too_large": .validationFailure
        default: .refused
        }
    }

    /// What happened, and the remedy in a line of its own.
    var text: String {
        let code = self.body["code"]?.stringValue ?? self.body["error"]?["code"]?.stringValue ?? "no answer"
        let message = self.body["message"]?.stringValue ?? self.body["error"]?["message"]?.stringValue
        var lines = [message.map { "\(code): \($0)" } ?? code]
        for finding in self.body["data"]?["findings"]?.arrayValue ?? [] {
            let texts = [finding["text"], finding["remedy"]].compactMap { $0?.stringValue }
            lines.append(texts.joined(separator: " "))
        }
        if let hint = self.body["hint"]?.stringValue { lines.append(hint) }
        return lines.joined(separator: "\n  ")
    }

    /// Prints the answer: on standard output when the command is done, else on standard error.
    ///
    /// - Throws: the exit code of an outcome that is not as wished.
    func report(as json: Bool, subject: String?) throws {
        let subject = subject.map { "\($0): " } ?? ""
        if json {
            print(JSONWriter.text(of: self.body))
        } else if self.exitCode == nil {
            print((subject + self.text).printableLines)
        } else {
            StandardError.print(subject + self.text)
        }
        if let exitCode { throw exitCode }
    }
}

extension String {
    /// The same lines, each printable.
    var printableLines: String {
        self.split(separator: "\n", omittingEmptySubsequences: false).map { String($0).printable }.joined(separator: "\n")
    }
}

extension JSONWriter {
    /// The value as one line that a terminal only shows.
    static func text(of value: JSONValue) -> String { String(decoding: JSONWriter.bytes(of: value), as: UTF8.self).printableJSON }
}
