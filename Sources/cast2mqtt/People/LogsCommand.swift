import ArgumentParser
import CastSender
import Glibc

struct LogsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "logs", abstract: "Shows the last lines of the running bridge's log.",
        discussion: "With a level below the log level, -f shows lines that the bridge itself does not write.")
    @OptionGroup var file: ConfigurationOption
    @Flag(name: [.customShort("f"), .long], help: "Go on with new lines, until Ctrl-C.")
    var follow = false
    @Option(help: ArgumentHelp("The lowest level: trace, debug, info, notice, warning, error or critical.", valueName: "level"))
    var level = "info"
    @Flag(help: "Print each line as JSON.")
    var json = false

    func run() async throws {
        let bridge = try await RunningBridge.connect(self.file)
        let answer = try await bridge.ask("/api/v1/log?level=\(self.level)")
        guard answer.status == 200 else { return try CommandAnswer(body: answer.body).report(as: self.json, subject: nil) }
        for line in answer.body["lines"]?.arrayValue ?? [] { self.show(line) }
        guard self.follow else { return }
        fflush(nil)
        _ = try? await bridge.socket.follow("/api/v1/events?log=\(self.level)") { name, data in
            if name == "log" { self.show(data) }
            fflush(nil)
        }
        StandardError.print("the bridge has ended")
        throw ExitCode.noBridge
    }

    private func show(_ line: JSONValue) {
        if self.json { return print(JSONWriter.text(of: line)) }
        let level = line["level"]?.stringValue ?? ""
        let data = (line["data"]?.objectValue ?? [:]).members.map { "\($0.key)=\($0.value.stringValue ?? "")" }.joined(separator: " ")
        let text = [line["ts"], line["source"], line["message"]].compactMap { $0?.stringValue }.joined(separator: " ")
        let whole = "\(level) \(text) \(data)".printable
        print(["warning", "error", "critical"].contains(level) ? Terminal.styled(whole, .yellow) : whole)
    }
}
