import NIOCore

@testable import MulticastDNS
@testable import MulticastDNSAnnouncing

/// Names and records for tables; a text that is no name is the root.
func name(_ text: String) -> DNSName { (try? DNSName(text)) ?? .root }

let castType = name("_googlecast._tcp.local")

func instance(_ label: String) -> DNSName { (try? castType.child(label.utf8)) ?? .root }

func pointer(_ label: String, ttl: UInt32 = 4500) -> ResourceRecord {
    ResourceRecord(name: castType, data: .ptr(instance(label)), ttlSeconds: ttl)
}

func location(_ label: String, host: String? = nil, port: UInt16 = 8009, ttl: UInt32 = 120, flush: Bool = true) -> ResourceRecord {
    let target = name(host ?? "\(label).local")
    return ResourceRecord(
        name: instance(label), data: .srv(ServiceLocation(port: port, target: target)), ttlSeconds: ttl, cacheFlush: flush)
}

func text(_ label: String, _ entries: [String] = ["id=1"], ttl: UInt32 = 4500) -> ResourceRecord {
    let wire = entries.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
    return ResourceRecord(name: instance(label), data: .txt(wire), ttlSeconds: ttl, cacheFlush: true)
}

func address(_ host: String, _ text: String, ttl: UInt32 = 120, flush: Bool = true) -> ResourceRecord {
    let data = ServiceAddress(text).map(RecordData.init) ?? .unknown(.any, [])
    return ResourceRecord(name: name(host), data: data, ttlSeconds: ttl, cacheFlush: flush)
}

/// Everything about one service, as devices announce it.
func complete(_ label: String, _ ip: String = "192.0.2.1") -> [ResourceRecord] {
    [pointer(label), location(label), text(label), address("\(label).local", ip)]
}

func response(_ records: [ResourceRecord]) -> DNSMessage { DNSMessage(flags: .response, answers: records) }

extension NIODeadline {
    /// A fixed start for virtual time, and moments after it.
    static func at(_ seconds: Double) -> NIODeadline { .uptimeNanoseconds(1_000_000_000_000 + UInt64(seconds * 1e9)) }

    var seconds: Double { Double(self.uptimeNanoseconds - NIODeadline.at(0).uptimeNanoseconds) / 1e9 }
}

/// Chance that always picks the lowest.
func lowest(_ range: ClosedRange<Double>) -> Double { range.lowerBound }
