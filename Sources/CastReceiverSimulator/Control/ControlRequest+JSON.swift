extension ControlRequest {
    /// Parses one line of the control socket, a JSON object with `do` and usually `device`.
    ///
    /// - Throws: `SimulatorError` `invalidRequest`, which names the fault.
    public init(line: String) throws(SimulatorError) {
        guard let json = JSONTextReader.read(line), json.isObject else { throw SimulatorError(.invalidRequest, "not a JSON object") }
        try self.init(json)
    }

    package init(_ json: JSON) throws(SimulatorError) {
        var arguments = ControlArguments(json)
        guard let verb = try arguments.text("do") else { throw SimulatorError(.invalidRequest, "\"do\" is missing") }
        let device = try arguments.text("device")
        switch verb {
        case "list": self = .list
        case "burst":
            self = .burst(count: try arguments.integer("count") ?? FleetPlan.maximumCount, try arguments.burstChange())
        case "group":
            self = .makeGroup(
                leader: try arguments.required("device", device), members: try arguments.texts("members") ?? [],
                name: try arguments.text("name") ?? "Dynamic group")
        case "dissolve": self = .dissolve(try arguments.required("device", device))
        default:
            let known = try arguments.verb(verb)
            guard let device else { throw SimulatorError(.invalidRequest, "\"device\" is missing") }
            self = .device(device, known)
        }
        try arguments.finish(verb: verb)
    }
}

extension ControlArguments {
    /// Reads the arguments of a verb for one device.
    mutating func verb(_ name: String) throws(SimulatorError) -> ControlVerb {
        switch name {
        case "state": return .state
        case "play": return .remote(try self.play())
        case "next": return .remote(.next(try self.requiredItem("next")))
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
        case "join": return .join(try self.requiredText("member"))
        case "leave": return .leave(try self.requiredText("member"))
        case "transfer": return .transfer(to: try self.requiredText("to"))
        case "authentication": return .authentication(try self.choice("as", AuthenticationManner.self))
        case "habit": return .remote(.habit(try self.choice("name", Habit.self), try self.bool("on") ?? true))
        case "sabotage": return .remote(.sabotage(try self.choice("name", Sabotage.self), try self.bool("on") ?? true))
        case "screen":
            let (standBy, activeInput) = (try self.bool("stand_by"), try self.bool("active_input"))
            guard standBy != nil || activeInput != nil else {
                throw SimulatorError(.invalidRequest, "\"screen\" needs \"stand_by\" or \"active_input\"")
            }
            return .remote(.screen(standBy: standBy, activeInput: activeInput))
        case "permission":
            if let asks = try self.bool("ask") { return .remote(.askPermission(asks)) }
            return .remote(.answerPermission(try self.required("allow", try self.bool("allow"))))
        case "say":
            let namespace = try self.requiredText("namespace")
            return .remote(.sendMessage(namespace: namespace, try self.required("message", try self.object("message"))))
        case "distort":
            var changes: [String: JSON] = [:]
            if case .object(let members)? = try self.object("set") { for member in members { changes[member.name] = member.value } }
            let type = try self.requiredText("type")
            return .remote(.distort(Distortion(type: type, changes: changes, removals: try self.texts("remove") ?? [])))
        case "undistort": return .remote(.undistort)
        case "ignore": return .remote(.ignore(type: try self.requiredText("type"), try self.bool("on") ?? true))
        case "pretend": return .remote(.pretend(type: try self.requiredText("type"), try self.bool("on") ?? true))
        default: throw SimulatorError(.invalidRequest, "unknown verb \"\(name)\"")
        }
    }

    private mutating func delay() throws(SimulatorError) -> ClosedRange<Duration> {
        let both = try self.number("ms")
        let low = try self.range("min_ms", try self.number("min_ms") ?? both ?? 0, 0...600_000)
        let high = try self.range("max_ms", try self.number("max_ms") ?? both ?? low, 0...600_000)
        guard low <= high else { throw SimulatorError(.invalidRequest, "\"min_ms\" is above \"max_ms\"") }
        return .milliseconds(low) ... .milliseconds(high)
    }

    mutating func burstChange() throws(SimulatorError) -> ControlRequest.BurstChange {
        switch try self.text("change") ?? "volume" {
        case "volume": .volume
        case "playback": .playback
        case "item": .item(try self.requiredItem("burst"))
        case let change: throw SimulatorError(.invalidRequest, "unknown change \(change)")
        }
    }

    private mutating func requiredItem(_ verb: String) throws(SimulatorError) -> RemoteItem {
        guard let item = try self.item() else {
            throw SimulatorError(.invalidRequest, "\"\(verb)\" needs \"url\", \"title\" or \"metadata\"")
        }
        return item
    }

    private mutating func play() throws(SimulatorError) -> RemoteAction {
        let item = try self.item()
        let (autoplay, application) = (try self.bool("autoplay"), try self.text("app"))
        guard var item else { return .resume }
        item.autoplay = autoplay ?? item.autoplay
        item.applicationID = application ?? item.applicationID
        return .load(item)
    }

    /// Reads the item to play; `nil` when no argument names one.
    private mutating func item() throws(SimulatorError) -> RemoteItem? {
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
        return url == nil && title == nil && item.metadata == nil ? nil : item
    }
}
