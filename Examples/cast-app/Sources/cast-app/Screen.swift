import CastSender
import Foundation

/// Prints what a player's screen shows: the device, the connection, the volume, and the media with its buttons.
enum Screen {
    /// Shows until the session ends.
    static func show(_ session: CastSession) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { for await device in await session.devices { Self.print("device: \(device?.friendlyName ?? "?")") } }
            group.addTask { for await state in await session.connectionStates { Self.print("connection: \(state)") } }
            group.addTask { for await state in await session.deviceVolumeController.states { Self.print(Self.line(state)) } }
            group.addTask {
                let client = session.remoteMediaClient
                var shown = ""
                for await state in await session.mediaController.states {
                    let line = Self.line(state, at: client.now)
                    if line != shown { Self.print(line) }
                    shown = line
                }
            }
        }
    }

    /// At once, also into a pipe.
    static func print(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }

    private static func line(_ state: DeviceVolumeController.State) -> String {
        "volume: \(state.level)\(state.isMuted ? " muted" : "")\(state.isEnabled ? "" : " (disabled)")"
    }

    private static func line(_ state: MediaController.State, at now: MonotonicTime) -> String {
        guard state.status != nil else { return "player: nothing" }
        var words = ["player: [\(state.mainButton)]", state.title ?? "untitled", state.subtitle ?? ""]
        if let position = state.position(at: now) { words.append(PlaybackTime.text(position)) }
        if let duration = state.duration { words.append("of \(PlaybackTime.text(duration))") }
        if state.isLive { words.append("live") }
        if state.isBuffering { words.append("loading") }
        if state.canSkipToPrevious { words.append("[previous]") }
        if state.canSkipToNext { words.append("[next]") }
        if !state.isEnabled { words.append("(disabled)") }
        return words.filter { !$0.isEmpty }.joined(separator: " ")
    }
}
