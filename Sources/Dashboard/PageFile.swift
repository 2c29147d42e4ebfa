/// A file of the web page, embedded in the program. The build generates the list `all` from the folder `Page`.
struct PageFile: Sendable {
    enum Content: Sendable {
        case text(StaticString)
        /// Binary content, in Base64.
        case base64(StaticString)
    }

    /// The path below the folder `Page`.
    let path: String
    let content: Content
    /// The content compressed with gzip, in Base64.
    let gzip: StaticString
}
