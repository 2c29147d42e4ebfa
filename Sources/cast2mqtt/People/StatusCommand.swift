import ArgumentParser
import BridgeCore
import CastSender

struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Shows what each device does.",
        discussion: """
            Asks the running bridge over its control socket, as the other commands for people do.

            Exit codes of these commands: 0 done, 1 refused or failed, 64 wrong usage, 68 no such device, 69 no bridge runs here, 75 the device is offline or
            did not answer.
            """)
    @OptionGroup var file: ConfigurationOption
    @Flag(help: "Print a JSON object with the document state of each device.")
    var json = false

    func run() async throws {
        let bridge = try await RunningBridge.connect(self.file)
        guard self.json else { return print(bridge.table) }
        let states = bridge.slugs.map { slug in (slug, bridge.documents["\(slug)/state"] ?? .null) }
        print(JSONWriter.text(of: .object(JSONObject(states))))
    }
}

struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Shows what each device does, until Ctrl-C.",
        discussion: "On a terminal the table is kept up to date; otherwise it is printed at each change.")
    @OptionGroup var file: ConfigurationOption

    func run() async throws {
        var bridge = try await RunningBridge.connect(self.file)
        var shown = ""
        while true {
            let table = bridge.table
            if table != shown { if Terminal.isShown { Terminal.show(table) } else { print(table + "\n") } }
            shown = table
            try await Task.sleep(for: .seconds(1))
            try await bridge.refresh()
        }
    }
}

struct GroupsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "groups", abstract: "Lists the speaker groups and their members.")
    @OptionGroup var file: ConfigurationOption

    func run() async throws {
        let bridge = try await RunningBridge.connect(self.file)
        let groups = bridge.devices.filter { $0["type"]?.stringValue == "group" }.compactMap { $0["slug"]?.stringValue }
        let rows = groups.map { group in
            let members = bridge.devices.filter { ($0["groups"]?.arrayValue ?? []).contains(.string(group)) }.compactMap {
                $0["slug"]?.stringValue
            }
            return [bridge.name(of: group), group, members.joined(separator: ", ")]
        }
        print(Terminal.table(["NAME", "SLUG", "MEMBERS"], rows))
    }
}

extension RunningBridge {
    var slugs: [String] { self.devices.compactMap { $0["slug"]?.stringValue } }

    /// One line a device: what it does, what it plays, where and how loud.
    var table: String {
        let rows = self.slugs.map { slug in
            let state = self.documents["\(slug)/state"] ?? .null
            let isOnline = self.documents["\(slug)/availability"]?.stringValue == "online"
            let percent = state["volume"]?["percent"]?.intValue.map { "\($0) %" } ?? "-"
            return [
                self.name(of: slug), slug, isOnline ? state["player"]?.stringValue ?? "unknown" : "offline",
                isOnline ? Self.position(in: state) ?? "-" : "-", state["volume"]?["muted"]?.boolValue == true ? "mute" : percent,
                isOnline ? Self.title(of: state) : "-",
            ]
        }
        return Terminal.table(["NAME", "SLUG", "PLAYER", "POSITION", "VOLUME", "TITLE"], rows) { row in
            switch row[2] {
            case "playing", "buffering", "loading": .green
            case "paused": .yellow
            case "offline", "unknown": .dim
            default: nil
            }
        }
    }

    private static func title(of state: JSONValue) -> String {
        let media = state["media"]
        let texts = [media?["title"], media?["artist"] ?? media?["series"]].compactMap { $0?.stringValue }
        return texts.isEmpty ? state["app"]?["source"]?.stringValue ?? "-" : texts.joined(separator: ", ")
    }

    /// The position now and the duration: the document has the position of one moment.
    private static func position(in state: JSONValue) -> String? {
        guard let media = state["media"], var position = media["position"]?.doubleValue else { return nil }
        if state["player"]?.stringValue == "playing", let at = media["position_at"]?.stringValue.flatMap({ Timestamp(rfc3339: $0) }) {
            position += at.seconds(until: .now()) * (media["rate"]?.doubleValue ?? 1)
        }
        let duration = media["duration"]?.doubleValue
        return PlaybackTime.text(duration.map { min(position, $0) } ?? position) + (duration.map { " / \(PlaybackTime.text($0))" } ?? "")
    }
}
