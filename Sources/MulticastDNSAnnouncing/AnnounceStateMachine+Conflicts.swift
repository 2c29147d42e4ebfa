import MulticastDNS
import NIOCore

extension AnnounceStateMachine {
    /// After this many conflicts within `conflictWindow`, a service waits `conflictPause` before each further attempt (RFC 6762 section
    /// 8.1).
    static let maximumConflicts = 15
    static let conflictWindow = TimeAmount.seconds(10)
    static let conflictPause = TimeAmount.seconds(5)

    /// - Parameters:
    ///   - source: the address for unicast answers; its port distinguishes an ordinary resolver (not 5353) from a multicast DNS program.
    ///   - isOnLink: whether the source is on the link; unicast answers do not leave it.
    mutating func receive(
        _ message: DNSMessage, from source: SocketAddress, isOnLink: Bool, on link: UInt32, now: NIODeadline,
        random: (ClosedRange<Double>) -> Double
    ) -> [Action] {
        guard message.isUsable else { return [] }
        if message.flags.isResponse { return self.seeConflicts(message.answers + message.additionals, now, random) }
        if !message.authorities.isEmpty { self.yieldToProbes(message.authorities, now) }
        let origin = Responder.Origin(source: source, isOnLink: isOnLink, link: link)
        return self.responder.receive(message, origin, self.records, now: now, random: random)
    }

    /// Resolves simultaneous probes of two hosts for one name: the one whose records sort later wins, the other waits (RFC 6762 section
    /// 8.2).
    private mutating func yieldToProbes(_ claims: [ResourceRecord], _ now: NIODeadline) {
        let byName = Dictionary(grouping: claims, by: \.name)
        for (name, theirs) in byName {
            let holders = self.registrations[name] != nil ? [name] : Array(self.records.services(on: name))
            for instance in holders {
                guard case .probing = self.registrations[instance]?.phase else { continue }
                guard Self.precede(self.records.uniqueRecords(named: name), theirs) else { continue }
                self.set(instance, .probing(sent: 0, next: now + Self.deferral))
            }
        }
    }

    private static func precede(_ ours: [ResourceRecord], _ theirs: [ResourceRecord]) -> Bool {
        let form = { (records: [ResourceRecord]) in
            records.map { [UInt8($0.type.rawValue >> 8), UInt8($0.type.rawValue & 0xFF)] + MessageEncoder.uncompressed($0.data) }
                .sorted { $0.lexicographicallyPrecedes($1) }
        }
        let (left, right) = (form(ours), form(theirs))
        for (one, other) in zip(left, right) where one != other { return one.lexicographicallyPrecedes(other) }
        return left.count < right.count
    }

    private mutating func seeConflicts(_ received: [ResourceRecord], _ now: NIODeadline, _ random: (ClosedRange<Double>) -> Double)
        -> [Action]
    {
        var actions: [Action] = []
        var seen: Set<DNSName> = []
        for record in received where record.ttlSeconds > 0 && !seen.contains(record.name) {
            let ours = self.records.uniqueRecords(named: record.name)
            let isClaim = [.srv, .txt, .a, .aaaa].contains(record.type)
            guard !ours.isEmpty, isClaim, !ours.contains(where: { $0.data == record.data }) else { continue }
            seen.insert(record.name)
            let isInstance = self.registrations[record.name] != nil
            for instance in isInstance ? [record.name] : self.records.services(on: record.name).sorted() {
                actions += self.conflict(instance, isInstance: isInstance, isUnique: record.cacheFlush, now, random)
            }
        }
        return actions
    }

    /// - Parameter isUnique: whether the rival claims the name exclusively. Once the names are ours, only such a claim is a conflict.
    private mutating func conflict(
        _ instance: DNSName, isInstance: Bool, isUnique: Bool, _ now: NIODeadline, _ random: (ClosedRange<Double>) -> Double
    ) -> [Action] {
        guard let registration = self.registrations[instance] else { return [] }
        switch registration.phase {
        case .probing:
            return self.rename(instance, isInstance: isInstance, now)
        case .announcing, .established:
            guard isUnique else { return [] }
            if registration.probes {
                self.set(instance, .probing(sent: 0, next: now + .microseconds(Int64(random(Self.probeDelayMilliseconds) * 1000))))
            } else if registration.phase == .established {
                // Names that were announced without probing are defended, once a second.
                self.set(instance, .announcing(left: 1, next: now + Self.announcementInterval))
            }
            return []
        }
    }

    private mutating func rename(_ instance: DNSName, isInstance: Bool, _ now: NIODeadline) -> [Action] {
        guard var registration = self.registrations[instance], let old = self.records.services[instance] else { return [] }
        var service = old.announced
        registration.conflicts = registration.conflicts.filter { $0 + Self.conflictWindow > now }.suffix(Self.maximumConflicts - 1) + [now]
        let pause = registration.conflicts.count >= Self.maximumConflicts ? Self.conflictPause : .nanoseconds(0)
        repeat {
            if isInstance {
                registration.instanceRenames += 1
                service.instanceName = AnnouncedService.renamed(registration.requested.instanceName, registration.instanceRenames)
            } else {
                registration.hostRenames += 1
                service.hostName = Self.renamedHost(registration.requested.hostName, registration.hostRenames)
            }
        } while (try? ServiceNames(service)).map { isInstance && self.registrations[$0.instance] != nil } ?? false
        guard let names = try? ServiceNames(service) else { return [] }
        self.forget(instance)
        self.registrations[names.instance] = registration
        self.records.insert(service, names, isEstablished: false)
        self.set(names.instance, .probing(sent: 0, next: now + pause))
        return [.renamed(from: old.announced, to: service)]
    }

    /// Returns the host name with the number added to its first label.
    private static func renamedHost(_ host: String, _ attempt: Int) -> String {
        guard let name = try? DNSName(host) else { return host }
        let label = AnnouncedService.renamed(String(decoding: name.firstLabel, as: UTF8.self), attempt)
        return (try? name.parent.child(label.utf8))?.description ?? host
    }
}
