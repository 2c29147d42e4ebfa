import EventLoopTiming
import NIOCore

/// The permit of one device at the gate, while it waits for it and has it.
final class HandshakePass {
    /// How long a handshake occupies the gate. A dead address must not delay reachable devices.
    private static let limit = TimeAmount.milliseconds(500)

    private let gate: HandshakeGate
    private var permit: HandshakeGate.Permit?
    private var deadline: Deadline?

    init(_ gate: HandshakeGate) { self.gate = gate }

    /// Requests a permit in place of the former one.
    ///
    /// - Parameter onPermit: called on `eventLoop`; `take` follows.
    func request(on eventLoop: any EventLoop, isPreferred: Bool, _ onPermit: @escaping @Sendable (HandshakeGate.Permit) -> Void) {
        self.release()
        self.permit = self.gate.request(on: eventLoop, isPreferred: isPreferred, enter: onPermit)
    }

    /// Takes a permit.
    ///
    /// - Parameter deadline: calls `release`, when the handshake takes too long.
    /// - Returns: `false` when it is not wanted any more.
    func take(_ permit: HandshakeGate.Permit, until deadline: Deadline) -> Bool {
        guard self.permit == permit else {
            self.gate.release(permit)
            return false
        }
        deadline.arm(in: Self.limit)
        self.deadline = deadline
        return true
    }

    /// Lets other devices in; a second call does nothing.
    func release() {
        self.deadline?.cancel()
        if let permit { self.gate.release(permit) }
        self.permit = nil
    }
}
