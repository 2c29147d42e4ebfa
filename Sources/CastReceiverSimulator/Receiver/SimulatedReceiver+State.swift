/// The simulator's state of a device, for comparison with the reports of senders.
extension SimulatedReceiver {
    private static let maximumListedItems = 1_000
    /// The largest number of queue items that the state describes.
    private static let maximumDescribedItems = 50

    /// Returns the simulator's own state, not the reported one.
    public func state(at now: Duration) -> JSON {
        .members([
            "device": .string(self.description.controlName), "id": .string(self.description.id),
            "name": .string(self.description.friendlyName), "model": .string(self.description.model.name),
            "volume": .number(self.volume.level), "muted": .bool(self.volume.isMuted), "volume_control": .string(self.speakers.control),
        ]).adding(self.applicationState).adding(self.playerState(at: now)).adding(self.connectionState)
    }

    private var applicationState: JSON {
        let application = self.application
        return .members([
            "app_id": application.map { .string($0.definition.id) }, "app": application.map { .string($0.definition.displayName) },
            "status_text": application.map { .string($0.statusText) },
            "is_idle_screen": application.map { .bool($0.definition.isIdleScreen) },
            "session_id": application.map { .string($0.sessionID) }, "transport_id": application.map { .string($0.transportID) },
            "page": application?.page, "mirrored": application?.mirror?.json,
            "waits_for_permission": self.launch.map { .bool($0.waitsForUser) },
            "stand_by": self.description.model.hasDisplay ? .bool(self.screen.isStandBy) : nil,
            "active_input": self.description.model.hasDisplay ? .bool(self.screen.isActiveInput) : nil,
        ])
    }

    private func playerState(at now: Duration) -> JSON {
        guard let player = self.application?.player else { return .object([]) }
        var idleReason: JSON?
        if case .idle(let reason?) = player.state { idleReason = .string(reason.rawValue) }
        let session = JSON.members([
            "player": player.mediaSessionID == 0 ? "NONE" : .string(player.isLoading ? "LOADING" : player.playerState),
            "idle_reason": idleReason, "media_session_id": player.mediaSessionID == 0 ? nil : .integer(player.mediaSessionID),
        ])
        guard player.hasSession, let queue = player.queue else { return session }
        let item = queue.current
        return session.adding(
            .members([
                "content_id": item.contentID.map(JSON.string), "title": item.title.map(JSON.string),
                "position": .number(player.position(at: now)), "duration": item.duration.map(JSON.number), "rate": .number(player.speed),
                "item_id": .integer(item.itemID), "queue_length": .integer(queue.items.count),
                "queue": .array(queue.items.prefix(Self.maximumListedItems).map { .integer($0.itemID) }),
                "items": .array(queue.items.prefix(Self.maximumDescribedItems).map(\.stateJSON)),
                "preloaded_item_id": player.preloadedItemID.map(JSON.integer), "repeat_mode": .string(queue.repeatMode),
                "shuffled": .bool(queue.isShuffled),
                "active_tracks": player.tracks.json, "text_style": player.tracks.style,
                "stream_volume": .number(player.streamVolume.level), "stream_muted": .bool(player.streamVolume.isMuted),
                "media": item.media,
                "ad_clip": player.adBreak.map { .string($0.clip.id) },
            ]))
    }

    private var connectionState: JSON {
        let connections = self.sockets.flatMap { socket in
            socket.connections.map { connection -> JSON in
                [
                    "socket": .integer(socket.id), "source": .string(connection.source),
                    "destination": .string(connection.destination), "type": .string("\(connection.kind)"),
                ]
            }
        }
        return .members([
            "members": self.description.isGroup ? .array(self.speakers.members.map(self.memberJSON)) : nil,
            "connections": .array(connections), "sockets": .integer(self.sockets.count),
        ])
    }
}

extension MediaItem {
    /// The description of a queue item in the state.
    fileprivate var stateJSON: JSON {
        .members([
            "item_id": .integer(self.itemID), "content_id": self.contentID.map(JSON.string), "autoplay": .bool(self.autoplay),
            "start_time": self.startTime.map(JSON.number), "preload_time": self.preloadTime.map(JSON.number),
            "active_tracks": .array(self.activeTrackIDs.map(JSON.integer)),
        ])
    }
}

extension JSON {
    /// Returns this object with the members of another one appended.
    fileprivate func adding(_ other: JSON) -> JSON {
        guard case .object(let members) = self, case .object(let more) = other else { return self }
        return .object(members + more)
    }
}
