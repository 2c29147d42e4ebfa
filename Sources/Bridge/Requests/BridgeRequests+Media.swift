import BridgeCore
import CastSender
import MediaServer

extension BridgeRequests {
    /// Answers with a page of what there is in the folders of `media.folders`.
    func browseMedia(_ path: MediaPath?, from offset: Int, _ envelope: CommandEnvelope) {
        self.list(envelope) { $0.page(of: path, from: offset) }
    }

    func searchMedia(_ query: String, from offset: Int, _ envelope: CommandEnvelope) {
        self.list(envelope) { $0.search(query, from: offset) }
    }

    private func list(_ envelope: CommandEnvelope, _ read: @escaping @Sendable (MediaListing) -> JSONObject?) {
        guard let server = self.context.program.media else {
            return self.answer(
                envelope,
                CommandResult(
                    .notSupported, message: "The media server is off.", hint: "Set media.listen and media.folders in the configuration."))
        }
        guard self.takeListing() else {
            return self.answer(envelope, CommandResult(.rateLimited, message: "Pages of media are limited to \(self.listings)."))
        }
        _ = self.context.loop.start(self) { requests in
            let page = await Blocking.run { read(MediaListing(server.folders)) } ?? nil
            let result = page.map { CommandResult.done($0) } ?? CommandResult(.badPayload, message: "path: there is no such folder.")
            requests.context.loop.turn { requests.answer(envelope, result) }
        }
    }
}
