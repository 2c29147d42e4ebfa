import Foundation
import TestSupport

/// One command of a storm. Its number makes it known again: in the answer, and where it changes state also in the devices' journal.
struct StormCommand {
    enum Act: Hashable {
        case level, levelAndMute(Bool), position, load, mute(Bool), play, pause, read
    }

    var number: Int
    var device: String
    var act: Act
    /// Whether the answer is known by its `id`, or else by correlation data.
    var hasID: Bool

    /// How many commands the device was sent before.
    var index: Int

    /// Different for each command of a device; three decimals are all that volumes have on their way.
    var level: Double { Double(self.index + 1) / 200 }
    var position: Int { 100 + self.number }
    var url: String { "http://media/storm-\(self.number).mp4?duration=3600&load_time=0" }
    var responseTopic: String { "cast2mqtt/client/storm/\(self.number % 7)" }
    var key: String { self.hasID ? "id \(self.number)" : "data \(self.number)" }

    /// The topic below the device, and the payload.
    var message: (tail: String, payload: String) {
        guard self.hasID else {
            switch self.act {
            case .level: return ("set/volume_level", "\(self.level)")
            case .levelAndMute(let muted): return ("set", #"{"volume_level":\#(self.level),"muted":\#(muted)}"#)
            case .position: return ("set/position", "\(self.position)")
            case .load: return ("cmd/load", self.url)
            case .mute(let muted): return ("set/muted", muted ? "ON" : "OFF")
            case .play: return ("cmd/play", "")
            case .pause: return ("cmd/pause", "")
            case .read: return ("get/state", "")
            }
        }
        let (name, arguments) =
            switch self.act {
            case .level: ("set", #"{"volume_level":\#(self.level)}"#)
            case .levelAndMute(let muted): ("set", #"{"volume_level":\#(self.level),"muted":\#(muted)}"#)
            case .position: ("set", #"{"position":\#(self.position)}"#)
            case .load: ("load", #"{"url":"\#(self.url)"}"#)
            case .mute(let muted): ("set", #"{"muted":\#(muted)}"#)
            case .play: ("play", "{}")
            case .pause: ("pause", "{}")
            case .read: ("get", #"{"doc":"state"}"#)
            }
        return ("cmd", #"{"cmd":"\#(name)","id":"\#(self.key)","args":\#(arguments)}"#)
    }

    /// Commands for each device in turn, in an order and of kinds that follow from the numbers.
    static func all(_ count: Int, devices: [String], numbers: inout SeededGenerator) -> [StormCommand] {
        (0..<count).map { number in
            let act: Act =
                switch Int.random(in: 0..<20, using: &numbers) {
                case 0..<6: .level
                case 6: .levelAndMute(Bool.random(using: &numbers))
                case 7..<11: .position
                case 11..<13: .load
                case 13..<15: .mute(Bool.random(using: &numbers))
                case 15..<17: .play
                case 17..<19: .pause
                default: .read
                }
            return StormCommand(
                number: number, device: devices[number % devices.count], act: act, hasID: Bool.random(using: &numbers),
                index: number / devices.count)
        }
    }
}

/// How often each of a storm's commands reached its device, by the devices' own record.
struct StormJournal {
    private var entries: [String: Int] = [:]

    init(_ journal: [[String: Any]]) {
        for entry in journal {
            guard let device = entry["device"] as? String, let payload = entry["payload"] as? [String: Any],
                let type = payload["type"] as? String
            else { continue }
            let volume = payload["volume"] as? [String: Any]
            let what: String? =
                switch type {
                case "SET_VOLUME":
                    (volume?["level"] as? Double).map { "level \(Int(($0 * 200).rounded()))" } ?? "mute \(volume?["muted"] ?? "")"
                case "SEEK": (payload["currentTime"] as? Double).map { "position \(Int($0))" }
                case "LOAD": ((payload["media"] as? [String: Any])?["contentId"] as? String).map { "load \($0)" }
                case "PLAY", "PAUSE": type
                default: nil
                }
            if let what { self.entries["\(device) \(what)", default: 0] += 1 }
        }
    }

    /// How often the device received exactly this command; `nil` for those that can't be distinguished from others of their kind.
    func count(_ command: StormCommand) -> Int? {
        switch command.act {
        case .level, .levelAndMute: self.entries["\(command.device) level \(command.index + 1)", default: 0]
        case .position: self.entries["\(command.device) position \(command.position)", default: 0]
        case .load: self.entries["\(command.device) load \(command.url)", default: 0]
        case .mute, .play, .pause, .read: nil
        }
    }

    /// How many of a kind the device received: `PLAY`, `PAUSE`.
    func count(_ type: String, _ device: String) -> Int { self.entries["\(device) \(type)", default: 0] }
}

/// Breaks the links of some devices and mends them, one step at a time.
struct StormFaults {
    private let devices: [String]
    private var numbers: SeededGenerator
    /// The request that mends a device that is broken now.
    private var mends: [String: [String: any Sendable]] = [:]
    private(set) var kinds: [String: Int] = [:]

    init(_ devices: [String], seed: UInt64) {
        self.devices = devices
        self.numbers = SeededGenerator(seed: seed)
    }

    /// Breaks a sound device, or mends a broken one.
    mutating func step(_ control: SimulatorControl) async throws {
        guard let device = self.devices.randomElement(using: &self.numbers) else { return }
        if let mend = self.mends.removeValue(forKey: device) {
            try await control.send(mend)
            return
        }
        let faults: [(request: [String: any Sendable], mend: [String: any Sendable]?)] = [
            (["do": "reset"], nil),
            (["do": "reset"], nil),
            (["do": "freeze"], ["do": "thaw"]),
            (["do": "freeze", "mid_frame": true], ["do": "thaw"]),
            (["do": "refuse"], ["do": "refuse", "on": false]),
            (["do": "stop", "goodbye": false], ["do": "start"]),
            (["do": "reboot", "seconds": 1], nil),
        ]
        let fault = faults[Int.random(in: 0..<faults.count, using: &self.numbers)]
        let name = fault.request["do"] as? String ?? ""
        do { try await control.send(fault.request.merging(["device": device]) { first, _ in first }) } catch {
            // It is rebooting: nothing more can happen to it just now.
            return
        }
        self.kinds[name, default: 0] += 1
        self.mends[device] = fault.mend?.merging(["device": device]) { first, _ in first }
        if name == "refuse" { try await control.send(["device": device, "do": "reset"]) }
    }

    /// Mends all that is broken.
    mutating func end(_ control: SimulatorControl) async throws {
        for mend in self.mends.values { try await control.send(mend) }
        self.mends = [:]
    }
}
