import BridgeCore
import CastSender
import NIOCore

/// `bridge/log`: what the program logs, for those who watch over MQTT. Nothing on this way logs anything.
extension Bridge {
    func attachLog() {
        self.logTap?.attach { [weak self] in self?.later { $0.publishLog() } }
    }

    private func publishLog() {
        for (line, time) in self.logTap?.take() ?? [] {
            self.publish(self.logRelay.receive(line, at: Now(monotonic: self.now.monotonic, wall: time)))
        }
        self.armLog()
    }

    private func armLog() {
        guard let deadline = self.logRelay.deadline else { return self.logTimer.cancel() }
        self.logTimer.set(deadline, on: self.eventLoop) { [weak self] in
            self?.assumeIsolated { bridge in
                bridge.logTimer.cancel()
                bridge.publish(bridge.logRelay.wake(now: bridge.now.monotonic))
                bridge.armLog()
            }
        }
    }

    /// Without a link a line is gone: who watches later does not want yesterday's, and the log itself has it.
    private func publish(_ outputs: [LogRelay.Output]) {
        guard self.session != nil else { return }
        for output in outputs { self.enqueue(event: self.mapper.bridgeLog(output)) }
    }
}
