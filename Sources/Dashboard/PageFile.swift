/// A file of the web page, as it is in the program. The build makes the list `all` from the folder `Page`.
struct PageFile: Sendable {
    enum Content: Sendable {
        case text(StaticString)
        /// Bytes that are no text, in Base64.
        case base64(StaticString)
    }

    /// The path below the folder `Page`.
    let path: String
    let content: Content
    /// The file compressed with gzip, in Base64.
    let gzip: StaticString
}
