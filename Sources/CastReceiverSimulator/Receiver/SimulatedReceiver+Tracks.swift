/// Handles requests about tracks and the text style.
extension SimulatedReceiver {
    mutating func editTracks(_ json: JSON, from asker: Asker, at now: Duration) {
        guard var player = self.application?.player else { return }
        let style = json["textTrackStyle"]
        guard style.map(TextTrackStyleRules.allow) ?? true else { return self.refuseMedia(asker, "INVALID_PARAMS") }
        // A language takes precedence over ids.
        if let language = json["language"]?.text {
            guard player.activate(type: "TEXT", language: language) else { return self.refuseMedia(asker, "LANGUAGE_NOT_SUPPORTED") }
        } else if let tracks = json["activeTrackIds"]?.elements {
            let ids = tracks.compactMap(\.int)
            guard ids.count == tracks.count, player.activate(tracks: ids) else { return self.refuseMedia(asker, "INVALID_PARAMS") }
        }
        switch json["enableTextTracks"]?.boolean {
        case true?: guard player.enableText() else { return self.refuseMedia(asker, "NOT_SUPPORTED") }
        case false?: player.deactivate(type: "TEXT")
        case nil: break
        }
        if let style { player.merge(style: style) }
        self.application?.player = player
        self.answer(asker, self.mediaStatus(.everything, at: now), namespace: Namespace.media)
        self.broadcastMediaStatus(style == nil ? .changes : .media, at: now)
    }

    mutating func editAudioTracks(_ json: JSON, from asker: Asker, at now: Duration) {
        guard let language = json["language"]?.text else { return self.refuseMedia(asker, "INVALID_PARAMS") }
        guard self.application?.player.activate(type: "AUDIO", language: language) ?? false else {
            return self.refuseMedia(asker, "LANGUAGE_NOT_SUPPORTED")
        }
        self.changePlayer(for: asker, at: now) { _ in }
    }
}
