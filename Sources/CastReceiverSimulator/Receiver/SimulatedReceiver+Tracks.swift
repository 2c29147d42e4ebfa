/// Handles requests about tracks and the text style.
extension SimulatedReceiver {
    mutating func editTracks(_ json: JSON, from asker: Asker, at now: Duration) {
        guard var tracks = self.application?.player.tracks, let item = self.application?.player.queue?.current else { return }
        let style = json["textTrackStyle"]
        guard style.map(TextTrackStyleRules.allow) ?? true else { return self.refuse(asker, "INVALID_PARAMS") }
        // A language takes precedence over ids.
        if let language = json["language"]?.text {
            guard tracks.activate(type: "TEXT", language: language, of: item) else { return self.refuse(asker, "LANGUAGE_NOT_SUPPORTED") }
        } else if let named = json["activeTrackIds"]?.elements {
            let ids = named.compactMap(\.int)
            guard ids.count == named.count, tracks.activate(ids, of: item) else { return self.refuse(asker, "INVALID_PARAMS") }
        }
        switch json["enableTextTracks"]?.boolean {
        case true?: guard tracks.enableText(of: item) else { return self.refuse(asker, "NOT_SUPPORTED") }
        case false?: tracks.deactivate(type: "TEXT", of: item)
        case nil: break
        }
        if let style { tracks.merge(style: style) }
        self.application?.player.tracks = tracks
        self.answer(asker, self.mediaStatus(.everything, at: now))
        self.broadcastMediaStatus(style == nil ? .changes : .media, at: now)
    }

    mutating func editAudioTracks(_ json: JSON, from asker: Asker, at now: Duration) {
        guard let language = json["language"]?.text, let item = self.application?.player.queue?.current else {
            return self.refuse(asker, "INVALID_PARAMS")
        }
        guard self.application?.player.tracks.activate(type: "AUDIO", language: language, of: item) ?? false else {
            return self.refuse(asker, "LANGUAGE_NOT_SUPPORTED")
        }
        self.changePlayer(for: asker, at: now) { _ in }
    }
}
