import ArgumentParser
import CastSender

struct QueueCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "queue", abstract: "Shows the queue of a device, or changes it.",
        usage: "cast2mqtt queue [DEVICE] [--add URL | --jump ITEM | --remove ITEM | --clear]")
    @OptionGroup var device: DeviceWords
    @Option(help: ArgumentHelp("Add a web address at the end.", valueName: "url"))
    var add: String?
    @Option(help: ArgumentHelp("Play this item.", valueName: "item"))
    var jump: Int?
    @Option(help: ArgumentHelp("Remove this item.", valueName: "item"))
    var remove: Int?
    @Flag(help: "Remove all items, which ends what plays.")
    var clear = false

    func validate() throws {
        guard [self.add != nil, self.jump != nil, self.remove != nil, self.clear].count(where: { $0 }) <= 1 else {
            throw ValidationError("--add, --jump, --remove and --clear exclude each other")
        }
    }

    func run() async throws {
        if let add { return try await self.device.send { _ in ("cmd/queue_insert", .string(add)) } }
        if let jump { return try await self.device.send { _ in ("cmd/queue_jump", .integer(Int64(jump))) } }
        if let remove { return try await self.device.send { _ in ("cmd/queue_remove", .integer(Int64(remove))) } }
        if self.clear { return try await self.device.send { _ in ("cmd/queue_clear", nil) } }
        guard self.device.words.count <= 1 else { throw ValidationError("takes one device") }
        var bridge = try await RunningBridge.connect(self.device.file)
        let slug = try bridge.slug(of: self.device.words.first)
        let answer = try await DeviceWords.answer(bridge, "\(slug)/get/queue", nil, to: bridge.name(of: slug))
        guard answer.exitCode == nil else { return try answer.report(as: self.device.json, subject: bridge.name(of: slug)) }
        try await bridge.refresh()
        let queue = bridge.documents["\(slug)/queue"] ?? .null
        if self.device.json { return print(JSONWriter.text(of: queue)) }
        let current = queue["current_item"]?.intValue
        let rows = (queue["items"]?.arrayValue ?? []).map { item in
            let number = item["item"]?.intValue
            let title = [item["title"] ?? item["content_id"], item["artist"]].compactMap { $0?.stringValue }.joined(separator: ", ")
            return [
                number == current ? "▶" : "", number.map { "\($0)" } ?? "-",
                item["duration"]?.doubleValue.map { PlaybackTime.text($0) } ?? "-",
                title.isEmpty ? "-" : title,
            ]
        }
        print(Terminal.table(["", "ITEM", "LENGTH", "TITLE"], rows) { $0[0].isEmpty ? nil : .green })
    }
}
