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

    /// Starts the timer of a device in place of a running one; `nil` only ends that.
    nonisolated(nonsending) func set(_ time: Duration?, of key: DeviceAgent.Key) async -> CommandResult {
        await self.cancel(key)
        guard let time else { return .done(["sleep_at": .null]) }
        let end = self.context.now.wall.adding(seconds: time / .seconds(1))
        self.begin(Sleep(end: end), after: time, of: key)
        return .done(["sleep_at": .string(end.text)])
    }

    /// A device is connected: a timer that did not come to its end goes on.
    func connected(_ device: DeviceAgent) {
        guard let sleep = self.memory.sleeps[device.id], self.timers[device.id] == nil else { return }
        let seconds = min(max(0, self.context.now.wall.seconds(until: sleep.end)), Sleep.longest * 60)
        self.begin(sleep, after: .seconds(seconds), of: device.key)
    }

    func dismiss(_ device: Device.ID) { self.timers.removeValue(forKey: device)?.cancel() }

    /// The bridge ends; the next start goes on with what the file says.
    func end() {
        for timer in self.timers.values { timer.cancel() }
        self.timers = [:]
    }

    private func begin(_ sleep: Sleep, after time: Duration, of key: DeviceAgent.Key) {
        self.show(sleep, of: key)
        self.timers[key.device] = self.context.loop.start(self) { timers in
            let isDone = await timers.wait(time, sleep, of: key)
            guard !Task.isCancelled else { return }
            timers.timers[key.device] = nil
            // A device that was away is put right when it is connected again.
            if isDone { timers.show(nil, of: key) }
        }
    }

    private func show(_ sleep: Sleep?, of key: DeviceAgent.Key) {
        self.memory.change(sleep, of: key.device)
        self.context.loop.turn { self.execution?.reduce(.sleepChanged(sleep?.end), of: key) }
    }

    private nonisolated(nonsending) func cancel(_ key: DeviceAgent.Key) async {
        guard let timer = self.timers.removeValue(forKey: key.device) else { return }
        timer.cancel()
        _ = await self.giveBack(key)
        self.show(nil, of: key)
    }

    /// - Returns: whether it came to its end, and all is as it was.
    private nonisolated(nonsending) func wait(_ time: Duration, _ sleep: Sleep, of key: DeviceAgent.Key) async -> Bool {
        let fade = Sleep.fade(of: time)
        guard (try? await Task.sleep(for: time - fade)) != nil else { return false }
        var sleep = sleep
        sleep.begin(at: self.volume(of: key), isPlaying: self.execution?.device(key)?.state.player.isActive == true)
        for step in 1...Sleep.steps where fade > .zero {
            if !self.isAnnouncing(key) {
                let level = sleep.next(after: step, at: self.volume(of: key))
                // Known before the device has it.
                self.memory.change(sleep, of: key.device)
                if let level { _ = await self.execution?.act(.set([.volume(.absolute(level))]), on: key) }
            }
            guard (try? await Task.sleep(for: fade / Sleep.steps)) != nil else { return false }
        }
        while self.isAnnouncing(key) { guard (try? await Task.sleep(for: .milliseconds(500))) != nil else { return false } }
        if !sleep.isOver(at: self.context.now.wall) {
            let result = await self.execution?.act(.stop, on: key)
            // A device that is connected had nothing to stop.
            guard result?.isError == false || self.execution?.device(key)?.session != nil else { return false }
            // What a person starts from now on is not stopped.
            sleep.end = Timestamp(milliseconds: 0)
            self.memory.change(sleep, of: key.device)
        }
        return await self.giveBack(key)
    }

    /// Audible only when something plays again.
    /// - Returns: whether the volume needs no more care.
    private nonisolated(nonsending) func giveBack(_ key: DeviceAgent.Key) async -> Bool {
        guard let level = self.memory.sleeps[key.device]?.former(at: self.volume(of: key)) else { return true }
        return await self.execution?.act(.set([.volume(.absolute(level))]), on: key).isError == false
    }

    /// An announcement has a volume of its own, and gives back what it found, which may then end.
    private func isAnnouncing(_ key: DeviceAgent.Key) -> Bool { self.execution?.announcements.held[key.device] != nil }

    private func volume(of key: DeviceAgent.Key) -> DeviceVolume? {
        self.execution?.announcements.held[key.device]?.snapshot.volume ?? self.execution?.device(key)?.state.receiver?.volume
    }
}
