enum QueryPackets {
    /// Returns packets of at most `packetBytes`. Questions that do not fit begin a new packet. Known answers that do not fit continue in a
    /// new packet, and the one before gets the TC bit (RFC 6762 section 7.2). Data too large for a packet of its own is left out.
    static func make(questions: [Question], knownAnswers: [ResourceRecord] = [], id: UInt16 = 0, packetBytes: Int) -> [[UInt8]] {
        var packets: [[UInt8]] = []
        var encoder = MessageEncoder(id: id, flags: .query, limit: packetBytes)
        for question in questions where !encoder.append(question) {
            packets.append(encoder.bytes)
            encoder = MessageEncoder(id: id, flags: .query, limit: packetBytes)
            _ = encoder.append(question)
        }
        for record in knownAnswers where !encoder.append(record, .answer) {
            encoder.setTruncated()
            packets.append(encoder.bytes)
            encoder = MessageEncoder(id: id, flags: .query, limit: packetBytes)
            _ = encoder.append(record, .answer)
        }
        if !encoder.isEmpty { packets.append(encoder.bytes) }
        return packets
    }
}
