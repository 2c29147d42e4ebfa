import CastModels

/// Something to play under a name.
public struct Preset: Sendable, Hashable {
    /// In bytes.
    static let longestName = 80

    public let name: String
    /// The address of its picture.
    public let image: String?
    /// The volume to set before it plays, 0 to 1; `nil` leaves it alone.
    public let volume: Double?
    public let playable: Playable

    /// - Parameter object: the arguments of `cmd/load`, `cmd/queue_load` or `cmd/launch`, with `image` and `volume`.
    /// - Throws: `bad_payload` for a wrong name, image or volume; the other arguments are read when it is played.
    public init(_ name: String, _ object: JSONObject) throws(CommandRejection) {
        guard (1...Self.longestName).contains(name.utf8.count), !Self.folded(name).isEmpty,
            !name.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F })
        else {
            throw CommandRejection(.badPayload, "A preset's name must have 1 to 80 bytes, with letters or digits among them.")
        }
        let volume = try object["volume"].map { value throws(CommandRejection) in try PlainValue.volume(value, scale: .percent) }
        if volume != nil, volume?.base == nil { throw CommandRejection(.badPayload, "volume must be 0 to 100.") }
        (self.name, self.volume) = (name, volume?.base)
        self.image = try object["image"]?.stringValue.map { image throws(CommandRejection) in try MediaArguments.webURL(image, of: "image")
        }
        var arguments = object
        arguments["volume"] = nil
        // Of YAML, a title may look like a number.
        for key in ["title", "subtitle", "artist"] where arguments[key]?.doubleValue != nil {
            arguments[key] = arguments[key].map { .string(JSONWriter.string(of: $0)) }
        }
        // The tags of a file say more than the name.
        if object["url"] != nil, object["title"] == nil, object["metadata"] == nil { arguments["title"] = .string(name) }
        self.playable = Playable(arguments)
        guard object["items"] != nil || object["app"] != nil || MediaArguments.contentNames.contains(where: { object[$0] != nil }) else {
            throw CommandRejection(.badPayload, "A preset needs what to play: url, file, items or app.")
        }
    }

    fileprivate static func folded(_ name: String) -> String { ApplicationNames.folded(name) }
}

/// Which preset a command means.
public enum PresetChoice: Sendable, Hashable {
    /// In any spelling.
    case named(String)
    /// So many after the one that plays, or before it; round the end.
    case step(Int)
}

/// All presets, in the order in which they were given.
public struct Presets: Sendable, Hashable {
    public static let maximumCount = 100

    public private(set) var all: [Preset] = []

    public init() {}

    public var names: [String] { self.all.map(\.name) }

    /// Adds a preset, or replaces that of the same name.
    /// - Returns: whether there was room.
    public mutating func set(_ preset: Preset) -> Bool {
        if let index = self.index(of: preset.name) {
            self.all[index] = preset
        } else if self.all.count < Self.maximumCount {
            self.all.append(preset)
        } else {
            return false
        }
        return true
    }

    /// - Parameter playing: the name of the one that plays.
    /// - Throws: `bad_payload` when no preset has this name, or there are no presets.
    public func preset(_ choice: PresetChoice, playing: String?) throws(CommandRejection) -> Preset {
        switch choice {
        case .named(let name):
            if let index = self.index(of: name) { return self.all[index] }
            let meant = NearestName.of(name, among: self.names).map { " Did you mean \($0)?" } ?? ""
            throw CommandRejection(
                .badPayload, "There is no preset \"\(name.shortened)\".\(meant)",
                hint: "Add it to presets, or with bridge/request/preset/set.")
        case .step(let step):
            guard !self.all.isEmpty else { throw CommandRejection(.badPayload, "There are no presets.", hint: "Add some to presets.") }
            // From none, the next is the first, and the one before is the last.
            let index = playing.flatMap(self.index(of:)).map { $0 + step } ?? (step > 0 ? step - 1 : step)
            return self.all[(index % self.all.count + self.all.count) % self.all.count]
        }
    }

    /// Returns the first mistake in what they play.
    public func mistake(_ options: CommandOptions) -> CommandRejection? {
        let rules = CommandRules(options)
        for preset in self.all {
            do throws(CommandRejection) { _ = try preset.playable.command(rules) } catch {
                return CommandRejection(error.code, "\(preset.name): \(error.message)")
            }
        }
        return nil
    }

    private func index(of name: String) -> Int? { self.all.firstIndex { Preset.folded($0.name) == Preset.folded(name) } }
}
