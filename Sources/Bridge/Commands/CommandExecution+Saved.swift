import BridgeCore
import CastSender

/// Saves what plays, and plays it again.
extension CommandExecution {
    nonisolated(nonsending) func save(_ name: String, forgets: Bool, _ runner: CommandRunner) async -> CommandResult {
        if forgets {
            guard self.memory.saved[name] != nil else { return Self.unknown(name) }
            return CommandResult.done(["name": .string(name)]).notKept(await self.memory.save(nil, as: name))
        }
        guard self.memory.saved[name] != nil || self.memory.saved.count < PlayMemory.maximumSaved else {
            return CommandResult(
                .badPayload, message: "\(PlayMemory.maximumSaved) names are in use.", hint: "Forget one with {\"name\":…,\"forget\":true}.")
        }
        do throws(CastError) {
            var snapshot = try await runner.player.snapshot()
            if let loss = snapshot.loss {
                return CommandResult(.notSupported, message: "What plays can't be asked for again: \(loss.rawValue).")
            }
            guard snapshot.content != .nothing else { return CommandResult(.noSession, message: "Nothing is loaded.") }
            snapshot.volume = await runner.session.receiverStatus?.volume
            let kept = await snapshot.referring(to: self.context.program.media)
            return CommandResult.done(["name": .string(name)]).notKept(await self.memory.save(kept, as: name))
        } catch {
            return CommandResult(error)
        }
    }

    nonisolated(nonsending) func recall(_ name: String, on key: DeviceAgent.Key, _ runner: CommandRunner) async -> CommandResult {
        guard let saved = self.memory.saved[name] else { return Self.unknown(name) }
        // A fixed volume keeps nothing from playing.
        if let level = saved.volume?.level { _ = await self.act(.set([.volume(.absolute(level))]), on: key) }
        do throws(CommandRejection) {
            let resolution = MediaResolution(self.context, local: await runner.session.localAddress)
            let snapshot = try await saved.resolved(with: resolution)
            do throws(CastError) { try await runner.session.restore(snapshot) } catch { return CommandResult(error) }
            return .done(await runner.loaded())
        } catch {
            return CommandResult(error)
        }
    }

    private static func unknown(_ name: String) -> CommandResult {
        CommandResult(.badPayload, message: "Nothing is saved as \"\(name.shortened(to: 80))\".")
    }
}
