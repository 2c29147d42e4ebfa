import BridgeCore
import CastSender

/// The sleep timers of devices: each waits, makes its device quieter, stops it, and gives it its volume back.
final class SleepTimers {
    private let context: BridgeContext
    private let memory: PlayMemory
    /// `nil` after the bridge has ended; a timer may still be running then.
    private weak var execution: CommandExecution?
    private var timers: [Device.ID: Task<Void, Never>] = [:]

    init(_ context: BridgeContext, memory: PlayMemory, execution: CommandExecution) {
        (self.context, self.memory, self.execution) = (context, memory, execution)
    }

    /// Begins the timer of a device anew, or ends it.
    nonisolated(nonsending) func set(_ time: Duration?, of key: DeviceAgent.Key) async -> CommandResult {
        await self.cancel(key)
        guard let time else { return .done(["sleep_at": .null]) }
        let end = self.context.now.wall.adding(seconds: time / .seconds(1))
        self.begin(Sleep(end: end), after: time, of: key)
        return .done(["sleep_at": .string(end.text)])
    }

    /// A device is connected: a timer of an earlier run goes on.
    func connected(_ device: DeviceAgent) {
        guard let sleep = self.memory.sleeps[device.id], self.timers[device.id] == nil else { return }
        let now = self.context.now.wall
        guard !sleep.isOver(at: now) else { return self.memory.change(nil, of: device.id) }
        self.begin(sleep, after: .seconds(max(0, now.seconds(until: sleep.end))), of: device.key)
    }

    func dismiss(_ device: Device.ID) {
        self.timers.removeValue(forKey: device)?.cancel()
        self.memory.change(nil, of: device)
    }

    /// The bridge ends; the next start goes on with what the file says.
    func end() {
        for timer in self.timers.values { timer.cancel() }
        self.timers = [:]
    }

    private func begin(_ sleep: Sleep, after time: Duration, of key: DeviceAgent.Key) {
        self.show(sleep, of: key)
        self.timers[key.device] = self.context.loop.start(self) { timers in
            guard await timers.wait(time, sleep, of: key) else { return }
            timers.timers[key.device] = nil
            timers.show(nil, of: key)
        }
    }

    private func show(_ sleep: Sleep?, of key: DeviceAgent.Key) {
        self.memory.change(sleep, of: key.device)
        self.context.loop.turn { self.execution?.reduce(.sleepChanged(sleep?.end), of: key) }
    }

    private nonisolated(nonsending) func cancel(_ key: DeviceAgent.Key) async {
        guard let timer = self.timers.removeValue(forKey: key.device) else { return }
        timer.cancel()
        if let level = self.memory.sleeps[key.device]?.level { _ = await self.set(level, of: key) }
        self.show(nil, of: key)
    }

    /// - Returns: whether it came to its end.
    private nonisolated(nonsending) func wait(_ time: Duration, _ sleep: Sleep, of key: DeviceAgent.Key) async -> Bool {
        let fade = Sleep.fade(of: time)
        guard (try? await Task.sleep(for: time - fade)) != nil else { return false }
        var sleep = sleep
        let present = self.volume(of: key)?.level
        // After a restart it may be on its way. Louder than at its beginning it is by a person.
        if sleep.level.map({ (present ?? 0) > $0 }) ?? (self.execution?.device(key)?.state.player.isActive == true) {
            sleep.level = present
        }
        var last = present
        for step in 1...Sleep.steps where fade > .zero {
            self.memory.change(sleep, of: key.device)
            if let level = sleep.level, last.map({ Sleep.isSame($0, self.volume(of: key)) }) ?? false {
                let next = Sleep.level(from: level, after: step)
                if await self.set(next, of: key) { last = self.volume(of: key)?.level ?? next }
            } else {
                // A person has changed it, and decides on it from now on.
                sleep.level = nil
            }
            guard (try? await Task.sleep(for: fade / Sleep.steps)) != nil else { return false }
        }
        _ = await self.execution?.act(.stop, on: key)
        // Audible only when something plays again.
        if let level = sleep.level, last.map({ Sleep.isSame($0, self.volume(of: key)) }) ?? false {
            _ = await self.set(level, of: key)
        }
        return !Task.isCancelled
    }

    private func volume(of key: DeviceAgent.Key) -> DeviceVolume? { self.execution?.device(key)?.state.receiver?.volume }

    /// - Returns: whether it was done.
    private nonisolated(nonsending) func set(_ level: Double, of key: DeviceAgent.Key) async -> Bool {
        await self.execution?.act(.set([.volume(.absolute(level))]), on: key).isError == false
    }
}
