import CastProtocol
import NIOCore

/// One accepted connection of a device.
struct CastSocket {
    /// The largest number of messages kept while the device is frozen; a connection with more is reset afterwards.
    static let maximumHeld = 256

    let channel: any Channel
    let gate: SocketGate
    /// The certificate that the connection was opened with.
    let certificateDER: [UInt8]
    /// Whether the TLS handshake is complete and the receiver was notified.
    var isOpen = false
    /// The second half of a frame that the freeze interrupted.
    var restOfFrame: ByteBuffer?
    /// The messages to send when the device is thawed.
    var held: [CastMessage] = []
    var hasOverflowed = false

    mutating func hold(_ message: CastMessage) {
        if self.held.count < Self.maximumHeld { self.held.append(message) } else { self.hasOverflowed = true }
    }
}
