/// The receiver's `detailedErrorCode`, with names and descriptions (Cast reference: `cast.framework.events.DetailedErrorCode`).
public struct DetailedErrorCode: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    public var rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The name in the reference, also for a code with a suffix; `nil` when unknown.
    public var name: String? { self.entry?.name }

    /// The cause, for people; `nil` when unknown.
    public var words: String? { self.entry?.words }

    /// The detail from the player or the server: the digits after the first three, for example an HTTP status.
    public var suffix: Int? {
        guard Self.entries[self.rawValue] == nil, self.entry != nil else { return nil }
        let digits = String(self.rawValue)
        return Int(digits.dropFirst(3))
    }

    public var description: String { self.words.map { "\(self.rawValue), \($0)" } ?? "\(self.rawValue)" }

    private var entry: (name: String, words: String)? {
        if let entry = Self.entries[self.rawValue] { return entry }
        var prefix = self.rawValue
        while prefix > 999 { prefix /= 10 }
        return prefix == self.rawValue ? nil : Self.entries[prefix]
    }

    private static let entries: [Int: (name: String, words: String)] = [
        100: ("MEDIA_UNKNOWN", "the player failed"),
        101: ("MEDIA_ABORTED", "playing was broken off"),
        102: ("MEDIA_DECODE", "the media is damaged or of a kind that the device can't decode"),
        103: ("MEDIA_NETWORK", "the media could not be fetched"),
        104: ("MEDIA_SRC_NOT_SUPPORTED", "the media can't be reached, or its type is not supported"),
        110: ("SOURCE_BUFFER_FAILURE", "the media doesn't fit the device's player"),
        200: ("MEDIAKEYS_UNKNOWN", "the protection of the media failed"),
        201: ("MEDIAKEYS_NETWORK", "the licence could not be fetched"),
        202: ("MEDIAKEYS_UNSUPPORTED", "the protection of the media is not supported"),
        203: ("MEDIAKEYS_WEBCRYPTO", "the media could not be decrypted"),
        300: ("NETWORK_UNKNOWN", "the network failed"),
        301: ("SEGMENT_NETWORK", "a piece of the media could not be fetched"),
        311: ("HLS_NETWORK_MASTER_PLAYLIST", "the HLS main playlist could not be fetched"),
        312: ("HLS_NETWORK_PLAYLIST", "an HLS playlist could not be fetched"),
        313: ("HLS_NETWORK_NO_KEY_RESPONSE", "the HLS key server didn't answer"),
        314: ("HLS_NETWORK_KEY_LOAD", "the HLS key could not be fetched"),
        315: ("HLS_NETWORK_INVALID_SEGMENT", "an HLS segment is invalid"),
        316: ("HLS_SEGMENT_PARSING", "an HLS segment can't be read"),
        321: ("DASH_NETWORK", "the DASH media could not be fetched"),
        322: ("DASH_NO_INIT", "the DASH media lacks its beginning"),
        331: ("SMOOTH_NETWORK", "the Smooth Streaming media could not be fetched"),
        332: ("SMOOTH_NO_MEDIA_DATA", "the Smooth Streaming media is empty"),
        400: ("MANIFEST_UNKNOWN", "the manifest can't be read"),
        411: ("HLS_MANIFEST_MASTER", "the HLS main playlist can't be read"),
        412: ("HLS_MANIFEST_PLAYLIST", "an HLS playlist can't be read"),
        420: ("DASH_MANIFEST_UNKNOWN", "the DASH manifest can't be read"),
        421: ("DASH_MANIFEST_NO_PERIODS", "the DASH manifest has no periods"),
        422: ("DASH_MANIFEST_NO_MIMETYPE", "the DASH manifest names no media type"),
        423: ("DASH_INVALID_SEGMENT_INFO", "the DASH manifest's segments are invalid"),
        431: ("SMOOTH_MANIFEST", "the Smooth Streaming manifest can't be read"),
        500: ("SEGMENT_UNKNOWN", "a piece of the media is invalid"),
        600: ("TEXT_UNKNOWN", "the subtitles can't be read"),
        900: ("APP", "the application failed"),
        901: ("BREAK_CLIP_LOADING_ERROR", "an ad could not be loaded"),
        902: ("BREAK_SEEK_INTERCEPTOR_ERROR", "the ads forbid the seek"),
        903: ("IMAGE_ERROR", "the image can't be shown"),
        904: ("LOAD_INTERRUPTED", "another load came in between"),
        905: ("LOAD_FAILED", "the load failed"),
        906: ("MEDIA_ERROR_MESSAGE", "the player reported an error"),
        909: ("GENERIC", "an error without further particulars"),
        999: ("GENERIC", "an error without further particulars"),
    ]
}

extension CastError {
    /// The receiver's detailed error; `nil` when it reported none.
    public var detailedError: DetailedErrorCode? { self.detailedErrorCode.map(DetailedErrorCode.init(rawValue:)) }
}
