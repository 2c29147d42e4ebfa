import NIOCore

@testable import MulticastDNS
@testable import MulticastDNSAnnouncing

/// Answers one-shot queries to the asker's own port and sends no multicast at all.
final class UnicastResponder: Sendable {
    private let links: NIOLoopBoundBox<LinkSet?>
    private let loop: any EventLoop

    init(_ service: AnnouncedService, on loop: any EventLoop) async throws {
        self.loop = loop
        self.links = NIOLoopBoundBox<LinkSet?>.makeEmptyBox(valueType: LinkSet.self, eventLoop: loop)
        let box = self.links
        try await loop.submit {
            var records = AnnouncedRecords()
            try records.insert(service, ServiceNames(service), isEstablished: true)
            let answer = records.keys(of: try ServiceNames(service).instance).flatMap(records.records)
            let links = LinkSet(selection: .all, kinds: [.shared], eventLoop: loop, limits: Limits(), logger: quiet) { event in
                guard case .packet(let packet) = event, !packet.isResponse, packet.source.port != 5353 else { return }
                let packets = GroupedPackets(flags: .response, packetBytes: 1400).make([RecordGroup(answers: answer)])
                box.value?.unicast(packets, to: packet.source, on: packet.link.index)
            }
            box.value = links
            links.start()
        }.get()
    }

    func stop() async throws {
        let box = self.links
        try await self.loop.flatSubmit { box.value?.stop() ?? box.eventLoop.makeSucceededVoidFuture() }.get()
    }
}
