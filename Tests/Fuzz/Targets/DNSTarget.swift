import NIOCore

@testable import MulticastDNS

/// Packets of multicast DNS: two length bytes before each, as in DNS over TCP.
enum DNSTarget: FuzzTarget {
    static let name = "mdns"

    static var seeds: [[UInt8]] {
        guard let type = try? DNSName("_googlecast._tcp.local"), let instance = try? DNSName("tv._googlecast._tcp.local"),
            let host = try? DNSName("tv.local")
        else { return [] }
        var answer = MessageEncoder(flags: .response, limit: 1472)
        let text = ["id=0123456789abcdef0123456789abcdef", "fn=TV", "md=Chromecast", "ca=4101", "st=0"]
        let records = [
            ResourceRecord(name: type, data: .ptr(instance), ttlSeconds: 120),
            ResourceRecord(name: instance, data: .srv(ServiceLocation(port: 8009, target: host)), ttlSeconds: 120, cacheFlush: true),
            ResourceRecord(
                name: instance, data: .txt(text.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }), ttlSeconds: 4500, cacheFlush: true),
            ResourceRecord(name: host, data: .a(0x7F00_0101), ttlSeconds: 120, cacheFlush: true),
            ResourceRecord(name: host, data: .aaaa(high: 0xFE80 << 48, low: 1), ttlSeconds: 120, cacheFlush: true),
            ResourceRecord(name: host, data: .nsec(next: host, types: [.a, .aaaa]), ttlSeconds: 120),
        ]
        for record in records { _ = answer.append(record, .answer) }
        var query = MessageEncoder(flags: .query, limit: 1472)
        _ = query.append(Question(name: type, type: .ptr, wantsUnicast: true))
        _ = query.append(records[0], .answer)
        var goodbye = MessageEncoder(flags: .response, limit: 1472)
        _ = goodbye.append(ResourceRecord(name: type, data: .ptr(instance), ttlSeconds: 0), .answer)
        let packets = [answer.bytes, query.bytes, goodbye.bytes].map { [UInt8($0.count >> 8), UInt8($0.count & 255)] + $0 }
        return packets + [Array(packets.joined())]
    }

    /// Types with their class, a pointer, times to live, numbers.
    static var tokens: [[UInt8]] {
        [1, 12, 16, 28, 33, 47].map { [0, $0, 0x80, 1] } + [
            [0, 12, 0, 1], [0, 255, 0, 1], [0xC0, 12], [0, 0, 0, 120], [0, 0, 0, 0], [0, 0], [0, 1],
        ]
    }

    /// One answer of the first packet: its life, its name, its place, or whether it is there at all.
    static func changed(_ input: [UInt8], by random: inout MutationRandom) -> [UInt8]? {
        guard input.count > 2 else { return nil }
        let length = Int(input[0]) << 8 | Int(input[1])
        var decoder = MessageDecoder(Array(input.dropFirst(2).prefix(length)))
        guard var message = try? decoder.decode(), let index = message.answers.indices.randomElement(using: &random) else { return nil }
        var record = message.answers.remove(at: index)
        switch (Int.random(in: 0..<4, using: &random), record.data) {
        case (0, _): record.ttlSeconds = [0, 1, 120, 4500, .max].randomElement(using: &random) ?? 0
        case (1, _): record.name = message.answers.randomElement(using: &random)?.name ?? record.name
        case (2, .srv(var place)):
            let number: UInt16 = [0, 1, 8009, .max].randomElement(using: &random) ?? 0
            if Bool.random(using: &random) { place.port = number } else { place.weight = number }
            record.data = .srv(place)
        case (2, _): record.cacheFlush.toggle()
        default: return nil
        }
        message.answers.insert(record, at: message.answers.indices.randomElement(using: &random) ?? 0)
        return self.bytes(message).map {
            [UInt8(truncatingIfNeeded: $0.count >> 8), UInt8($0.count & 255)] + $0 + input.dropFirst(2 + length)
        }
    }

    static func run(_ input: [UInt8]) {
        guard let type = try? DNSName("_googlecast._tcp.local") else { return }
        var browser = BrowseStateMachine(serviceType: type, limits: Limits())
        let scope = InterfaceScope(index: 1, name: "eth0")
        var now = NIODeadline.uptimeNanoseconds(1_000_000_000)
        browser.linkReady(scope, hasMoved: false, now: now) { $0.lowerBound }
        var rest = input[...]
        while rest.count >= 2 {
            let length = Int(rest[rest.startIndex]) << 8 | Int(rest[rest.startIndex + 1])
            let packet = Array(rest.dropFirst(2).prefix(length))
            rest = rest.dropFirst(2 + length)
            now = now + .milliseconds(400)
            if let message = Self.message(packet) {
                _ = browser.receive(message, on: scope, isOneShot: false, now: now) { $0.lowerBound }
                planted(
                    message.answers.contains { if case .srv(let place) = $0.data { place.port == 0 && place.weight == 1 } else { false } })
            }
            if let deadline = browser.nextDeadline, deadline <= now { _ = browser.advance(to: now) }
            require(browser.serviceCount <= Limits().services, "more services than the bound")
        }
        _ = browser.advance(to: now + .hours(2))
    }

    /// Decodes a packet, and checks that what was understood can be said again, and is then understood alike.
    private static func message(_ packet: [UInt8]) -> DNSMessage? {
        var decoder = MessageDecoder(packet)
        guard let message = try? decoder.decode() else { return nil }
        guard let written = Self.bytes(message) else { return message }
        var again = MessageDecoder(written)
        guard let repeated = try? again.decode() else {
            require(false, "what was written cannot be read")
            return nil
        }
        require(again.skippedRecords == 0 && !again.isCut, "a record that was read cannot be read again")
        // Bytes, not messages: we write an empty TXT record as the one zero byte that RFC 6763 section 6.1 asks for.
        require(Self.bytes(repeated) == written, "written and read again it is another message")
        return message
    }

    /// `nil` when it doesn't fit: names are compressed less than they came.
    private static func bytes(_ message: DNSMessage) -> [UInt8]? {
        var encoder = MessageEncoder(id: message.id, flags: message.flags, limit: 1 << 16)
        let sections: [([ResourceRecord], MessageEncoder.Section)] = [
            (message.answers, .answer), (message.authorities, .authority), (message.additionals, .additional),
        ]
        for question in message.questions { guard encoder.append(question) else { return nil } }
        for (records, section) in sections { for record in records { guard encoder.append(record, section) else { return nil } } }
        return encoder.bytes
    }
}
