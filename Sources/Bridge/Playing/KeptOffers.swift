import BridgeCore
import MediaServer

/// What devices were offered of files, over restarts: they fetch on what they play, and its addresses stay true.
final class KeptOffers {
    private let file: StateDocument

    /// Offers what an earlier run did, and writes each change from now on.
    init(_ context: BridgeContext) {
        self.file = StateDocument(context, "offers.json")
        guard let server = context.program.media else { return }
        let changed = context.loop.entrance { [weak self] (server: MediaServer) in self?.file.write { server.kept } }
        server.keep(self.file.read()) { [weak server] in server.map(changed) }
    }
}
