import CastModels

/// Position ticks: the computed position on `status/position` and `status/position_percent` during playback. They are not retained, so the
/// broker keeps the anchor and writes nothing to its store as time passes.
extension TopicMapper {
    /// Returns when the next tick of this device is due; `nil` while it has none. Relative to the anchor, so that devices do not tick
    /// together.
    package func nextTick(
        player: DevicePlayerState, anchor: PositionAnchor?, after time: MonotonicTime
    ) -> MonotonicTime? {
        let interval = self.options.status.positionInterval.wholeNanoseconds
        guard let anchor = self.ticking(anchor, player), interval > 0 else { return nil }
        let elapsed = max(0, time.nanoseconds &- anchor.at.nanoseconds)
        let (ticks, overflow) = (elapsed / interval + 1).multipliedReportingOverflow(by: interval)
        return overflow ? nil : MonotonicTime(nanoseconds: anchor.at.nanoseconds &+ ticks)
    }

    /// Returns the messages of the tick at `time`; empty when none is due.
    package func ticks(for state: DeviceState, at time: MonotonicTime) -> [OutgoingMessage] {
        guard self.publishes(state), let anchor = self.ticking(state.presentedAnchor, state.player) else { return [] }
        var messages = [self.tick("position", of: state.slug, anchor.position(at: time))]
        if let percent = Self.roundedPercent(anchor.percent(at: time)) {
            messages.append(self.tick("position_percent", of: state.slug, percent))
        }
        return messages
    }

    private func ticking(_ anchor: PositionAnchor?, _ player: DevicePlayerState) -> PositionAnchor? {
        guard self.options.status.split != .none, self.options.status.positionInterval > .zero, player == .playing, let anchor,
            anchor.isAdvancing
        else { return nil }
        return anchor
    }

    private func tick(_ name: String, of slug: String, _ value: Double) -> OutgoingMessage {
        let seconds = min(max(1, (2 * self.options.status.positionInterval.inSeconds).rounded(.up)), 86_400)
        var payload = JSONWriter(capacity: 16)
        payload.milli(value)
        return OutgoingMessage(
            topic: self.tree.status(slug, name), payload: payload.bytes, qos: 0, retain: false, content: .text,
            expirySeconds: UInt32(seconds))
    }
}
