/// Receives one mirrored stream: counts its complete frames and says which packets are missing. Nothing is decrypted or decoded.
///
/// Packets are RTP with the header of Cast streaming, reports RTCP with its feedback (`CAST`): without it a sender stops after a few frames.
struct MirrorStream: Sendable, Hashable {
    /// The largest number of frames that are open at a time; senders have fewer than 120 under way.
    private static let maximumOpenFrames = 128
    private static let maximumPackets = 2_048
    /// As many missing packets as one report names.
    private static let maximumLosses = 64
    private static let feedbackInterval = Duration.milliseconds(10)

    let offer: MirrorOffer.Stream
    /// Frames that are complete, and that every frame before is.
    private(set) var completeFrames = 0
    private(set) var bytes = 0

    /// Packets by the number of their frame, which is not complete or not the next one.
    private var open: [Int: OpenFrame] = [:]
    private var highestSequence: UInt16 = 0
    private var senderReport: SenderReport?
    private var nextFeedback = Duration.zero

    private struct SenderReport: Sendable, Hashable {
        /// The middle 32 bits of the sender's time.
        var middle: UInt32
        var at: Duration
    }

    private struct OpenFrame: Sendable, Hashable {
        var packets: Set<Int> = []
        var count: Int
        var isComplete: Bool { self.packets.count == self.count }
    }

    init(_ offer: MirrorOffer.Stream) { self.offer = offer }

    /// Takes a datagram.
    /// - Returns: the report to send, if one is due; `nil` also when the datagram belongs to another stream.
    mutating func received(_ datagram: [UInt8], at now: Duration) -> [UInt8]? {
        guard datagram.count >= 12, datagram[0] >> 6 == 2 else { return nil }
        if datagram[1] == 200 { return self.receivedReport(datagram, at: now) }
        guard Self.word(datagram, 8) == self.offer.ssrc, let packet = Packet(datagram) else { return nil }
        self.highestSequence = UInt16(datagram[2]) << 8 | UInt16(datagram[3])
        self.bytes += datagram.count
        // The number has 8 bits on the wire: the frame is the one nearest after the last complete one.
        let frame = self.completeFrames + Int(packet.frame &- UInt8(truncatingIfNeeded: self.completeFrames))
        if frame < self.completeFrames + Self.maximumOpenFrames {
            self.open[frame, default: OpenFrame(count: packet.last + 1)].packets.insert(packet.number)
            while self.open[self.completeFrames]?.isComplete == true {
                self.open[self.completeFrames] = nil
                self.completeFrames += 1
            }
        }
        // A packet of a frame that is acknowledged already means that the report was lost; one of a later frame, that packets are missing.
        let isDue = self.open[frame] == nil || frame > self.completeFrames
        guard isDue, now >= self.nextFeedback || self.open.isEmpty else { return nil }
        return self.report(at: now)
    }

    private mutating func receivedReport(_ datagram: [UInt8], at now: Duration) -> [UInt8]? {
        guard datagram.count >= 28, Self.word(datagram, 4) == self.offer.ssrc else { return nil }
        self.senderReport = SenderReport(middle: Self.word(datagram, 10), at: now)
        return self.report(at: now)
    }

    /// A receiver report, then the feedback: what is complete, and what is missing of the frames before the newest.
    private mutating func report(at now: Duration) -> [UInt8] {
        self.nextFeedback = now + Self.feedbackInterval
        var report = BigEndianBytes()
        report.append([0x80 | (self.senderReport == nil ? 0 : 1), 201])
        report.append(UInt16(self.senderReport == nil ? 1 : 7))
        report.append(self.offer.receiverSSRC)
        if let senderReport {
            let delay = UInt32(clamping: Int((now - senderReport.at) / .microseconds(1)) * 65_536 / 1_000_000)
            for word in [self.offer.ssrc, 0, UInt32(self.highestSequence), 0, senderReport.middle, delay] { report.append(word) }
        }
        let losses = self.losses
        report.append([0x80 | 15, 206])
        report.append(UInt16(4 + losses.count))
        report.append(self.offer.receiverSSRC)
        report.append(self.offer.ssrc)
        report.append(Array("CAST".utf8))
        report.append([UInt8(truncatingIfNeeded: self.completeFrames - 1), UInt8(losses.count)])
        report.append(UInt16(clamping: self.offer.targetDelay))
        for (frame, packet) in losses {
            report.append([UInt8(truncatingIfNeeded: frame)])
            report.append(packet)
            report.append([0])
        }
        return report.bytes
    }

    private var losses: [(frame: Int, packet: UInt16)] {
        guard let newest = self.open.keys.max(), newest > self.completeFrames else { return [] }
        var losses: [(Int, UInt16)] = []
        for frame in self.completeFrames..<newest {
            guard losses.count < Self.maximumLosses else { break }
            if let open = self.open[frame] {
                let missing = (0..<open.count).lazy.filter { !open.packets.contains($0) }
                losses += missing.prefix(Self.maximumLosses - losses.count).map { (frame, UInt16($0)) }
            } else {
                // All packets of the frame.
                losses.append((frame, 0xFFFF))
            }
        }
        return losses
    }

    /// The fields of a packet that follow the header of RTP.
    private struct Packet {
        var frame: UInt8
        var number: Int
        /// The number of the frame's last packet.
        var last: Int

        init?(_ datagram: [UInt8]) {
            guard datagram.count >= 18 else { return nil }
            self.frame = datagram[13]
            self.number = Int(datagram[14]) << 8 | Int(datagram[15])
            self.last = Int(datagram[16]) << 8 | Int(datagram[17])
            guard self.number <= self.last, self.last < MirrorStream.maximumPackets else { return nil }
        }
    }

    private static func word(_ bytes: [UInt8], _ place: Int) -> UInt32 {
        bytes[place..<place + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }
}

/// Bytes in the order of the network.
struct BigEndianBytes {
    private(set) var bytes: [UInt8] = []

    mutating func append(_ bytes: [UInt8]) { self.bytes += bytes }
    mutating func append(_ number: some FixedWidthInteger) { withUnsafeBytes(of: number.bigEndian) { self.bytes += $0 } }
}
