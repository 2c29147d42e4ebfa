import BridgeCore
import CastSender

/// Moving what plays from one device to another.
extension Bridge {
    /// Why `command` can't be begun, as far as that follows from what the bridge knows.
    func refusal(of command: DeviceCommand, for agent: DeviceAgent) -> CommandResult? {
        guard case .transfer(let name) = command else { return nil }
        guard let target = self.agent(named: name) else {
            return CommandResult(.unknownDevice, message: "to: no device has this slug or id.")
        }
        guard target.state.device.id != agent.state.device.id, target.state.device.id != agent.state.groupPlayback?.id else {
            return CommandResult(.badPayload, message: "to: it is the device that plays already.")
        }
        return nil
    }

    func transfer(over source: CastSession, to name: String) async -> CommandResult {
        guard let target = self.agent(named: name), let session = self.session(of: target), target.state.isAvailable
        else { return CommandResult(.deviceOffline, message: "to: the device to move to is not connected.") }
        do throws(CastError) {
            let transfer = try await source.transfer(to: session)
            return .done(Self.data(of: transfer, to: target.state.slug))
        } catch {
            return CommandResult(error)
        }
    }

    private static func data(of transfer: StreamTransfer, to slug: String) -> JSONObject {
        var data: JSONObject = [
            "to": .string(slug), "method": transfer.method == .storedSession ? "stored_session" : "loaded_anew",
            "source_stopped": .bool(transfer.sourceError == nil),
        ]
        if let queue = transfer.queue {
            data["queue"] = [
                "taken": .integer(Int64(queue.takenItemCount)), "length": queue.itemCount.map { .integer(Int64($0)) } ?? .null,
            ]
        }
        return data
    }
}
