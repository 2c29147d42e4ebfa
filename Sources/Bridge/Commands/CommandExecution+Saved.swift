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
            let volume = await runner.session.receiverStatus?.volume
            // Another device is not as loud as one with a fixed volume.
            snapshot.volume = volume?.isChangeable == true ? volume : nil
            let kept = await snapshot.referring(to: self.context.program.media)
            guard JSONWriter.string(of: kept.json).utf8.count <= PlayMemory.maximumBytes else {
                return CommandResult(.tooLarge, message: "What plays has more than \(PlayMemory.maximumBytes >> 10) KiB.")
            }
            return CommandResult.done(["name": .string(name)]).notKept(await self.memory.save(kept, as: name))
        } catch {
            return CommandResult(error)
        }
    }

    nonisolated(nonsending) func recall(_ name: String, on key: DeviceAgent.Key, _ runner: CommandRunner) async -> CommandResult {
        guard let saved = self.memory.saved[name] else { return Self.unknown(name) }
        do throws(CommandRejection) {
            let resolution = MediaResolution(self.context, local: await runner.session.localAddress)
            let snapshot = try await saved.resolved(with: resolution)
            // A fixed volume keeps nothing from playing.
            if let level = saved.volume?.level { _ = await self.act(.set([.volume(.absolute(level))]), on: key) }
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
