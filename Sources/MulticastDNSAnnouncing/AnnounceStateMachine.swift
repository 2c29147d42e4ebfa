import MulticastDNS
import NIOCore

/// Decides which probes, announcements, answers and goodbyes an announcer sends (RFC 6762 sections 6 to 10). Does no I/O and owns no timer.
struct AnnounceStateMachine {
    enum Action: Equatable {
        /// Send packets on one link, or with `nil` on all.
        case multicast([[UInt8]], link: UInt32?)
        case unicast([[UInt8]], to: SocketAddress, link: UInt32)
        /// The names belong to the service from now on; `ticket` is the result of `announce`.
        case established(ticket: Int, AnnouncedService)
        case renamed(from: AnnouncedService, to: AnnouncedService)
    }

    enum Phase: Equatable {
        case probing(sent: Int, next: NIODeadline)
        case announcing(left: Int, next: NIODeadline)
        case established
    }

    struct Registration {
        let ticket: Int
        /// The requested service, from which new names are derived.
        let requested: AnnouncedService
        let probes: Bool
        var phase: Phase
        var instanceRenames = 0
        var hostRenames = 0
        /// The latest conflicts, for the limit of RFC 6762 section 8.1.
        var conflicts: [NIODeadline] = []
    }

    static let probes = 3
    static let probeInterval = TimeAmount.milliseconds(250)
    /// The random delay of a first probe. Services that start within the shortest delay probe together.
    static let probeDelayMilliseconds = 20.0...250.0
    static let announcements = 2
    static let announcementInterval = TimeAmount.seconds(1)
    /// Services that are announced within this time share packets.
    static let gathering = TimeAmount.milliseconds(20)
    /// The pause after losing a simultaneous probe (RFC 6762 section 8.2).
    static let deferral = TimeAmount.seconds(1)

    let limits: Limits
    var records = AnnouncedRecords()
    var registrations: [DNSName: Registration] = [:]
    /// The services with pending work.
    private var unsettled: Set<DNSName> = []
    private var nextProbeStart: NIODeadline = .uptimeNanoseconds(0)
    private var lastTicket = 0
    var responder: Responder

    init(limits: Limits) {
        self.limits = limits
        self.responder = Responder(limits: limits)
    }

    var nextDeadline: NIODeadline? {
        let phases = self.unsettled.compactMap { self.registrations[$0]?.phase.next }
        return (phases + [self.responder.nextDeadline].compactMap { $0 }).min()
    }

    // MARK: Services

    /// - Parameter probes: whether to probe for the names; `false` uses them without a check.
    /// - Returns: the ticket that `.established` will carry.
    mutating func announce(
        _ service: AnnouncedService, probes: Bool, now: NIODeadline, random: (ClosedRange<Double>) -> Double
    ) throws(MulticastDNSError) -> (ticket: Int, actions: [Action]) {
        let names = try ServiceNames(service)
        guard self.registrations[names.instance] == nil else {
            throw MulticastDNSError(.alreadyAnnounced, detail: "\(service.instanceName) is announced already")
        }
        guard self.registrations.count < self.limits.services else {
            throw MulticastDNSError(.limitReached, detail: "\(self.limits.services) services are announced already")
        }
        self.lastTicket += 1
        let phase: Phase =
            probes
            ? .probing(sent: 0, next: self.probeStart(now, random)) : .announcing(left: Self.announcements, next: now + Self.gathering)
        self.registrations[names.instance] = Registration(ticket: self.lastTicket, requested: service, probes: probes, phase: phase)
        self.unsettled.insert(names.instance)
        self.records.insert(service, names, isEstablished: !probes)
        return (self.lastTicket, probes ? [] : [.established(ticket: self.lastTicket, service)])
    }

    /// Returns the start of the first probe, within 250 ms; services that are announced together probe together (RFC 6762 section 8.1).
    private mutating func probeStart(_ now: NIODeadline, _ random: (ClosedRange<Double>) -> Double) -> NIODeadline {
        if self.nextProbeStart <= now { self.nextProbeStart = now + .microseconds(Int64(random(Self.probeDelayMilliseconds) * 1000)) }
        return self.nextProbeStart
    }

    /// Changes port, host, text or addresses of the announced service with the same instance name and type.
    mutating func update(_ service: AnnouncedService, now: NIODeadline) throws(MulticastDNSError) -> [Action] {
        let names = try ServiceNames(service)
        guard let old = self.records.services[names.instance] else {
            throw MulticastDNSError(.notAnnounced, detail: "\(service.instanceName) is not announced")
        }
        let before = self.records.keys(of: names.instance).flatMap(self.records.records)
        self.records.insert(service, names, isEstablished: old.isEstablished)
        guard old.isEstablished else { return [] }
        self.set(names.instance, .announcing(left: Self.announcements, next: now + Self.gathering))
        self.responder.forget(self.records.keys(of: names.instance))
        // The cache-flush bit replaces changed records; a removed address family or host needs a goodbye.
        let after = self.records.keys(of: names.instance).flatMap(self.records.records)
        let withdrawn = before.filter { record in
            !after.contains { $0.name == record.name && $0.type == record.type }
                && (record.name == names.host || self.records.services(on: record.name).isEmpty)
        }
        return self.goodbye(withdrawn)
    }

