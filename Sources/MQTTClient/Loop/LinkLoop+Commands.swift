/// Executes the owner's commands.
extension LinkLoop {
    func carryOut(_ command: ClientCommand) {
        // The link may have ended since the command was taken from the mailbox.
        guard self.machine.liveEpoch != nil, let handle = self.handle else { return self.outbox.lose(command) }
        switch command {
        case .publish(let batch, let isAwaited):
            self.outbox.isAwaited = isAwaited
            self.publish(batch, handle)
        case .subscribe(let filters, let completion): self.subscribe(filters, handle, bytes: command.weight, completion)
        case .unsubscribe(let filters, let completion): self.unsubscribe(filters, handle, bytes: command.weight, completion)
        }
    }

    func publish(_ batch: MQTTBatch, _ handle: MosquittoHandle) {
        let now = self.now
        batch.forEach { packet in
            let entry = packet.entry
            switch self.send(packet, handle) {
            case .underWay(let packetID):
                if !self.outbox.add(packetID, token: entry.token, bytes: entry.weight, now: now) { self.endForReusedPacketID() }
            case .ended(let outcome): self.outbox.finish(entry.token, bytes: entry.weight, outcome, now: now)
            }
        }
    }

    private enum Sent {
        case underWay(packetID: Int32)
        case ended(MQTTPublishOutcome)
    }

    private func send(_ packet: OutgoingPacket, _ handle: MosquittoHandle) -> Sent {
        // An earlier message may have shown that the link is broken.
        if self.brokenLink != nil { return .ended(.connectionLost) }
        if let refusal = packet.refusal(version: handle.version, limit: self.session?.limits.maximumPacketSize) {
            return .ended(.refused(refusal))
        }
        switch handle.publish(packet) {
        case .success(let packetID): return .underWay(packetID: packetID)
        case .failure(let result) where result.isAboutLink:
            self.brokenLink = self.reason(of: result, handle)
            return .ended(.connectionLost)
        case .failure(.oversizePacket), .failure(.payloadSize): return .ended(.refused(.tooLarge))
        case .failure(let result): return .ended(.refused(.library(result)))
        }
    }

    private func subscribe(
        _ filters: [MQTTSubscription], _ handle: MosquittoHandle, bytes: Int,
        _ completion: @escaping @Sendable (MQTTSubscribeOutcome) -> Void
    ) {
        struct Options: Hashable {
            var qos: MQTTQoS
            var options: Int32
        }
        if let refusal = Self.refusal(of: filters.map(\.filter)) {
            self.core.finished(bytes: bytes)
            return completion(.refused(refusal))
        }
        // The library gives all filters of a packet the same options.
        let groups = Dictionary(grouping: filters.indices) { Options(qos: filters[$0].qos, options: filters[$0].options) }
            .sorted { ($0.value.first ?? 0) < ($1.value.first ?? 0) }
        let parts = Outbox.Parts(filters: filters.count, packets: groups.count, completion: completion)
        for (place, group) in groups.enumerated() {
            switch handle.subscribe(group.value.map { filters[$0].filter }, qos: group.key.qos, options: group.key.options) {
            case .success(let packetID):
                let entry = Outbox.Entry.subscribe(parts, indices: group.value, isFirst: place == 0, bytes: bytes)
                if !self.outbox.add(packetID, entry, now: self.now) { return self.endForReusedPacketID() }
            case .failure(let result):
                if place == 0 { self.core.finished(bytes: bytes) }
                parts.finish(result.isAboutLink ? .connectionLost : .refused(.library(result)))
                if result.isAboutLink { self.close(self.reason(of: result, handle)) }
                return
            }
        }
    }

    private func unsubscribe(
        _ filters: [String], _ handle: MosquittoHandle, bytes: Int, _ completion: @escaping @Sendable (MQTTSubscribeOutcome) -> Void
    ) {
        if let refusal = Self.refusal(of: filters) {
            self.core.finished(bytes: bytes)
            return completion(.refused(refusal))
        }
        switch handle.unsubscribe(filters) {
        case .success(let packetID):
            let entry = Outbox.Entry.unsubscribe(count: filters.count, bytes: bytes, completion: completion)
            if !self.outbox.add(packetID, entry, now: self.now) { self.endForReusedPacketID() }
        case .failure(let result):
            self.core.finished(bytes: bytes)
            completion(result.isAboutLink ? .connectionLost : .refused(.library(result)))
            if result.isAboutLink { self.close(self.reason(of: result, handle)) }
        }
    }

    private static func refusal(of filters: [String]) -> MQTTRefusal? {
        if filters.isEmpty { return .invalid("no filter") }
        let isUnfit = filters.contains { $0.isEmpty || $0.utf8.count > 65_535 || $0.utf8.contains(0) }
        return isUnfit ? .invalid("a topic filter has 1 to 65535 bytes and no NUL") : nil
    }

    private func endForReusedPacketID() {
        self.brokenLink = MQTTLinkError(
            .acknowledgementTimedOut, detail: "the broker left a message unacknowledged while 65535 others passed")
    }
}
