import CastProtocol
import NIOCore

/// One accepted connection of a device.
struct CastSocket {
    /// Most messages kept while the device is frozen; a connection with more is broken off afterwards.
    static let maximumHeld = 256

    let channel: any Channel
    let gate: SocketGate
    /// The certificate that the connection was opened with.
    let certificateDER: [UInt8]
    /// Whether the receiver knows of it: the TLS handshake is done.
    var isOpen = false
    /// The second half of a frame that was cut by freezing.
    var restOfFrame: ByteBuffer?
    /// What is to be sent when the device is thawed.
    var held: [CastMessage] = []
    var hasOverflowed = false

    mutating func hold(_ message: CastMessage) {
        if self.held.count < Self.maximumHeld { self.held.append(message) } else { self.hasOverflowed = true }
    }
}
