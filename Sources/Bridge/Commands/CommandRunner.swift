import BridgeCore
import CastSender

/// Executes one command on live sessions and returns its result.
///
/// Runs on its caller's executor, the event loop: a hop to the pool and back costs more than the rest of a command.
struct CommandRunner {
    /// The session of the device itself.
    let session: CastSession
    /// The session that plays on the device: its own, or that of a group that it belongs to.
    var player: CastSession
    /// Data for the application, for requests about the current media.
    var customData: JSONValue?
    /// The loudest that the device may become, 0 to 1.
    var maximumVolume = 1.0

    /// Executes `command`. Never throws, because every outcome is an answer.
    /// - Parameter isUnderWay: whether a part of it is done already.
    nonisolated(nonsending) func run(_ command: DeviceCommand, isUnderWay: Bool = false) async -> CommandResult {
        do throws(CastError) {
            return .done(try await self.perform(command))
        } catch {
            return CommandResult(isUnderWay ? Self.underWay(error) : error)
        }
    }

    private nonisolated(nonsending) func perform(_ command: DeviceCommand) async throws(CastError) -> JSONObject {
        let client = self.player.remoteMediaClient
        switch command {
        case .set(let changes): try await self.set(changes)
        case .play: try await client.play(customData: self.customData)
        case .pause: try await client.pause(customData: self.customData)
        case .playPause:
            var status = await self.player.mediaStatus
            if status == nil { status = try await client.requestStatus() }
            switch status?.mainButton() {
            case .pause: try await client.pause(customData: self.customData)
            case .stop: try await client.stop(customData: self.customData)
            case .play, MediaMainButton.none?, nil: try await client.play(customData: self.customData)
            }
        case .stop: try await client.stop(customData: self.customData)
        case .next: try await client.queueNext(customData: self.customData)
        case .previous: try await client.queuePrevious(customData: self.customData)
        case .quitApp: try await self.session.stopApplication()
        case .join: return Self.names(of: try await self.session.join())
        case .leave: return Self.names(of: try await self.session.leave())
        case .skipAd: try await client.skipAd(customData: self.customData)
        case .restartItem: try await client.seek(to: .position(0), customData: self.customData)
        case .launch(let applicationID, let options): return Self.names(of: try await self.session.launch(applicationID, options: options))
        case .wake: return Self.names(of: try await self.wake())
        case .show(let page, _): return Self.names(of: try await self.session.show(page))
        case .load(let load):
            try await self.session.start(load.applicationID, options: load.launchOptions)
            do throws(CastError) {
                try await self.session.remoteMediaClient.load(load.request, in: load.applicationID)
            } catch { throw Self.underWay(error) }
            return await self.loaded()
        case .queue(let command): return try await self.perform(command)
        case .raw(let message): return try await self.send(message)
        case .getQueue(let page): return try await self.queue(page)
        case .get(let document): try await self.read(document)
        // `CommandExecution` executes these, because they involve several devices or none.
        case .groupVolume, .transfer, .announce, .preset, .recent, .save, .recall, .sleep:
            throw CastError(.unsupportedFeature, detail: "more than one device is concerned")
        case .check: throw CastError(.unsupportedFeature, detail: "nothing is asked of the device")
        }
        return [:]
    }

    /// Launches the default receiver, which turns the television on. What runs and is seen is left alone.
    private nonisolated(nonsending) func wake() async throws(CastError) -> ReceiverApplication? {
        let receiver = try await self.session.requestReceiverStatus()
        if let application = receiver?.application, !application.isIdleScreen, receiver?.isStandBy != true { return application }
        return try await self.session.launch(ReceiverApplication.defaultMediaReceiver, options: LaunchOptions())
    }

    private static func names(of application: ReceiverApplication?) -> JSONObject {
        [
            "app": application.map { .string($0.applicationID) } ?? .null,
            "session": application?.sessionID.map { .string($0) } ?? .null,
        ]
    }

    nonisolated(nonsending) func loaded() async -> JSONObject {
        ["media_session": await self.session.mediaStatus.map { .integer(Int64($0.mediaSessionID)) } ?? .null]
    }

    private nonisolated(nonsending) func send(_ message: RawMessage) async throws(CastError) -> JSONObject {
        switch message {
        case .media(let object): return ["response": .object(try await self.session.sendMediaMessage(object))]
        case .receiver(let object): return ["response": .object(try await self.session.sendReceiverMessage(object))]
        case .channel(let namespace, let target, let payload):
            let channel = try await self.session.openChannel(namespace, to: target == .device ? .device : .application)
            do throws(CastError) {
                switch payload {
                case .text(let text): try await channel.send(text)
                case .binary(let bytes): try await channel.send(bytes)
                }
            } catch {
                await channel.close()
                throw error
            }
            await channel.close()
            return [:]
        }
    }

    /// Returns the error of a later step: `device_offline` would claim that nothing was done.
    static func underWay(_ error: CastError) -> CastError {
        guard CommandResult(error).code == .deviceOffline else { return error }
        return CastError(.networkError, detail: "the link broke after a part of the command was done")
    }

    /// Requests the complete state of the device; an application without a player has none.
    private nonisolated(nonsending) func read(_ document: DeviceDocuments.Name) async throws(CastError) {
        try await self.session.requestReceiverStatus()
        let client = self.session.remoteMediaClient
        do throws(CastError) {
            let status = try await client.requestStatus()
            if document == .queue, status?.items.isEmpty == false { try await client.queue.requestItemIDs() }
        } catch let error where error.code == .applicationNotRunning || error.code == .noMediaSession {
            return
        }
    }
}
