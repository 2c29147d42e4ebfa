/// Reads the parts of a scenario file; each error names the part with the fault.
extension FleetScript {
    /// Reads the members of `fleet` other than `devices` and `groups`.
    package mutating func readDefaults(_ json: JSON) throws(SimulatorError) {
        var arguments = ControlArguments(json)
        _ = (arguments.value("devices"), arguments.value("groups"))
        if let seed = try arguments.integer("seed") {
            guard let seed = UInt64(exactly: seed) else { throw SimulatorError(.invalidRequest, "\"seed\" must not be negative") }
            self.seed = seed
        }
        self.addressBase = try arguments.text("address_base")
        self.interfaces = try arguments.texts("interfaces")
        self.electsLeaders = try arguments.bool("elect_leaders")
        self.fetchesMedia = try arguments.bool("fetch_media")
        self.repeatsMedia = try arguments.bool("repeat_media")
        if let limit = try arguments.number("pause_limit") {
            self.pauseLimitSeconds = try arguments.range("pause_limit", limit, 0...1_000_000)
        }
        try arguments.finish(verb: "fleet")
    }

    /// Reads one element of `devices`, which may represent several.
    package mutating func readDevice(_ json: JSON) throws(SimulatorError) {
        var arguments = ControlArguments(json)
        let model = try Self.model(try arguments.requiredText("model"))
        let name = try arguments.text("name")
        let count = try arguments.integer("count") ?? 1
        guard (1...FleetPlan.maximumCount).contains(count), self.devices.count + count <= FleetPlan.maximumCount else {
            throw SimulatorError(.invalidRequest, "\"count\" must be at least 1, and all devices at most \(FleetPlan.maximumCount)")
        }
        let verbs = try Self.setup(&arguments)
        try arguments.finish(verb: "device")
        for copy in 1...count {
            let device = Self.controlName(self.devices.count)
            self.devices.append(Device(model: model, name: name.map { copy == 1 ? $0 : "\($0) \(copy)" }))
            self.setup += verbs.map { Setup(device: device, verb: $0) }
        }
    }

    private static func model(_ name: String) throws(SimulatorError) -> DeviceModel {
        guard let model = DeviceModel.all.first(where: { $0.name == name }) else {
            throw SimulatorError(
                .invalidRequest, "unknown \"model\" \(name); one of \(DeviceModel.all.map(\.name).joined(separator: ", "))")
        }
        return model
    }

    /// Reads one element of `groups`.
    package mutating func readGroup(_ json: JSON) throws(SimulatorError) {
        var arguments = ControlArguments(json)
        let name = try arguments.requiredText("name")
        let members = try arguments.required("members", try arguments.texts("members"))
        let isStereoPair = try arguments.bool("stereo_pair") ?? false
        guard !members.isEmpty, Set(members).count == members.count, !isStereoPair || members.count == 2 else {
            throw SimulatorError(.invalidRequest, "\"members\" must be different devices, two of them for a stereo pair")
        }
        let device = FleetPlan.controlName(prefix: "group", index: self.groups.count)
        self.setup += try Self.setup(&arguments).map { Setup(device: device, verb: $0) }
        try arguments.finish(verb: "group")
        self.groups.append(Group(name: name, members: members, isStereoPair: isStereoPair))
    }

    /// Reads the initial state of a device or group, in the verbs of the control socket.
    private static func setup(_ arguments: inout ControlArguments) throws(SimulatorError) -> [ControlVerb] {
        var verbs: [ControlVerb] = []
        let volume = VolumeChange(level: try arguments.number("volume"), isMuted: try arguments.bool("muted"))
        if volume != VolumeChange() { verbs.append(.remote(.volume(volume))) }
        if let control = try arguments.text("volume_control") { verbs.append(.remote(.volumeControl(control))) }
        let (standBy, activeInput) = (try arguments.bool("stand_by"), try arguments.bool("active_input"))
        if standBy != nil || activeInput != nil { verbs.append(.remote(.screen(standBy: standBy, activeInput: activeInput))) }
        if let asks = try arguments.bool("ask_permission") { verbs.append(.remote(.askPermission(asks))) }
        for habit in try arguments.choices("habits", Habit.self) { verbs.append(.remote(.habit(habit, true))) }
        for sabotage in try arguments.choices("sabotages", Sabotage.self) { verbs.append(.remote(.sabotage(sabotage, true))) }
        if arguments.value("authentication") != nil {
            verbs.append(.authentication(try arguments.choice("authentication", AuthenticationManner.self)))
        }
        if let delay = try arguments.delay("answer_delay_ms") { verbs.append(.delay(delay)) }
        return verbs
    }
}

extension ControlArguments {
    /// Reads one number of milliseconds, or a list of the least and the most.
    fileprivate mutating func delay(_ name: String) throws(SimulatorError) -> ClosedRange<Duration>? {
        try self.read(name, "a number of milliseconds up to 600000, or a list of the least and the most") { value in
            let bounds = value.double.map { [$0, $0] } ?? (value.elements ?? []).compactMap(\.double)
            guard bounds.count == 2, bounds[0] <= bounds[1], (0...600_000).contains(bounds[0]), bounds[1] <= 600_000 else { return nil }
            return .milliseconds(bounds[0]) ... .milliseconds(bounds[1])
        }
    }
}
