import Testing

@testable import CastReceiverSimulator

@Suite("Mirroring") struct MirroringTests {
    static let ssrc: UInt32 = 86_410

    /// A packet: the number of its frame, its own, and the last one of the frame.
    private static func packet(_ frame: Int, _ number: Int, of last: Int, ssrc: UInt32 = Self.ssrc) -> [UInt8] {
        var packet = BigEndianBytes()
        packet.append([0x80, 96])
        packet.append(UInt16(7))
        packet.append(UInt32(0))
        packet.append(ssrc)
        packet.append([0, UInt8(truncatingIfNeeded: frame)])
        packet.append(UInt16(number))
        packet.append(UInt16(last))
        packet.append([1, 2, 3])
        return packet.bytes
    }

    /// Packets in the order of their arrival, how many frames are complete afterwards, and what the last report says is missing.
    static let arrivals: [(packets: [(Int, Int, Int)], complete: Int, acknowledged: UInt8, losses: [[UInt8]])] = [
        ([(0, 0, 0)], 1, 0, []), ([(0, 0, 1), (0, 1, 1)], 1, 0, []), ([(0, 1, 1), (0, 0, 1)], 1, 0, []),
        ([(0, 0, 0), (0, 0, 0)], 1, 0, []), ([(1, 0, 0), (0, 0, 0)], 2, 1, []),
        ([(1, 0, 0)], 0, 255, [[0, 255, 255, 0]]), ([(0, 1, 2), (1, 0, 0)], 0, 255, [[0, 0, 0, 0], [0, 0, 2, 0]]),
        ([(0, 0, 0), (3, 0, 0)], 1, 0, [[1, 255, 255, 0], [2, 255, 255, 0]]),
        ((0..<300).map { ($0, 0, 0) }, 300, 43, []), ([(0, 5, 4)], 0, 0, []),
    ]

    @Test("frames are complete in order, and reports name what is missing", arguments: Self.arrivals)
    func frames(packets: [(Int, Int, Int)], complete: Int, acknowledged: UInt8, losses: [[UInt8]]) throws {
        var stream = MirrorStream(.init(index: 1, type: "video_source", codec: "vp9", ssrc: Self.ssrc, targetDelay: 200))
        var report: [UInt8]?
        for (index, packet) in packets.enumerated() {
            report = stream.received(Self.packet(packet.0, packet.1, of: packet.2), at: .seconds(index)) ?? report
        }
        #expect(stream.completeFrames == complete)
        guard let report else { return #expect(complete == 0 && losses.isEmpty) }
        // After an empty receiver report of 8 bytes: the feedback's header, both sources and its name.
        #expect(Array(report[..<10]) == [0x80, 201, 0, 1, 0, 1, 0x51, 0x8B, 0x8F, 206])
        #expect(Array(report[20..<24]) == Array("CAST".utf8) && report[24] == acknowledged && Int(report[25]) == losses.count)
        #expect(Array(report[28...]) == losses.flatMap { $0 })
    }

    @Test("datagrams of other streams and broken ones are left alone")
    func others() {
        var stream = MirrorStream(.init(index: 1, type: "video_source", codec: "vp9", ssrc: Self.ssrc, targetDelay: 200))
        for datagram in [
            [], [0x80], Array(repeating: 0xFF, count: 40), Self.packet(0, 0, of: 0, ssrc: 1), [0x80, 200, 0, 6, 0, 1, 0x51, 0x8A],
        ] {
            #expect(stream.received(datagram, at: .zero) == nil)
        }
        #expect(stream.completeFrames == 0 && stream.bytes == 0)
    }

    @Test("the sender's time is reported back with the delay since")
    func roundTrip() throws {
        var stream = MirrorStream(.init(index: 1, type: "video_source", codec: "vp9", ssrc: Self.ssrc, targetDelay: 200))
        var sent = BigEndianBytes()
        sent.append([0x80, 200, 0, 6])
        sent.append(Self.ssrc)
        sent.append(0x1122_3344_5566_7788 as UInt64)
        for _ in 0..<3 { sent.append(UInt32(0)) }
        #expect(stream.received(sent.bytes, at: .seconds(1)) != nil)
        let answer = stream.received(Self.packet(0, 0, of: 0), at: .milliseconds(1_500))
        let report = try #require(answer)
        #expect(Array(report[24..<32]) == [0x33, 0x44, 0x55, 0x66, 0, 0, 0x80, 0])
    }

    private static func stream(_ index: Int, _ type: String, _ codec: String) -> JSON {
        ["index": .integer(index), "type": .string(type), "codecName": .string(codec), "ssrc": .integer(10 * index), "targetDelay": 200]
    }

    /// The offered streams, whether the device has a display, and the indexes that are taken; `nil` when the offer is refused.
    static let offers: [(streams: [JSON], hasDisplay: Bool, taken: [Int]?)] = [
        (
            [Self.stream(0, "audio_source", "opus"), Self.stream(1, "video_source", "vp9"), Self.stream(2, "video_source", "vp8")], true,
            [0, 1]
        ),
        ([Self.stream(0, "audio_source", "opus"), Self.stream(1, "video_source", "vp9")], false, [0]),
        ([Self.stream(1, "video_source", "unheard-of"), Self.stream(2, "video_source", "h264")], true, [2]),
        ([Self.stream(1, "video_source", "vp8")], false, nil), ([], true, nil), ([["index": 1]], true, nil),
    ]

    @Test("of an offer, one picture and one sound are taken that the device can show", arguments: Self.offers)
    func offer(streams: [JSON], hasDisplay: Bool, taken: [Int]?) {
        let offer = MirrorOffer(
            ["type": "OFFER", "seqNum": 3, "offer": ["castMode": "mirroring", "supportedStreams": .array(streams)]], hasDisplay: hasDisplay)
        let answer = offer?.answer(port: 40_000)
        #expect(answer?["answer"]?["sendIndexes"]?.elements?.compactMap(\.int) == taken)
        #expect(answer?["answer"]?["ssrcs"]?.elements?.compactMap(\.int) == taken?.map { 10 * $0 + 1 })
    }
}
