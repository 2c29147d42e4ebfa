import BridgeCore
import CastSender

/// Saves what plays, and plays it again.
extension CommandExecution {
    nonisolated(nonsending) func save(
        _ name: String, forgets: Bool, of key: DeviceAgent.Key, _ runner: CommandRunner
    ) async -> CommandResult {
        let isKnown = self.memory.saved[name] != nil
        var kept: JSONValue?
        if forgets {
            guard isKnown else { return Self.unknown(name) }
        } else {
            guard isKnown || self.memory.saved.count < PlayMemory.maximumSaved else {
                return CommandResult(
                    .badPayload, message: "\(PlayMemory.maximumSaved) names are in use.",
                    hint: "Forget one with {\"name\":…,\"forget\":true}.")
            }
            do throws(CastError) {
                // What an announcement interrupts is what plays.
                let held = self.announcements.held[key.device]?.snapshot
                var snapshot: PlaybackSnapshot
                if let held { snapshot = held } else { snapshot = try await runner.player.snapshot() }
                if let loss = snapshot.loss {
                    return CommandResult(.notSupported, message: "What plays can't be asked for again: \(loss.rawValue).")
                }
                guard snapshot.content != .nothing else { return CommandResult(.noSession, message: "Nothing is loaded.") }
                let volume = await runner.session.receiverStatus?.volume
                // Another device is not as loud as one with a fixed volume.
                snapshot.volume = volume?.isChangeable == true ? held?.volume ?? volume : nil
                kept = snapshot.referring(to: self.context.program.media).json
            } catch { return CommandResult(error) }
            guard let kept, JSONWriter.string(of: kept).utf8.count <= PlayMemory.maximumBytes else {
                return CommandResult(.tooLarge, message: "What plays has more than \(PlayMemory.maximumBytes >> 10) KiB.")
            }
        }
        return CommandResult.done(["name": .string(name)]).notKept(await self.memory.save(kept, as: name))
    }

    nonisolated(nonsending) func recall(_ name: String, on key: DeviceAgent.Key, _ runner: CommandRunner) async -> CommandResult {
        guard let saved = self.memory.saved[name].map({ PlaybackSnapshot(json: $0) }) else { return Self.unknown(name) }
        var result = await saved.restore(over: runner.session, self.context) {
            // A fixed volume keeps nothing from playing.
            if let level = saved.volume?.level { _ = await self.act(.set([.volume(.absolute(level))]), on: key) }
        }
        if !result.isError { result.data = await runner.loaded() }
        return result
    }

    private static func unknown(_ name: String) -> CommandResult {
        CommandResult(.badPayload, message: "Nothing is saved as \"\(name.shortened(to: 80))\".")
    }
}
