import BridgeCore
import CastSender
import MediaServer

extension Bridge: BridgeAccess {
    /// Why settings of the pair are not chosen here; `nil` unless another bridge leads.
    package var standbyRefusal: String? { self.parts.pair?.refusal }

    package func watch() -> any BridgeWatch { self.parts.reader.watch() }

    package func perform(_ topic: String, payload: [UInt8], by caller: String) async -> DirectAnswer {
        let commands = self.parts.commands.direct
        let (ticket, cancel) = (commands.nextTicket(for: caller), commands.cancel)
        return await withTaskCancellationHandler {
            // `self` is captured on purpose: a closure without it does not run on the loop.
            await self.parts.commands.direct.perform(topic, payload: payload, as: ticket)
        } onCancel: {
            // In a later turn of the loop, after the command has begun to wait.
            cancel(ticket)
        }
    }

    package func artwork(of device: String, item: Int?, width: Int?) async -> Result<ArtworkPicture, ArtworkFailure> {
        guard let agent = self.parts.fleet.device(named: device) else { return .failure(.unknownDevice) }
        return await self.picture(at: agent.state.picture(ofItem: item, width: width))
    }

    package func picture(of choice: MediaChoice) async -> Result<ArtworkPicture, ArtworkFailure> {
        switch choice {
        case .preset(let name): return await self.picture(at: self.parts.context.settings.presets.all.first { $0.name == name }?.image)
        case .recent(let at):
            let entry = self.parts.commands.memory.recents.entries.first { $0.at.text == at }
            return await self.picture(at: entry?.playable.image)
        case .file(let name):
            guard let folders = self.parts.context.program.media?.folders, let path = MediaPath(name),
                let bytes = await Blocking.run({ MediaLibrary(folders).cover(of: path) }) ?? nil,
                let format = ImageFormat(bytes), format != .bmp
            else { return .failure(.noArtwork) }
            return .success(ArtworkPicture(contentType: format.contentType, bytes: bytes))
        }
    }

    private func picture(at url: String?) async -> Result<ArtworkPicture, ArtworkFailure> {
        guard let url, let images = self.parts.context.program.images else { return .failure(.noArtwork) }
        do throws(CastError) {
            let image = try await images.image(at: url)
            // A format that browsers need not support.
            guard image.format != .bmp else { return .failure(.notFetched) }
            return .success(ArtworkPicture(contentType: image.format.contentType, bytes: image.bytes))
        } catch {
            return .failure(error.code == .sendBufferFull ? .rateLimited : .notFetched)
        }
    }

    package func linkHistory(of device: String) async -> LinkHistory? { self.parts.fleet.device(named: device)?.link.history }

    package func history(of device: String?, since: Timestamp, failed: Bool, limit: Int) async -> [JSONObject] {
        let id = device.map { self.parts.fleet.device(named: $0)?.id ?? $0 }
        return await self.parts.reporting.history.read(of: id, since: since, failed: failed, limit: limit)
    }

    package nonisolated func logLines(from level: LogLevel, of component: GlobPattern?) -> [LogEntry] {
        self.logHistory?.entries(from: level, of: component).map { $0.redacted(by: self.redaction) } ?? []
    }
}

extension Bridge: BridgeMonitoring {
    package func measurements() -> BridgeMeasurements {
        let (parts, usage) = (self.parts, ProcessUsage.read())
        let commands = parts.commands.counts
        var measurements = BridgeMeasurements(
            health: parts.reporting.documents.counted(with: usage), isOnline: parts.publisher.isOnline, tally: parts.context.tally,
            commandsWaiting: commands.all - commands.running, commandsRunning: commands.running, cpuSeconds: usage.cpuSeconds)
        measurements.isWaiting = parts.pair?.isWaiting ?? false
        return measurements
    }
}

extension DeviceState {
    /// Returns the web address of the picture to show for what plays, or for an item of its queue. An ad shows its own.
    /// - Parameters:
    ///   - item: `nil` for the current item. Without a picture of it, the icon of the application is used.
    ///   - width: the width of a square place in pixels; `nil` uses the first picture.
    fileprivate func picture(ofItem item: Int?, width: Int?) -> String? {
        var media = self.presentedMedia?.shownMedia
        if let item {
            let items = (self.presentedQueue?.items ?? []) + (self.presentedMedia?.items ?? [])
            media = items.first { $0.itemID == item && $0.media != nil }?.media
        }
        let metadata = media?.metadata
        let picker: any ImagePicker = width == nil ? FirstImagePicker() : BestFitImagePicker()
        let image = metadata.flatMap { picker.image(for: ImageHints(.custom, width: width, height: width), of: $0)?.url }
        let icon = item == nil ? self.receiver?.application?.iconURL : nil
        let poster = item == nil && self.presentedAd != nil ? self.presentedMedia?.currentAdBreakClip?.posterURL : nil
        return [poster, image, icon].compactMap { $0 }.first { $0.isWebAddress }
    }
}
