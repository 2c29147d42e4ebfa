import MulticastDNS

/// Records that belong together and are sent in one packet if they fit.
struct RecordGroup: Equatable {
    var questions: [Question] = []
    var answers: [ResourceRecord] = []
    var authorities: [ResourceRecord] = []
    var additionals: [ResourceRecord] = []

    static func += (left: inout RecordGroup, right: RecordGroup) {
        left.questions += right.questions
        left.answers += right.answers
        left.authorities += right.authorities
        left.additionals += right.additionals
    }
}

/// Fills as few packets as possible with the groups, in order.
struct GroupedPackets {
    var id: UInt16 = 0
    var flags: DNSMessage.Flags
    /// Questions that every packet repeats; for answers to ordinary resolvers (RFC 6762 section 6.7).
    var questions: [Question] = []
    var compressesServiceTargets = true
    let packetBytes: Int

    func make(_ groups: [RecordGroup]) -> [[UInt8]] {
        var packets: [[UInt8]] = []
        var current = RecordGroup()
        var encoded: [UInt8]?
        for group in groups {
            var joined = current
            joined += group
            if let bytes = self.encode(joined, limit: self.packetBytes) {
                (current, encoded) = (joined, bytes)
                continue
            }
            if let bytes = encoded { packets.append(bytes) }
            current = group
            encoded = self.encode(group, limit: self.packetBytes)
            if encoded == nil {
                // A group that is too large for a packet is sent without its additional records, and if necessary in a larger packet (RFC
                // 6762 section 17).
                current.additionals = []
                encoded = self.encode(current, limit: self.packetBytes) ?? self.encode(current, limit: Limits.largestPacketBytes)
            }
        }
        if let bytes = encoded { packets.append(bytes) }
        return packets
    }

    private func encode(_ group: RecordGroup, limit: Int) -> [UInt8]? {
        var encoder = MessageEncoder(id: self.id, flags: self.flags, limit: limit, compressesServiceTargets: self.compressesServiceTargets)
        for question in self.questions + group.questions where !encoder.append(question) { return nil }
        // Groups may share records, for example the addresses of one host.
        var seen: Set<ResourceRecord> = []
        for record in group.answers where seen.insert(record).inserted && !encoder.append(record, .answer) { return nil }
        for record in group.authorities where !encoder.append(record, .authority) { return nil }
        for record in group.additionals where seen.insert(record).inserted && !encoder.append(record, .additional) { return nil }
        return encoder.bytes
    }
}
