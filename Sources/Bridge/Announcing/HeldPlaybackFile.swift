import BridgeCore
import CastSender
import LogKeys
import Logging
import NetworkReach

/// The file of what is to be given back. It is written before the first request of an announcement and removed when all is given back, so it
/// is there only after a kill.
struct HeldPlaybackFile: Sendable {
    static let name = "announcing.json"

    let directory: StateDirectory?
    let logger: Logger

    /// Returns what an earlier run left.
    func read() -> [HeldPlayback] {
        guard let directory, let contents = try? directory.read(Self.name) else { return [] }
        return ((try? JSONParser.parse(contents.bytes))?.arrayValue ?? []).compactMap { HeldPlayback(json: $0) }
    }

    /// Replaces the file and returns when it is on disk; a disk that does not respond is waited for a second.
    func write(_ held: [HeldPlayback]) async {
        guard let directory else { return }
        let (ends, end) = AsyncStream<Void>.makeStream()
        let write = { @Sendable in
            if held.isEmpty {
                directory.remove(Self.name)
            } else {
                do throws(StateDirectory.Problem) { try directory.write(Self.name, JSONWriter.bytes(of: .array(held.map(\.json)))) } catch {
                    self.logger.warning(
                        "what an announcement interrupts can't be kept on disk: after a kill it would not be given back",
                        metadata: [.reason: "\(error.cause)", .remedy: "\(error.remedy)"])
                }
            }
            end.finish()
        }
        if !DetachedThread.start("announcing", write) { write() }
        await withTaskGroup { group in
            group.addTask { for await _ in ends {} }
            group.addTask { try? await Task.sleep(for: .seconds(1)) }
            await group.next()
            group.cancelAll()
        }
    }
}
