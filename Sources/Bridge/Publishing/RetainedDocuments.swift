import BridgeCore
import CastSender

/// Everything the bridge wants retained: documents of the devices, of the bridge, and announcements. Forms them when the publisher has room.
final class RetainedDocuments {
    private let context: BridgeContext
    private let publications: DevicePublications
    private let announcements: Announcements
    private let bridge: BridgeDocuments
    private let topicLife: TopicLife
    private unowned let directory: any DeviceDirectory

    init(
        _ context: BridgeContext, publications: DevicePublications, announcements: Announcements, bridge: BridgeDocuments,
        topicLife: TopicLife,
        directory: any DeviceDirectory
    ) {
        self.context = context
        self.publications = publications
        self.announcements = announcements
        self.bridge = bridge
        self.topicLife = topicLife
        self.directory = directory
    }

    /// Appends documents of an owner to a batch as they are wanted now.
    /// - Returns: what becomes of the owner's other topics.
    func form(_ documents: DeviceDocuments, of owner: DocumentOwner, _ batch: inout MessageBatch) -> LeftoverTopics {
        switch (self.topicLife.policy(of: owner), owner) {
        case (.nothing(let remaining), _): return remaining
        case (.documents, .bridge):
            self.bridge.messages().forEach { batch.append($0, at: self.context.now.wall) }
            return .cleared
        case (.documents, .bridgeDiscovery), (.documents, .discovery):
            let (messages, remaining) = self.announcements.form(owner)
            messages.forEach { batch.append($0, at: self.context.now.wall) }
            return remaining
        case (.documents(let keepsOldTopics), .device(let id)):
            // A device of an earlier run that the configuration leaves out has no documents any more.
            guard let device = self.directory.device(id) else { return .cleared }
            return self.publications.form(documents, of: device, keepsOldTopics: keepsOldTopics, &batch)
        }
    }

    /// These documents of the device may differ from what was published.
    func changed(_ device: DeviceAgent, _ documents: DeviceDocuments) {
        if documents.contains(.listing) { self.bridge.listChanged() }
        self.announcements.changed(device, documents)
        self.publications.changed(device, documents)
    }

    /// An event was applied to the device's state.
    func reduced(_ device: DeviceAgent) { self.publications.reduced(device) }

    /// The device has another name, slug or area for Home Assistant.
    func factsChanged(_ device: DeviceAgent) { self.announcements.changed(device, .info) }

    /// What `bridge/devices` lists changed.
    func listChanged() { self.bridge.listChanged() }

    func dismiss(_ device: DeviceAgent) {
        self.publications.dismiss(device)
        self.announcements.dismiss(device)
    }

    /// Sends one document of the device again although nothing in it changed.
    func sendAgain(_ document: DeviceDocuments.Name, of device: DeviceAgent) { self.publications.sendAgain(document, of: device) }

    /// Every retained message of the bridge and its devices, as it would be published now.
    func allMessages() -> [OutgoingMessage] { self.bridge.messages() + self.publications.allMessages(of: self.directory.devices) }

    /// The counters of `bridge/health` are read now and every minute.
    func begin() { self.bridge.begin() }

    func end() {
        self.publications.end()
        self.announcements.end()
        self.bridge.end()
    }
}
