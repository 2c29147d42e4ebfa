import CastModels
import CastProtocol
import NIOCore

/// A TLS stream, cut into reads of any size: frames, and messages in pieces.
enum FrameTarget: FuzzTarget {
    static let name = "frame"
    static let takesWordsOfSeeds = false

    static var seeds: [[UInt8]] {
        let messages = PayloadTarget.messages.map { CastMessage(sourceID: "a", destinationID: "b", namespace: $0, payload: .text($1)) }
        let frames = messages.compactMap { try? Array(CastFrameEncoder.frame($0).readableBytesView) }
        return [[255] + frames.prefix(3).joined(), [7] + frames.joined()] + frames.map { [1] + $0 }
    }

    /// Headers: of nothing, of little, of the most there may be, and of more.
    static var tokens: [[UInt8]] {
        [[0, 0, 0, 0], [0, 0, 0, 1], [0, 0, 0, 2], [0, 0, 1, 0], [0, 1, 0, 0], [0, 1, 0, 1], [255, 255, 255, 255]]
    }

    static func run(_ input: [UInt8]) {
        guard let step = input.first.map({ max(1, Int($0)) }) else { return }
        let stream = input.dropFirst()
        let whole = Self.bodies(of: [Array(stream)])
        var parts: [[UInt8]] = []
        var rest = stream
        while !rest.isEmpty {
            parts.append(Array(rest.prefix(step)))
            rest = rest.dropFirst(step)
        }
        require(whole == Self.bodies(of: parts), "the frames depend on how the stream was cut")
        var assembler = CastMessageAssembler()
        for body in whole {
            require((1...CastFrameDecoder.maximumBodySize).contains(body.count), "a frame outside the bounds")
            guard let piece = try? CastMessagePiece(decoding: body) else { continue }
            _ = try? assembler.add(piece)
        }
        planted(whole.count == 2 && whole[0].count == 2)
    }

    private static func bodies(of reads: [[UInt8]]) -> [[UInt8]] {
        var decoder = CastFrameDecoder()
        var bodies: [[UInt8]] = []
        for read in reads {
            var buffer = ByteBuffer(bytes: read)
            do { while let body = try decoder.nextBody(from: &buffer) { bodies.append(Array(body.readableBytesView)) } } catch { break }
        }
        return bodies
    }
}