    /// - Parameter sendGoodbye: `false` sends nothing, like a device that loses power.
    mutating func withdraw(_ service: AnnouncedService, sendGoodbye: Bool) throws(MulticastDNSError) -> [Action] {
        let instance = try ServiceNames(service).instance
        guard self.registrations.removeValue(forKey: instance) != nil, let announced = self.records.services[instance] else {
            throw MulticastDNSError(.notAnnounced, detail: "\(service.instanceName) is not announced")
        }
        self.unsettled.remove(instance)
        let keys = self.records.keys(of: instance)
        let all = keys.flatMap(self.records.records)
        self.records.remove(instance)
        self.responder.forget(keys)
        guard sendGoodbye, announced.isEstablished else { return [] }
        let isHostKept = !self.records.services(on: announced.names.host).isEmpty
        return self.goodbye(all.filter { $0.name != announced.names.host || !isHostKept })
    }

    /// Withdraws all services at once.
    mutating func withdrawAll() -> [Action] {
        let established = self.records.services.values.filter(\.isEstablished).map(\.names.instance).sorted()
        let all = established.flatMap { self.records.keys(of: $0).flatMap(self.records.records) }
        self = AnnounceStateMachine(limits: self.limits)
        return self.goodbye(all)
    }

    private func goodbye(_ records: [ResourceRecord]) -> [Action] {
        let groups = records.map { record in
            var record = record
            record.ttlSeconds = 0
            return RecordGroup(answers: [record])
        }
        return self.multicast(groups, .response)
    }

    private func multicast(_ groups: [RecordGroup], _ flags: DNSMessage.Flags) -> [Action] {
        let packets = GroupedPackets(flags: flags, packetBytes: self.limits.packetBytes).make(groups)
        return packets.isEmpty ? [] : [.multicast(packets, link: nil)]
    }

    /// Removes the records of a service that continues under another name.
    mutating func forget(_ instance: DNSName) {
        self.registrations[instance] = nil
        self.unsettled.remove(instance)
        self.records.remove(instance)
    }

    mutating func set(_ instance: DNSName, _ phase: Phase) {
        self.registrations[instance]?.phase = phase
        self.records.setEstablished(instance, phase.ownsNames)
        if phase == .established { self.unsettled.remove(instance) } else { self.unsettled.insert(instance) }
    }

    // MARK: Links and time

    /// A link is ready, for the first time or again: all services are announced on it.
    mutating func linkReady(_ index: UInt32, now: NIODeadline) {
        self.responder.addLink(index)
        for (instance, registration) in self.registrations where registration.phase.ownsNames {
            self.set(instance, .announcing(left: Self.announcements, next: now + Self.gathering))
        }
    }

    mutating func linkRemoved(_ index: UInt32) { self.responder.removeLink(index) }

    /// Performs what is due; call it at `nextDeadline`.
    mutating func advance(to now: NIODeadline, random: (ClosedRange<Double>) -> Double) -> [Action] {
        var actions: [Action] = []
        var probing: [DNSName] = []
        var announcing: [DNSName] = []
        for instance in self.unsettled.sorted() {
            switch self.registrations[instance]?.phase {
            case .probing(Self.probes, let next) where next <= now:
                self.set(instance, .announcing(left: Self.announcements, next: now))
                announcing.append(instance)
                if let registration = self.registrations[instance], let service = self.records.services[instance] {
                    actions.append(.established(ticket: registration.ticket, service.announced))
                }
            case .probing(let sent, let next) where next <= now:
                self.set(instance, .probing(sent: sent + 1, next: now + Self.probeInterval))
                probing.append(instance)
            // Services that are due a little later are included; the second announcement still follows a second later.
            case .announcing(Self.announcements, let next) where next <= now + Self.gathering, .announcing(_, let next) where next <= now:
                announcing.append(instance)
            case .probing, .announcing, .established, nil:
                break
            }
        }
        actions += self.multicast(probing.map(self.probe), .query)
        actions += self.sendAnnouncements(announcing, now)
        return actions + self.responder.advance(to: now, self.records, random: random)
    }

    private mutating func sendAnnouncements(_ instances: [DNSName], _ now: NIODeadline) -> [Action] {
        for instance in instances {
            guard case .announcing(let left, _) = self.registrations[instance]?.phase else { continue }
            self.set(instance, left > 1 ? .announcing(left: left - 1, next: now + Self.announcementInterval) : .established)
        }
        let keys = instances.map { self.records.keys(of: $0) }
        self.responder.noteMulticast(keys.flatMap { $0 }, now)
        return self.multicast(keys.map { RecordGroup(answers: $0.flatMap(self.records.records)) }, .response)
    }

    /// Returns a probe, which asks for other owners of the names and claims them (RFC 6762 sections 8.1 and 8.2). It is sent without the
    /// recommended QU bit, because a unicast answer to port 5353 may reach another program.
    private func probe(_ instance: DNSName) -> RecordGroup {
        guard let host = self.records.services[instance]?.names.host else { return RecordGroup() }
        let names = self.records.isHostEstablished(host) ? [instance] : [instance, host]
        return RecordGroup(
            questions: names.map { Question(name: $0, type: .any) },
            authorities: names.flatMap(self.records.uniqueRecords).map { record in
                var record = record
                record.cacheFlush = false
                return record
            })
    }
}

extension AnnounceStateMachine.Phase {
    fileprivate var next: NIODeadline? {
        switch self {
        case .probing(_, let next), .announcing(_, let next): next
        case .established: nil
        }
    }

    /// Whether the service answers for its names.
    var ownsNames: Bool {
        switch self {
        case .probing: false
        case .announcing, .established: true
        }
    }
}
