import ArgumentParser
import BridgeCore
import CastSender

/// What every command for a device takes: the device's name, unless the bridge has one device only, then the command's own values.
struct DeviceWords: ParsableArguments {
    @OptionGroup var file: ConfigurationOption

    @Flag(help: "Print the bridge's answer as JSON.")
    var json = false

    @Argument(
        help: ArgumentHelp(
            "The device, then what the command takes.",
            discussion:
                "A device's slug, name, alias or id, or what only one of these begins with. It may be left out where the bridge has one device.",
            valueName: "device"), completion: .custom { _, _, _ in await RunningBridge.completions() })
    var words: [String] = []

    /// Sends a command to the device that the first word names; without it, to the only one.
    ///
    /// - Parameters:
    ///   - values: how many words belong to the command.
    ///   - command: makes the topic below the device's, and the payload, of these words.
    /// - Throws: the exit code of the outcome.
    func send(_ values: ClosedRange<Int> = 0...0, _ command: ([String]) throws -> (topic: String, payload: JSONValue?)) async throws {
        let bridge = try await RunningBridge.connect(self.file)
        let named = try self.named(values, bridge)
        let (topic, payload) = try command(named.values)
        let name = named.slug == "all" ? "all" : bridge.name(of: named.slug)
        let answer = try await Self.answer(bridge, "\(named.slug)/\(topic)", payload, to: name)
        try answer.report(as: self.json, subject: name)
    }

    /// Returns the device, and the words behind it.
    private func named(_ values: ClosedRange<Int>, _ bridge: RunningBridge) throws -> (slug: String, values: [String]) {
        let isNamed = self.words.count > values.upperBound || (self.words.count > values.lowerBound && !self.words[0].contains("://"))
        let rest = Array(isNamed ? self.words.dropFirst() : self.words[...])
        guard values.contains(rest.count) else { throw ValidationError("takes the device, then \(values.upperBound) more") }
        return (try bridge.slug(of: isNamed ? self.words.first : nil), rest)
    }

    /// Longer than any command may take without a timeout of its own.
    private static let limit = Duration.seconds(200)

    /// Sends a command and waits for its answer; on a terminal a line says what it waits for.
    static func answer(_ bridge: RunningBridge, _ topic: String, _ payload: JSONValue?, to name: String) async throws -> CommandAnswer {
        let waiting = Task {
            try await Task.sleep(for: .seconds(1))
            if Terminal.isShown { StandardError.print("\(name): waiting for the device …") }
        }
        defer { waiting.cancel() }
        let path = topic.split(separator: "/").map { $0.percentEncoded }.joined(separator: "/")
        let body = payload.map { JSONWriter.bytes(of: $0) } ?? []
        return CommandAnswer(body: try await bridge.ask("/api/v1/commands/\(path)", body: body, within: Self.limit).body)
    }
}

struct PlayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "play", abstract: "Plays a web address on a device, or goes on with what is paused.",
        usage: "cast2mqtt play [DEVICE] [URL]",
        discussion: "\"cast2mqtt play kitchen http://nas.lan/song.mp3\" plays it; \"cast2mqtt play kitchen\" goes on.")
    @OptionGroup var device: DeviceWords

    func run() async throws {
        try await self.device.send(0...1) { words in
            guard let url = words.first else { return ("cmd/play", nil) }
            return ("cmd/load", ["url": .string(url)])
        }
    }
}

/// A command that takes nothing but its device.
protocol BareDeviceCommand: AsyncParsableCommand {
    static var about: (name: String, does: String) { get }
    var device: DeviceWords { get }
}

extension BareDeviceCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(commandName: self.about.name, abstract: self.about.does, usage: "cast2mqtt \(self.about.name) [DEVICE]")
    }

    func run() async throws { try await self.device.send { _ in ("cmd/\(Self.about.name)", nil) } }
}

struct PauseCommand: BareDeviceCommand {
    static let about = (name: "pause", does: "Pauses.")
    @OptionGroup var device: DeviceWords
}

struct StopCommand: BareDeviceCommand {
    static let about = (name: "stop", does: "Stops what plays.")
    @OptionGroup var device: DeviceWords
}

struct NextCommand: BareDeviceCommand {
    static let about = (name: "next", does: "Plays the next item.")
    @OptionGroup var device: DeviceWords
}

struct PreviousCommand: BareDeviceCommand {
    static let about = (name: "previous", does: "Plays the item before.")
    @OptionGroup var device: DeviceWords
}

struct SeekCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "seek", abstract: "Changes the position.", usage: "cast2mqtt seek [DEVICE] POSITION",
        discussion:
            "The position is seconds, 1:02:03, +30 or live. Write -- before the words to go back: \"cast2mqtt seek -- kitchen -10\".")
    @OptionGroup var device: DeviceWords

    func run() async throws { try await self.device.send(1...1) { ("set/position", .string($0[0])) } }
}

struct VolumeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "volume", abstract: "Changes the volume.", usage: "cast2mqtt volume [DEVICE] LEVEL",
        discussion: "The level is 0 to 100, or +5 for a change. Write -- before the words to lower it: \"cast2mqtt volume -- kitchen -5\".")
    @OptionGroup var device: DeviceWords

    func run() async throws { try await self.device.send(1...1) { ("set/volume", .string($0[0])) } }
}

struct MuteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mute", abstract: "Mutes, or unmutes what is mute.", usage: "cast2mqtt mute [DEVICE] [--on | --off]")
    @OptionGroup var device: DeviceWords

    @Flag(help: "Mute.")
    var on = false

    @Flag(help: "Unmute.")
    var off = false

    func run() async throws {
        let payload = self.on ? "ON" : self.off ? "OFF" : "toggle"
        try await self.device.send { _ in ("set/muted", .string(payload)) }
    }

    func validate() throws { if self.on, self.off { throw ValidationError("--on and --off exclude each other") } }
}

struct TransferCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "transfer", abstract: "Moves what plays to another device.", usage: "cast2mqtt transfer FROM TO")
    @OptionGroup var device: DeviceWords

    func run() async throws {
        guard self.device.words.count == 2 else { throw ValidationError("takes two devices: from where, and to where") }
        let target = try await RunningBridge.connect(self.device.file).slug(of: self.device.words[1])
        try await self.device.send(1...1) { _ in ("cmd/transfer", .string(target)) }
    }
}

struct RequestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "request", abstract: "Sends a request to the bridge, such as discover, log_level or device/rename.",
        usage: "cast2mqtt request VERB [PAYLOAD]",
        discussion: "The payload is text or JSON, as on bridge/request/VERB; docs/TOPICS.md lists them.")
    @OptionGroup var file: ConfigurationOption
    @Argument(help: "The request: what follows bridge/request/ in the topic.")
    var verb: String
    @Argument(help: "What it takes.")
    var payload: String?
    @Flag(help: "Print the bridge's answer as JSON.")
    var json = false

    func run() async throws {
        let bridge = try await RunningBridge.connect(self.file)
        let payload = self.payload.map { (try? JSONParser.parse(Array($0.utf8))) ?? .string($0) }
        let answer = try await DeviceWords.answer(bridge, "bridge/request/\(self.verb)", payload, to: "bridge")
        if !self.json, answer.exitCode == nil, let data = answer.body["data"], data != .object([:]), data != .null {
            print(JSONWriter.text(of: data))
        } else {
            try answer.report(as: self.json, subject: nil)
        }
    }
}
