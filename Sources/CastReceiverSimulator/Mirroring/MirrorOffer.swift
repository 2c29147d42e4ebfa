/// The streams that a sender offers to mirror its screen, in the message `OFFER`, and which of them the receiver takes: the first picture
/// that it knows and the first sound.
struct MirrorOffer: Sendable, Hashable {
    private static let maximumStreams = 64
    static let codecs = ["video_source": ["vp8", "h264", "vp9", "av1"], "audio_source": ["opus", "aac"]]

    var sequenceNumber: Int
    var streams: [Stream] = []

    struct Stream: Sendable, Hashable {
        var index: Int
        /// `video_source` or `audio_source`.
        var type: String
        var codec: String
        var ssrc: UInt32
        /// Milliseconds until a frame is shown.
        var targetDelay: Int

        /// The source that the receiver's reports about the stream name.
        var receiverSSRC: UInt32 { self.ssrc &+ 1 }
    }

    /// - Returns: `nil` when it is no offer to mirror, or offers nothing that the receiver can take.
    init?(_ json: JSON?, hasDisplay: Bool) {
        guard let json, let number = json["seqNum"]?.int, let offer = json["offer"], offer["castMode"]?.text ?? "mirroring" == "mirroring"
        else { return nil }
        self.sequenceNumber = number
        for item in offer["supportedStreams"]?.elements?.prefix(Self.maximumStreams) ?? [] {
            guard let index = item["index"]?.int, let type = item["type"]?.text, let codec = item["codecName"]?.text,
                let ssrc = item["ssrc"]?.int.flatMap(UInt32.init(exactly:)), Self.codecs[type]?.contains(codec) ?? false,
                hasDisplay || type == "audio_source", !self.streams.contains(where: { $0.type == type })
            else { continue }
            self.streams.append(Stream(index: index, type: type, codec: codec, ssrc: ssrc, targetDelay: item["targetDelay"]?.int ?? 400))
        }
        if self.streams.isEmpty { return nil }
    }

    func answer(port: Int) -> JSON {
        [
            "type": "ANSWER", "seqNum": .integer(self.sequenceNumber), "result": "ok",
            "answer": [
                "castMode": "mirroring", "udpPort": .integer(port), "sendIndexes": .array(self.streams.map { .integer($0.index) }),
                "ssrcs": .array(self.streams.map { .integer(Int($0.receiverSSRC)) }), "receiverGetStatus": true,
            ],
        ]
    }
}
