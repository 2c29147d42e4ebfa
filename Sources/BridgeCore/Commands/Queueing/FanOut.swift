import CastModels

/// Tracks commands to all devices. Each device gets a share of the command; the results of the shares are combined into one answer. Does
/// no I/O.
public struct FanOut: Sendable {
    /// The largest number of commands to all devices that wait at the same time.
    public static let maximumCount = 32

    /// Identifies a command to all devices while it waits. Numbers are never reused.
    public struct Ticket: Sendable, Hashable {
        var number: UInt64
    }

    /// What to do with a command that arrives.
    public enum Admission: Sendable, Hashable {
        /// Give each device its share.
        case begin(Ticket)
        /// Send this answer, if any. A repeat waits for the answer of the first command.
        case answer(CommandAnswer?)
    }

    private struct Entry {
        var envelope: CommandEnvelope
        var waiting: Set<String>
        var results: [String: CommandResult] = [:]
    }

    private var entries: [Ticket: Entry] = [:]
    private var repeated = RepeatedCommands()
    private var nextNumber: UInt64 = 1

    public init() {}

    /// Handles a command to all devices.
    /// - Parameter slugs: the slugs of the devices that get a share.
    public mutating func admit(_ envelope: CommandEnvelope, _ command: DeviceCommand, slugs: Set<String>, now: MonotonicTime) -> Admission {
        var envelope = envelope
        switch self.repeated.admit(&envelope, command, now: now) {
        case .new: break
        case .waiting: return .answer(nil)
        case .answered(let result): return .answer(CommandAnswer(to: envelope, result, now: now))
        }
        var refusal: CommandResult?
        if slugs.isEmpty { refusal = CommandResult(.unknownDevice, message: "No device can receive this command now.") }
        // No caller has more places than are still free.
        let own = self.entries.values.count { $0.envelope.caller == envelope.caller }
        if own >= Self.maximumCount - self.entries.count {
            refusal = CommandResult(.rateLimited, message: "\(own) commands of this caller to all devices are waiting.")
        }
        if let refusal {
            let answer = CommandAnswer(to: envelope, refusal, now: now)
            _ = self.repeated.answered(answer)
            return .answer(answer)
        }
        let ticket = Ticket(number: self.nextNumber)
        self.nextNumber += 1
        self.entries[ticket] = Entry(envelope: envelope, waiting: slugs)
        return .begin(ticket)
    }

    public static func share(of envelope: CommandEnvelope, for slug: String, _ ticket: Ticket) -> CommandEnvelope {
        var share = envelope
        share.target = .device(slug)
        (share.id, share.repeatKey) = (nil, nil)
        share.responseTopic = nil
        share.correlationData = nil
        share.fanOut = ticket
        share.direct = nil
        return share
    }

    /// Handles the result of a device's share. `accepted` is ignored, because the final result follows.
    /// - Returns: the answers that are due now: that of the command after its last share, and those of its repeats.
    public mutating func ended(_ ticket: Ticket, slug: String, _ result: CommandResult, now: MonotonicTime) -> [CommandAnswer] {
        guard result.code != .accepted, var entry = self.entries[ticket], entry.waiting.remove(slug) != nil else { return [] }
        entry.results[slug] = result
        guard entry.waiting.isEmpty else {
            self.entries[ticket] = entry
            return []
        }
        self.entries[ticket] = nil
        let answer = CommandAnswer(to: entry.envelope, Self.summary(of: entry.results), now: now)
        return [answer] + self.repeated.answered(answer).map { CommandAnswer(to: $0, answer.result.repeated, now: now) }
    }

    /// Returns `done` when at least one device succeeded and none failed. A device that the command can't concern, because it is offline,
    /// has no session or has a fixed volume, does not count as failed; if all are like that, the result has the code of the first one.
    static func summary(of results: [String: CommandResult]) -> CommandResult {
        var devices = JSONObject()
        var failure: CommandResult?
        var inapplicable: CommandResult?
        var done = 0
        var failed = 0
        for (slug, result) in results.sorted(by: { $0.key < $1.key }) {
            var entry: JSONObject = ["code": .string(result.code.rawValue)]
            if let message = result.message { entry["message"] = .string(message) }
            devices.append(slug, .object(entry))
            if !result.isError {
                done += 1
            } else if result.isInapplicable {
                inapplicable = inapplicable ?? result
            } else {
                failed += 1
                failure = failure ?? result
            }
        }
        let data: JSONObject = ["done": .integer(Int64(done)), "failed": .integer(Int64(failed)), "devices": .object(devices)]
        if let failure {
            return CommandResult(failure.code, message: "\(failed) of \(results.count) devices failed; see data.", data: data)
        }
        if done == 0, let inapplicable { return CommandResult(inapplicable.code, message: "No device could do it; see data.", data: data) }
        return .done(data)
    }
}

extension DeviceCommand {
    /// Returns the part of a command to all devices that one device executes; `nil` when there is none.
    ///
    /// A group ignores volume and new media: its members get the command themselves, and would play the same media as the group. Other
    /// devices ignore the volumes of group members.
    public func share(forGroup isGroup: Bool) -> DeviceCommand? {
        switch self {
        case .set(let changes):
            let share = changes.filter {
                switch $0 {
                case .volume, .muted: !isGroup
                case .groupDeviceVolume: isGroup
                default: true
                }
            }
            return share.isEmpty ? nil : .set(share)
        case .groupVolume: return isGroup ? self : nil
        case .announce, .load, .launch, .show, .queue(.load), .queue(.insert), .preset, .recent, .recall, .sleep, .wake:
            return isGroup ? nil : self
        default: return self
        }
    }
}

extension Device {
    /// Whether the device is a group whose members are devices of their own. A stereo pair does not count, because its halves usually are
    /// not.
    public var isSpeakerGroup: Bool {
        guard let capabilities = self.capabilities, !capabilities.contains(.multichannelGroup) else { return false }
        return !capabilities.isDisjoint(with: [.multizoneGroup, .dynamicGroup])
    }
}
