import CastModels

/// Merges the partial statuses of an application into one media status, like Google's own senders (`cast_sender.js`).
///
/// Pass every MEDIA_STATUS of the application in order of arrival. One value serves one device: another application session resets it.
package struct MediaStatusMerger: Sendable {
    /// The result of one MEDIA_STATUS.
    package struct Outcome: Sendable, Hashable {
        /// The media session that this status started; `nil` if it started none.
        package var startedMediaSessionID: Int?
        /// Whether to send GET_STATUS, because only the receiver knows a missed part. Reported once for each gap.
        package var needsStatus: Bool
    }

    /// The largest number of items kept of one window; receivers send about twenty.
    package static let itemLimit = 1000

    /// The number of former media sessions whose late statuses are recognised.
    private static let maximumFormer = 8

    /// The merged status; `nil` without a media session. One that ended is kept, idle, until another begins or the application reports that
    /// there is none.
    package private(set) var status: MediaStatus?

    private var sessionID: String?
    private var former: [Int] = []
    /// The queue item of `status.media`, if it was reported.
    private var mediaItemID: Int?
    private var asked = Asked()
    /// The shuffle state that the receiver confirmed in this media session, until its status reports one.
    private var confirmedShuffle: Bool?
    /// The text style that the receiver confirmed for this content, until its status reports one.
    private var confirmedTextStyle: TextTrackStyle?
    /// The number of statuses that reported a text style.
    package private(set) var textStyleReports = 0

    /// The gaps for which GET_STATUS was already requested.
    private struct Asked {
        var forMedia = false
        var forItemID: Int?
    }

    package init() {}

    /// Resets the state, because the application has ended.
    package mutating func reset() { self = Self() }

    /// Merges the elements of one MEDIA_STATUS from the application session `sessionID`.
    ///
    /// - Parameter time: the arrival of the frame, which is the time of its position.
    package mutating func merge(_ updates: [MediaStatusUpdate], sessionID: String, receivedAt time: MonotonicTime) -> Outcome {
        if self.sessionID != sessionID {
            self.reset()
            self.sessionID = sessionID
        }
        guard !updates.isEmpty else {
            self.end()
            return Outcome(startedMediaSessionID: nil, needsStatus: false)
        }
        let current = self.status?.mediaSessionID
        guard let index = self.relevant(in: updates, current: current), let mediaSessionID = updates[index].mediaSessionID ?? current else {
            return Outcome(startedMediaSessionID: nil, needsStatus: false)
        }
        let isNew = current != mediaSessionID
        if isNew { self.end() }
        // Taken out meanwhile, so that the status has one owner and need not be copied.
        var status = self.status.take() ?? MediaStatus(mediaSessionID: mediaSessionID, playerState: .unknown(""), receivedAt: time)
        let position = updates[index].currentTime == nil ? status.approximateStreamPosition(at: time) : nil
        var needsStatus = false
        status.change { status in
            self.merge(updates[index], into: &status, position: position, at: time)
            needsStatus = self.asksForStatus(status)
        }
        self.status = status
        return Outcome(startedMediaSessionID: isNew ? mediaSessionID : nil, needsStatus: needsStatus)
    }

    /// Records a shuffle that the receiver confirmed by its answer or by its order. Its status may not report it: some receivers have
    /// `queueData` only while they shuffle, others have it without `shuffle`.
    ///
    /// - Returns: whether that changed the status.
    package mutating func confirmShuffle(_ isShuffled: Bool) -> Bool {
        guard let status = self.status, status.queueData?.shuffle != isShuffled else { return false }
        self.confirmedShuffle = isShuffled
        self.status?.change { status in
            var queueData = status.queueData ?? MediaQueueData()
            queueData.shuffle = isShuffled
            status.queueData = queueData
        }
        return true
    }

    /// Records a text style that the receiver confirmed by its answer alone.
    ///
    /// - Returns: whether that changed the status.
    package mutating func confirmTextStyle(_ style: TextTrackStyle) -> Bool {
        guard let media = self.status?.media, media.textTrackStyle != style else { return false }
        self.confirmedTextStyle = style
        self.status?.change { $0.media?.textTrackStyle = style }
        return true
    }

    private mutating func end() {
        if let status {
            self.former.append(status.mediaSessionID)
            if self.former.count > Self.maximumFormer { self.former.removeFirst() }
        }
        self.status = nil
        self.mediaItemID = nil
        self.asked = Asked()
        self.confirmedShuffle = nil
        self.confirmedTextStyle = nil
    }

    /// Returns the index of the element to use: ours if it is active, else another active one, else the end of ours. The end of a session
    /// that was replaced does not affect its replacement.
    private func relevant(in updates: [MediaStatusUpdate], current: Int?) -> Int? {
        guard let current else {
            return updates.indices.first { !updates[$0].isEnded } ?? updates.indices.first { !self.isFormer(updates[$0].mediaSessionID) }
        }
        let ours = updates.indices.first { updates[$0].mediaSessionID == nil || updates[$0].mediaSessionID == current }
        if let ours, !updates[ours].isEnded { return ours }
        let alive = updates.indices.first {
            !updates[$0].isEnded && updates[$0].mediaSessionID != nil && updates[$0].mediaSessionID != current
        }
        // A load that failed at once ends a session whose beginning was not reported.
        return alive ?? ours
            ?? updates.indices.first { !self.isFormer(updates[$0].mediaSessionID) && (updates[$0].mediaSessionID ?? 0) > current }
    }

    private func isFormer(_ mediaSessionID: Int?) -> Bool { mediaSessionID.map(self.former.contains) ?? true }

    /// Whether media is playing that no status has described yet.
    package var lacksMedia: Bool { self.status.map { !$0.isEnded && $0.media == nil } ?? false }

    /// Returns whether to request the status: media was never reported, or belongs to another queue item than the current one. Returns
    /// `true` once for each gap.
    private mutating func asksForStatus(_ status: MediaStatus.Fields) -> Bool {
        guard !status.isEnded else { return false }
        if status.media == nil || status.playerState == .unknown("") {
            defer { self.asked.forMedia = true }
            return !self.asked.forMedia
        }
        guard let current = status.currentItemID, let mediaItemID, mediaItemID != current else { return false }
        defer { self.asked.forItemID = current }
        return self.asked.forItemID != current
    }

    /// - Parameter position: the position at `time`, when the update has none.
    private mutating func merge(
        _ update: borrowing MediaStatusUpdate, into status: inout MediaStatus.Fields, position: Double?, at time: MonotonicTime
    ) {
        Self.mergeItems(update, into: &status)
        let media = update.media ?? self.mediaOfNextItem(in: status)
        // Many applications repeat it in every status, and it is then read to the same object.
        let isNewMedia = media.map { media in !(status.media.map { $0.isCopy(of: media) } ?? false) } ?? false
        let isOtherMedia = isNewMedia && media?.isOther(than: status.media) ?? false
        Self.mergePosition(update, position: isOtherMedia ? nil : position, isOtherMedia: isOtherMedia, into: &status, at: time)
        if update.media?.textTrackStyle != nil {
            self.textStyleReports += 1
            self.confirmedTextStyle = nil
        }
        if isNewMedia { self.replaceMedia(with: media, isOther: isOtherMedia, in: &status) }
        if media != nil { self.mediaItemID = status.currentItemID }
        if isOtherMedia {
            // Values that describe the content end with it.
            status.liveSeekableRange = nil
            status.videoInfo = nil
        }
        Self.mergeFields(update, into: &status)
        if update.queueData?.shuffle != nil { self.confirmedShuffle = nil }
        if let confirmedShuffle { status.queueData?.shuffle = confirmedShuffle }
        self.completeCurrentItem(of: &status)
        if status.isEnded {
            status.items = []
            status.currentItemID = nil
            status.preloadedItemID = nil
        }
    }

    private mutating func replaceMedia(with media: MediaInformation?, isOther: Bool, in status: inout MediaStatus.Fields) {
        status.media = media
        if isOther { self.confirmedTextStyle = nil }
        if let confirmedTextStyle { status.media?.textTrackStyle = confirmedTextStyle }
    }

    /// Merges a new window, which replaces the previous one; items without media keep their known media. Of a window with more than
    /// `itemLimit` items, the first ones are kept.
    private static func mergeItems(_ update: borrowing MediaStatusUpdate, into status: inout MediaStatus.Fields) {
        status.currentItemID = update.currentItemID
        status.loadingItemID = update.loadingItemID
        status.preloadedItemID = update.preloadedItemID
        guard var items = update.items else { return }
        if items.count > Self.itemLimit { items.removeSubrange(Self.itemLimit...) }
        if items.contains(where: { $0.media == nil }) {
            let known = Dictionary(status.items.lazy.map { ($0.itemID, $0.media) }) { first, _ in first }
            for index in items.indices where items[index].media == nil && items[index].itemID != nil {
                items[index].media = known[items[index].itemID] ?? nil
            }
        }
        status.items = items
    }

    /// Returns the media of the current item when the queue moved to it and only the window reports that.
    private func mediaOfNextItem(in status: MediaStatus.Fields) -> MediaInformation? {
        guard let currentItemID = status.currentItemID, self.mediaItemID != currentItemID, self.mediaItemID != nil || status.media == nil
        else { return nil }
        return status.items.first { $0.itemID == currentItemID }?.media
    }

    private mutating func completeCurrentItem(of status: inout MediaStatus.Fields) {
        guard let currentItemID = status.currentItemID, let media = status.media else { return }
        if self.mediaItemID == nil { self.mediaItemID = currentItemID }
        guard self.mediaItemID == currentItemID, let index = status.items.firstIndex(where: { $0.itemID == currentItemID }) else { return }
        if status.items[index].media == nil { status.items[index].media = media }
    }

    /// Merges the position, whose time is the arrival of its status. A position that is not reported is extrapolated when the kind of
    /// playback changes.
    private static func mergePosition(
        _ update: borrowing MediaStatusUpdate, position: Double?, isOtherMedia: Bool, into status: inout MediaStatus.Fields,
        at time: MonotonicTime
    ) {
        if let currentTime = update.currentTime {
            status.currentTime = currentTime
        } else if isOtherMedia || update.playerState != nil || update.playbackRate != nil || update.adBreakStatus != status.adBreakStatus {
            status.currentTime = position
        } else {
            return
        }
        status.receivedAt = time
    }

    private static func mergeFields(_ update: borrowing MediaStatusUpdate, into status: inout MediaStatus.Fields) {
        // Receivers repeat that a session has ended without the reason of the first time.
        let formerReason = update.isEnded ? status.idleReason : nil
        if let playerState = update.playerState { status.playerState = playerState }
        if let playbackRate = update.playbackRate { status.playbackRate = playbackRate }
        if let commands = update.supportedMediaCommands { status.supportedMediaCommands = commands }
        if let volume = update.streamVolume { status.streamVolume = Self.merged(volume, into: status.streamVolume) }
        if let activeTrackIDs = update.activeTrackIDs { status.activeTrackIDs = activeTrackIDs }
        if let repeatMode = update.repeatMode { status.repeatMode = repeatMode }
        if let queueData = update.queueData { status.queueData = queueData }
        if let range = update.liveSeekableRange { status.liveSeekableRange = range }
        if let videoInfo = update.videoInfo { status.videoInfo = videoInfo }
        if let customData = update.customData { status.customData = customData }
        status.idleReason = status.playerState == .idle ? update.idleReason ?? formerReason : nil
        status.extendedStatus = update.extendedStatus
        status.adBreakStatus = update.adBreakStatus
    }

    private static func merged(_ volume: DeviceVolume, into former: DeviceVolume?) -> DeviceVolume {
        DeviceVolume(
            level: volume.level ?? former?.level, isMuted: volume.isMuted ?? former?.isMuted,
            controlType: volume.controlType ?? former?.controlType, stepInterval: volume.stepInterval ?? former?.stepInterval)
    }
}

extension MediaStatusUpdate {
    /// Whether the element is idle with no item being loaded. An element without a state ends nothing.
    fileprivate var isEnded: Bool {
        self.playerState == .idle && self.loadingItemID == nil && self.extendedStatus?.playerState != .loading
    }
}

extension MediaInformation {
    fileprivate func isOther(than former: MediaInformation?) -> Bool {
        guard let former else { return false }
        return self.contentID != former.contentID || self.contentURL != former.contentURL
    }
}
