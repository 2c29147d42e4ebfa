import CastModels
import CastProtocol

/// The protobuf body of one frame.
enum MessageTarget: FuzzTarget {
    static let name = "message"
    static let takesWordsOfSeeds = false

    static var seeds: [[UInt8]] {
        let texts = PayloadTarget.messages.map { CastMessage(sourceID: "sender-0", destinationID: "*", namespace: $0, payload: .text($1)) }
        let binary = CastMessage(sourceID: "a", destinationID: "b", namespace: "urn:x-cast:x", payload: .binary([0, 255, 128]))
        let short = CastMessage(sourceID: "a", destinationID: "b", namespace: "c", payload: .text(""))
        return (texts + [binary, short]).map { $0.encoded() }
    }

    /// Each field of `CastMessage` with its least value: those with a length are empty then.
    static var tokens: [[UInt8]] {
        [0x08, 0x12, 0x1A, 0x22, 0x28, 0x32, 0x3A, 0x40, 0x48].map { [$0, 0] } + [[0x28, 1], [0x40, 1], [0x48, 0x7F]]
    }

    static func changed(_ input: [UInt8], by random: inout MutationRandom) -> [UInt8]? { ProtobufMutation.changed(input[...], by: &random) }

    static func run(_ input: [UInt8]) {
        guard let message = try? CastMessagePiece(decoding: input).message else { return }
        require((try? CastMessagePiece(decoding: message.encoded()).message) == message, "written and read again it is another message")
        planted(message.namespace.isEmpty && message.sourceID.isEmpty)
    }
}
