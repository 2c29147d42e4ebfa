import BridgeCore
import CastSender

/// Everything the bridge wants retained: documents of the devices, of the bridge, and announcements. Forms them when the publisher has room.
final class RetainedDocuments {
    private let publications: DevicePublications
    private let announcements: Announcements
    private let bridge: BridgeDocuments
    private let topicLife: TopicLife
    private unowned let directory: any DeviceDirectory

    init(
        publications: DevicePublications, announcements: Announcements, bridge: BridgeDocuments, topicLife: TopicLife,
        directory: any DeviceDirectory
    ) {
        self.publications = publications
        self.announcements = announcements
        self.bridge = bridge
        self.topicLife = topicLife
        self.directory = directory
    }

    /// Forms documents of an owner as they are wanted now.
    func form(_ documents: DeviceDocuments, of owner: DocumentOwner) -> FormedDocuments {
        switch (self.topicLife.policy(of: owner), owner) {
        case (.nothing(let remaining), _): return FormedDocuments(remaining: remaining)
        case (.documents, .bridge): return FormedDocuments(messages: self.bridge.messages())
        case (.documents, .bridgeDiscovery), (.documents, .discovery): return self.announcements.form(owner)
        case (.documents(let keepsOldTopics), .device(let id)):
            // A device of an earlier run that the configuration leaves out has no documents any more.
            guard let device = self.directory.device(id) else { return .nothing }
            return self.publications.form(documents, of: device, keepsOldTopics: keepsOldTopics)
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
