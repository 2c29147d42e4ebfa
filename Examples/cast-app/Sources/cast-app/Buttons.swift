import CastSender

/// What a person does: one line each.
struct Buttons {
    /// A namespace of the application's own.
    static let namespace = "urn:x-cast:org.example.echo"

    let session: CastSession
    /// `nil` when the session ended before it was opened.
    let channel: CastChannel?

    /// Presses a button, and prints how it went.
    ///
    /// - Returns: `false` for `quit`.
    func press(_ line: String) async -> Bool {
        let words = line.split(separator: " ").map(String.init)
        guard let button = words.first, button != "quit" else { return words.isEmpty }
        do throws(CastError) {
            try await self.act(button, Array(words.dropFirst()))
            Screen.print("\(button): done")
        } catch {
            Screen.print("\(button): \(error.code)")
        }
        return true
    }

    private func act(_ button: String, _ arguments: [String]) async throws(CastError) {
        let (player, volume) = (self.session.mediaController, self.session.deviceVolumeController)
        let number = arguments.first.flatMap(Double.init)
        switch (button, number) {
        case ("play", _): try await self.load(arguments)
        case ("main", _): try await player.pressMainButton()
        case ("next", _): try await player.skipToNext()
        case ("previous", _): try await player.skipToPrevious()
        case ("back", _): try await player.seek(by: -MediaController.seekInterval)
        case ("seek", let seconds?): try await player.seek(to: seconds)
        case ("volume", let level?): try await volume.setLevel(level)
        case ("louder", _): try await volume.changeLevel(bySteps: 1)
        case ("say", _): try await self.channel?.send(arguments.joined(separator: " "))
        default: throw CastError(.invalidRequest, detail: "no such button")
        }
    }

    /// Plays addresses as a queue.
    private func load(_ addresses: [String]) async throws(CastError) {
        let items = addresses.enumerated().map { number, address in
            MediaQueueItem(
                media: MediaInformation(
                    contentID: address, contentType: "audio/mpeg", metadata: .generic(title: "Song \(number + 1)", subtitle: "An album")))
        }
        try await self.session.remoteMediaClient.load(MediaLoadRequest(queueData: MediaQueueData(items: items)))
    }
}
