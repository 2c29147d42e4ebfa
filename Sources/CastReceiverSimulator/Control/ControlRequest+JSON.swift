extension ControlRequest {
    /// Reads one line of the control socket, a JSON object with `do` and mostly `device`.
    ///
    /// - Throws: `SimulatorError` `invalidRequest`, which names what is wrong.
    public init(line: String) throws(SimulatorError) {
        guard let json = JSONReader.read(line), json.isObject else { throw SimulatorError(.invalidRequest, "not a JSON object") }
        try self.init(json)
    }

    init(_ json: JSON) throws(SimulatorError) {
        var arguments = Arguments(json)
        guard let verb = try arguments.text("do") else { throw SimulatorError(.invalidRequest, "\"do\" is missing") }
        let device = try arguments.text("device")
        switch verb {
        case "list": self = .list
        case "burst":
            let change = try arguments.text("change") ?? BurstChange.volume.rawValue
            guard let change = BurstChange(rawValue: change) else { throw SimulatorError(.invalidRequest, "unknown change \(change)") }
            self = .burst(count: try arguments.integer("count") ?? FleetPlan.maximumCount, change)
        default:
            let known = try arguments.verb(verb)
            guard let device else { throw SimulatorError(.invalidRequest, "\"device\" is missing") }
            self = .device(device, known)
        }
        try arguments.finish(verb: verb)
    }
}

/// The members of a request; every one must be asked for, so that a misspelt one is noticed.
private struct Arguments {
    private let json: JSON
    private var used: Set<String> = []

    init(_ json: JSON) { self.json = json }

    mutating func value(_ name: String) -> JSON? {
        self.used.insert(name)
        return self.json[name].flatMap { $0.isNull ? nil : $0 }
    }

    mutating func text(_ name: String) throws(SimulatorError) -> String? { try self.read(name, "a text") { $0.text } }
    mutating func number(_ name: String) throws(SimulatorError) -> Double? { try self.read(name, "a number") { $0.double } }
    mutating func integer(_ name: String) throws(SimulatorError) -> Int? { try self.read(name, "a whole number") { $0.int } }
    mutating func bool(_ name: String) throws(SimulatorError) -> Bool? { try self.read(name, "true or false") { $0.boolean } }

    private mutating func read<Value>(_ name: String, _ kind: String, _ read: (JSON) -> Value?) throws(SimulatorError) -> Value? {
        guard let value = self.value(name) else { return nil }
        guard let read = read(value) else { throw SimulatorError(.invalidRequest, "\"\(name)\" must be \(kind)") }
        return read
    }

    private mutating func required<Value>(_ name: String, _ value: Value?) throws(SimulatorError) -> Value {
        guard let value else { throw SimulatorError(.invalidRequest, "\"\(name)\" is missing") }
        return value
    }

    func finish(verb: String) throws(SimulatorError) {
        guard case .object(let members) = self.json, let unknown = members.first(where: { !self.used.contains($0.name) }) else { return }
        throw SimulatorError(.invalidRequest, "\"\(verb)\" has no argument \"\(unknown.name)\"")
    }

    mutating func verb(_ name: String) throws(SimulatorError) -> ControlVerb {
        switch name {
        case "state": return .state
        case "play": return .remote(try self.play())
        case "pause": return .remote(.pause)
        case "seek": return .remote(.seek(try self.required("position", try self.number("position"))))
        case "media_stop": return .remote(.stopMedia)
        case "quit": return .remote(.quit)
        case "volume":
            if let control = try self.text("control") { return .remote(.volumeControl(control)) }
            let change = VolumeChange(level: try self.number("level"), isMuted: try self.bool("muted"))
            guard change.level != nil || change.isMuted != nil else {
                throw SimulatorError(.invalidRequest, "\"volume\" needs \"level\", \"muted\" or \"control\"")
            }
            return .remote(.volume(change))
        case "refuse": return .refuse(try self.bool("on") ?? true)
        case "reset": return .reset
        case "freeze": return .freeze(midFrame: try self.bool("mid_frame") ?? false)
        case "thaw": return .thaw
        case "delay": return .delay(try self.delay())
        case "reboot": return .reboot(.seconds(try self.range("seconds", try self.number("seconds") ?? 5, 0...86_400)))
        case "move":
            let relocation = ControlVerb.Relocation(
                address: try self.text("address"), port: try self.integer("port"), leader: try self.text("leader"))
            guard relocation != ControlVerb.Relocation() else {
                throw SimulatorError(.invalidRequest, "\"move\" needs \"address\", \"port\" or \"leader\"")
            }
            return .move(relocation)
        case "stop": return .stop(goodbye: try self.bool("goodbye") ?? true)
        case "start": return .start
        case "silence": return .silence(try self.bool("on") ?? true)
        default: throw SimulatorError(.invalidRequest, "unknown verb \"\(name)\"")
        }
    }

    private func range(_ name: String, _ value: Double, _ range: ClosedRange<Double>) throws(SimulatorError) -> Double {
        guard range.contains(value) else { throw SimulatorError(.invalidRequest, "\"\(name)\" must be in \(range)") }
        return value
    }

    private mutating func delay() throws(SimulatorError) -> ClosedRange<Duration> {
        let both = try self.number("ms")
        let low = try self.range("min_ms", try self.number("min_ms") ?? both ?? 0, 0...600_000)
        let high = try self.range("max_ms", try self.number("max_ms") ?? both ?? low, 0...600_000)
        guard low <= high else { throw SimulatorError(.invalidRequest, "\"min_ms\" is above \"max_ms\"") }
        return .milliseconds(low) ... .milliseconds(high)
    }

    private mutating func play() throws(SimulatorError) -> RemoteAction {
        let title = try self.text("title")
        let url = try self.text("url")
        var item = RemoteItem(
            url: url ?? "http://media.invalid/\(title.map { String(SeededRandom.hash($0), radix: 16) } ?? "").mp4", title: title)
        item.metadata = self.value("metadata")
        if let metadata = item.metadata, !metadata.isObject { throw SimulatorError(.invalidRequest, "\"metadata\" must be an object") }
        item.contentType = try self.text("content_type") ?? item.contentType
        item.streamType = try self.text("stream_type")
        item.durationSeconds = try self.number("duration")
        item.positionSeconds = try self.number("position") ?? 0
        item.autoplay = try self.bool("autoplay") ?? true
        item.applicationID = try self.text("app") ?? item.applicationID
        return url == nil && title == nil && item.metadata == nil ? .resume : .load(item)
    }
}
