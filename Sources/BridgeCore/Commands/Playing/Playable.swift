import CastModels

/// Something to play as a person wrote it: a command with its arguments, which are read again each time it is played.
public struct Playable: Sendable, Hashable {
    /// The largest arguments that are remembered, in bytes.
    public static let maximumBytes = 16_384

    private let verb: Verb
    private let arguments: JSONValue

    /// The arguments of a load or a queue; `nil` for other commands.
    init?(_ name: String, _ arguments: CommandArguments) {
        // Before the search through all verbs: it is asked of every command.
        guard name == "load" || name == "queue_load", let verb = Verb(rawValue: name) else { return nil }
        self.verb = verb
        switch arguments {
        case .none: return nil
        case .text(let text): self.arguments = .string(text)
        case .json(let value): self.arguments = value
        }
    }

    /// A queue if it has `items`, else a load, or the launch of an `app` alone.
    init(_ object: JSONObject) {
        let isLoad = MediaArguments.contentNames.contains { object[$0] != nil }
        self.verb = object["items"] != nil ? .queueLoad : isLoad ? .load : .launch
        var object = object
        // Only media have a picture.
        if self.verb != .load { object["image"] = nil }
        self.arguments = .object(object)
    }

    /// Reads what `json` returned.
    public init?(json: JSONValue?) {
        guard let verb = json?["cmd"]?.stringValue.flatMap(Verb.init(rawValue:)), let arguments = json?["args"] else { return nil }
        (self.verb, self.arguments) = (verb, arguments)
    }

    /// For a file: it contains addresses, which may be secrets.
    public var json: JSONValue { ["cmd": .string(self.verb.rawValue), "args": self.arguments] }

    /// The file or folder of `media.folders`, if it is one.
    public var file: String? { self.arguments["file"]?.stringValue }

    /// What people may call it: the title that was given, else the last part of its address.
    public var title: String? {
        if let title = (self.arguments["metadata"] ?? self.arguments)["title"]?.stringValue { return title }
        let first = self.first
        let names = MediaArguments.contentNames.lazy.compactMap { first[$0]?.stringValue }
        guard let address = first.stringValue ?? names.first else { return nil }
        let scheme = address.firstRange(of: "://")
        let parts = address[(scheme?.upperBound ?? address.startIndex)...].prefix { scheme == nil || $0 != "?" && $0 != "#" }
            .split(separator: "/")
        // Before the path there may be a password.
        return (scheme != nil && parts.count == 1 ? parts.first?.split(separator: "@").last : parts.last).map(String.init)
    }

    /// The address of its picture, or of that of its first item.
    public var image: String? {
        let listed = self.first["metadata"]?["images"]?.arrayValue?.first
        return self.first["image"]?.stringValue ?? listed?["url"]?.stringValue ?? listed?.stringValue
    }

    /// The first item of a queue, or what there is instead.
    private var first: JSONValue { self.arguments["items"]?.arrayValue?.first ?? self.arguments.arrayValue?.first ?? self.arguments }

    func command(_ rules: CommandRules) throws(CommandRejection) -> DeviceCommand {
        try self.verb.command(CommandArguments(json: self.arguments), rules)
    }
}
