import BridgeCore
import CastSender
import EventLoopTiming

/// The web pages that stay on screens: carries out the decisions of `KeptPage`.
final class KeptPages {
    private let context: BridgeContext
    private let memory: PlayMemory
    /// `nil` after the bridge has ended; a command may still be running then.
    private weak var execution: CommandExecution?
    private var screens: [Device.ID: Screen] = [:]

    private struct Screen {
        var page = KeptPage()
        var isAsking = false
        /// The session of the application in which an announcement was heard over the page.
        var covering: String?
        let deadline: Deadline
    }

    init(_ context: BridgeContext, memory: PlayMemory, execution: CommandExecution) {
        (self.context, self.memory, self.execution) = (context, memory, execution)
    }

    /// A page stays from now on; `nil` ends that.
    func keep(_ page: WebPage?, on device: Device.ID) {
        self.memory.keep(page, on: device)
        if page == nil { self.screens.removeValue(forKey: device)?.deadline.cancel() }
    }

    /// The bridge ends; the next start goes on with what the file says.
    func end() {
        for screen in self.screens.values { screen.deadline.cancel() }
        (self.screens, self.execution) = ([:], nil)
    }

    func stateChanged(_ device: DeviceAgent) {
        guard self.memory.pages[device.id] != nil else { return }
        switch KeptPage.step(device.state) {
        case .stays: self.screens[device.id]?.deadline.cancel()
        case .isEnded:
            let session = device.state.receiver?.application?.sessionID
            if self.isAnnouncing(device.id) {
                self.screens[device.id, default: self.screen(of: device.key)].covering = session
            } else if session == nil || session != self.screens[device.id]?.covering {
                self.keep(nil, on: device.id)
            }
        case .isDue:
            let known = self.screens[device.id]
            guard known?.deadline.time == nil, known?.isAsking != true else { return }
            let wait = self.screens[device.id, default: self.screen(of: device.key)].page.wait(now: self.context.time)
            self.screens[device.id]?.deadline.set(self.context.time + wait)
        }
    }

    private func screen(of key: DeviceAgent.Key) -> Screen {
        Screen(deadline: self.context.loop.deadline { [weak self] in self?.showAgain(key) })
    }

    /// An announcement plays in between, in an application of its own.
    private func isAnnouncing(_ device: Device.ID) -> Bool { self.execution?.announcements.held[device] != nil }

    private func showAgain(_ key: DeviceAgent.Key) {
        guard let page = self.memory.pages[key.device], let device = self.execution?.device(key), let session = device.session else {
            return
        }
        guard KeptPage.step(device.state) == .isDue, !self.isAnnouncing(key.device) else { return self.stateChanged(device) }
        self.screens[key.device]?.isAsking = true
        _ = self.context.loop.start(self) { pages in
            _ = try? await session.show(page)
            pages.context.loop.turn { pages.tried(key) }
        }
    }

    private func tried(_ key: DeviceAgent.Key) {
        // Meanwhile the bridge may have ended, or a person may have ended the page.
        guard self.execution != nil, self.screens[key.device] != nil else { return }
        self.screens[key.device]?.isAsking = false
        self.screens[key.device]?.page.tried(now: self.context.time)
        // Where that failed, nothing changes on the screen.
        if let device = self.execution?.device(key) { self.stateChanged(device) }
    }
}
