@_spi(JSON) import CastModels

extension ReceiverStatus {
    /// Reads the `status` object of RECEIVER_STATUS.
    package init(wire object: JSONView) {
        self.init(
            application: object.objects("applications", ReceiverApplication.init(wire:))?.first,
            volume: object.object("volume").map(DeviceVolume.init(wire:)), isActiveInput: object.flag("isActiveInput"),
            isStandBy: object.flag("isStandBy"))
    }
}

extension ReceiverApplication {
    /// The id of Backdrop, the idle screen of a device. Old firmware does not mark it in another way.
    package static let backdrop = "E8C28D3C"

    init?(wire object: JSONView) {
        guard let id = object.word("appId") else { return nil }
        self.init(
            applicationID: id, universalApplicationID: object.word("universalAppId"), name: object.word("displayName"),
            statusText: object.word("statusText"), iconURL: object.word("iconUrl").map(PictureAddress.resolved),
            type: object.word("appType"),
            isIdleScreen: object.flag("isIdleScreen") ?? false || id == Self.backdrop,
            launchedFromCloud: object.flag("launchedFromCloud") ?? false, sessionID: object.word("sessionId"),
            transportID: object.word("transportId"), namespaces: object.objects("namespaces") { $0.word("name") } ?? [])
    }
}

extension DeviceVolume {
    private enum Key {
        static let volume: StaticString = "volume"
        static let level: StaticString = "level"
        static let muted: StaticString = "muted"
        static let controlType: StaticString = "controlType"
        static let stepInterval: StaticString = "stepInterval"
    }

    /// Reads a `volume` object; level and step are limited to 0 to 1.
    package init(wire object: JSONView) {
        self.init(
            level: object.number(Key.level).map { min(max($0, 0), 1) }, isMuted: object.flag(Key.muted),
            controlType: object.word(Key.controlType).map(ControlType.init(wireValue:)),
            stepInterval: object.number(Key.stepInterval).flatMap { $0 > 0 && $0 <= 1 ? $0 : nil })
    }

    /// Writes the `volume` member of SET_VOLUME.
    func writeChange(to writer: inout JSONWriter) {
        writer.key(Key.volume)
        writer.beginObject()
        writer.optional(Key.level, self.level)
        writer.optional(Key.muted, self.isMuted)
        writer.endObject()
    }
}
