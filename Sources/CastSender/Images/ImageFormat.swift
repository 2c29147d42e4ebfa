/// The format of a picture, detected from its first bytes. The Content-Type header is ignored.
public enum ImageFormat: String, Sendable, Hashable, CaseIterable {
    case jpeg, png, gif, webp, bmp, avif

    /// The MIME type.
    public var contentType: String { "image/\(self.rawValue)" }

    /// - Parameter bytes: the first 12 or more of the file.
    /// - Returns: `nil` for any other format, also SVG, because it can carry scripts.
    public init?(_ bytes: some Collection<UInt8>) {
        let head = Array(bytes.prefix(12))
        func has(_ text: String, at offset: Int = 0) -> Bool { head.dropFirst(offset).starts(with: text.utf8) }
        if head.starts(with: [0xff, 0xd8, 0xff]) {
            self = .jpeg
        } else if head.starts(with: [0x89]), has("PNG\r\n\u{1a}\n", at: 1) {
            self = .png
        } else if has("GIF87a") || has("GIF89a") {
            self = .gif
        } else if has("RIFF"), has("WEBP", at: 8) {
            self = .webp
        } else if has("ftypavif", at: 4) || has("ftypavis", at: 4) {
            self = .avif
        } else if has("BM"), head.count == 12 {
            self = .bmp
        } else {
            return nil
        }
    }
}
