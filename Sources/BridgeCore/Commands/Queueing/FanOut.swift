import CastModels

/// Commands to all devices: gathers what became of each device's share into the one answer. Does no I/O.
package struct FanOut: Sendable {
    /// Most commands to all devices that wait at once.
    package static let maximumCount = 32

    /// The name of such a command while it waits; never used twice.
    package struct Ticket: Sendable, Hashable {
        var number: UInt64
    }

    /// What becomes of a command that arrives.
    package enum Admission: Sendable, Hashable {
        /// Give each device its share.
        case begin(Ticket)
        /// There is nothing to do but this, if anything: a repeat waits for the first one's answer.
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

    package init() {}

    /// A command to all devices arrived; `slugs` are those that get a share.
    package mutating func admit(_ envelope: CommandEnvelope, slugs: Set<String>, now: MonotonicTime) -> Admission {
        switch self.repeated.admit(envelope, now: now) {
        case .new: break
        case .waiting: return .answer(nil)
        case .answered(let result): return .answer(CommandAnswer(to: envelope, result, now: now))
        }
        var refusal: CommandResult?
        if slugs.isEmpty { refusal = CommandResult(.unknownDevice, message: "There is no device that this could be for.") }
        if self.entries.count >= Self.maximumCount {
            refusal = CommandResult(.rateLimited, message: "\(Self.maximumCount) commands to all devices are waiting.")
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

    /// One device's share of `envelope`.
    package static func share(of envelope: CommandEnvelope, for slug: String, _ ticket: Ticket) -> CommandEnvelope {
        var share = envelope
        share.target = .device(slug)
        share.id = nil
        share.responseTopic = nil
        share.correlationData = nil
        share.fanOut = ticket
        share.direct = nil
        return share
    }

    /// A device's share ended.
    /// - Returns: the answers that are due now: that of the command when it was the last share, and those of its repeats.
    package mutating func ended(_ ticket: Ticket, slug: String, _ result: CommandResult, now: MonotonicTime) -> [CommandAnswer] {
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

    /// Done when a device did it and none failed; one that is offline, or has nothing that the command could be about, is no failure
    /// unless that is all there is.
    static func summary(of results: [String: CommandResult]) -> CommandResult {
        var devices = JSONObject()
        var failure: CommandResult?
        var idle: CommandResult?
        var done = 0
        var failed = 0
        for (slug, result) in results.sorted(by: { $0.key < $1.key }) {
            var entry: JSONObject = ["code": .string(result.code.rawValue)]
            if let message = result.message { entry["message"] = .string(message) }
            devices.append(slug, .object(entry))
            if !result.isError {
                done += 1
            } else if result.code == .deviceOffline || result.code == .noSession {
                idle = idle ?? result
            } else {
                failed += 1
                failure = failure ?? result
            }
        }
        let data: JSONObject = ["done": .integer(Int64(done)), "failed": .integer(Int64(failed)), "devices": .object(devices)]
        if let failure {
            return CommandResult(failure.code, message: "\(failed) of \(results.count) devices failed; see data.", data: data)
        }
        if done == 0, let idle { return CommandResult(idle.code, message: "No device could do it; see data.", data: data) }
        return .done(data)
    }
}

extension DeviceCommand {
    /// What of a command to all devices one of them does: a group's volume is that of its members, who get the command themselves, and
    /// what they are to play they would have to fight over with it.
    package func share(forGroup isGroup: Bool) -> DeviceCommand? {
        switch self {
        case .set(var changes) where isGroup:
            (changes.volume, changes.muted) = (nil, nil)
            return changes.isEmpty ? nil : .set(changes)
        case .set(var changes) where changes.groupDeviceVolume != nil:
            changes.groupDeviceVolume = nil
            return changes.isEmpty ? nil : .set(changes)
        case .groupVolume: return isGroup ? self : nil
        case .load, .launch, .show, .queue(.load), .queue(.insert): return isGroup ? nil : self
        default: return self
        }
    }
}

extension Device {
    /// Whether it is several speakers that are devices of their own. A stereo pair's halves seldom are.
    package var isSpeakerGroup: Bool {
        guard let capabilities = self.capabilities, !capabilities.contains(.multichannelGroup) else { return false }
        return !capabilities.isDisjoint(with: [.multizoneGroup, .dynamicGroup])
    }
}
