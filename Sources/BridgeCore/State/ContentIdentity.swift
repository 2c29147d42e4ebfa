import CastModels

extension MediaStatus {
    /// Returns whether `next`, the following status, is about the same item of the same session. Receivers leave ids out of partial
    /// statuses, so a missing id on one side is ignored.
    /// - Parameter continues: whether the position goes on; `nil` when `next` reports none.
    func isSameItem(as next: Self, positionContinues continues: @autoclosure () -> Bool?) -> Bool {
        guard self.mediaSessionID == next.mediaSessionID else { return false }
        if let mine = self.currentItemID, let theirs = next.currentItemID, mine != theirs { return false }
        guard let mine = self.shownMedia, let theirs = next.shownMedia, !mine.isCopy(of: theirs) else { return true }
        return ContentComparison(mine, theirs).isSame(positionContinues: continues())
    }
}

/// Compares what is known of two media that the same item of a media session names one after the other.
///
/// The id alone does not decide: some applications give everything the same id or an empty one, others give one stream a new id with each
/// token. Titles alone do not either: those of a radio station change, and metadata may arrive after the stream.
struct ContentComparison {
    private enum Relation {
        case same, different
        /// At least one side does not report it.
        case unknown

        init(_ isSame: Bool?) { self = isSame.map { $0 ? .same : .different } ?? .unknown }
    }

    private static let secrets = SecretRedaction()

    private let former: MediaInformation
    private let current: MediaInformation

    init(_ former: MediaInformation, _ current: MediaInformation) { (self.former, self.current) = (former, current) }

    // Computed only when they are needed: the id and the position are usually enough to recognise a new item.

    private var id: (relation: Relation, isSamePath: Bool) {
        Self.compare(self.former.contentID, self.current.contentID) ?? Self.compare(self.former.contentURL, self.current.contentURL)
            ?? Self.compare(self.former.entity, self.current.entity) ?? (.unknown, false)
    }

    private static func compare(_ mine: String?, _ theirs: String?) -> (relation: Relation, isSamePath: Bool)? {
        guard let mine, let theirs, !mine.isEmpty, !theirs.isEmpty else { return nil }
        if mine == theirs { return (.same, true) }
        let difference = AddressDifference(mine, theirs)
        let isSame = difference.mayBeSecret && self.secrets.redacted(mine) == self.secrets.redacted(theirs)
        return (isSame ? .same : .different, difference.isSamePath)
    }

    private var duration: Relation {
        Relation(Self.isSame(Self.seconds(self.former), Self.seconds(self.current)) { abs($0 - $1) <= 1 })
    }

    private var description: Relation {
        Relation(self.former.metadata.flatMap { mine in self.current.metadata.flatMap { Self.isSameDescription(mine, $0) } })
    }

    /// The first fact that differs decides, because each is looked up in the metadata.
    private static func isSameDescription(_ mine: MediaMetadata, _ theirs: MediaMetadata) -> Bool? {
        let title = self.isSame(mine.title, theirs.title)
        let differs =
            title == false || self.isSame(mine.artist, theirs.artist) == false || self.isSame(mine.albumName, theirs.albumName) == false
            || self.isSame(mine.seriesTitle, theirs.seriesTitle) == false || self.isSame(mine.season, theirs.season) == false
            || self.isSame(mine.episode, theirs.episode) == false
        return differs ? false : title
    }

    /// Returns whether both are the same content.
    func isSame(positionContinues: Bool?) -> Bool {
        let id = self.id
        return switch id.relation {
        case .same: !(positionContinues == false && self.description == .different && self.duration == .different)
        // Only one stream goes on under another id: with the same title and length, or as the same file with another query.
        case .different:
            positionContinues == true && self.description != .different && self.duration != .different
                && (id.isSamePath || self.description == .same && self.duration == .same)
        case .unknown:
            switch (self.description, self.duration) {
            case (.different, .different): false
            case (.different, .same), (.different, .unknown), (.unknown, .different): positionContinues != false
            case (.same, _), (.unknown, .same), (.unknown, .unknown): true
            }
        }
    }

    private static func isSame<Value: Equatable>(
        _ mine: Value?, _ theirs: Value?, _ areEqual: (Value, Value) -> Bool = { $0 == $1 }
    ) -> Bool? {
        guard let mine, let theirs else { return nil }
        return areEqual(mine, theirs)
    }

    private static func seconds(_ media: MediaInformation) -> Double? { media.duration.flatMap { $0.isFinite && $0 > 0 ? $0 : nil } }
}

/// Where two addresses differ.
private struct AddressDifference {
    /// Whether they are the same up to the query.
    let isSamePath: Bool
    /// Whether a secret may be all that differs: a value after a `=`, a password, or something escaped.
    let mayBeSecret: Bool

    init(_ mine: String, _ theirs: String) {
        var (mine, theirs) = (mine, theirs)
        (self.isSamePath, self.mayBeSecret) = mine.withUTF8 { mine in
            theirs.withUTF8 { theirs in
                var index = 0
                while index < mine.count, index < theirs.count, mine[index] == theirs[index] { index += 1 }
                let common = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(mine)[..<index])
                let endsPath = { (text: UnsafeBufferPointer<UInt8>) in index == text.count || text[index] == UInt8(ascii: "?") }
                return (
                    AddressMarks.finds("?", in: common) || endsPath(mine) && endsPath(theirs),
                    AddressMarks.areFound(in: common) || AddressMarks.finds("@", in: UnsafeRawBufferPointer(mine))
                )
            }
        }
    }
}
