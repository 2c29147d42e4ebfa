/// Resolves references of a manifest against each other (RFC 3986 section 5), also when the base itself is relative. Pure.
enum RelativeReference {
    static func resolve(_ reference: String, against base: String) -> String {
        if reference.isEmpty { return base }
        if base.isEmpty || self.hasScheme(reference) { return reference }
        let bare = base.prefix { $0 != "?" && $0 != "#" }
        let authority = self.authority(of: bare)
        switch reference.first {
        case "/": return String(reference.hasPrefix("//") ? self.scheme(of: bare) : authority) + reference
        case "?", "#": return bare + reference
        default: break
        }
        var folder = bare.dropFirst(authority.count)
        folder = folder.lastIndex(of: "/").map { folder[...$0] } ?? (authority.isEmpty ? "" : "/")
        return authority + self.joined(folder, reference[...])
    }

    /// Joins the paths and resolves leading dot segments (RFC 3986 section 5.2.4). Segments that leave a relative folder are kept.
    private static func joined(_ folder: Substring, _ path: Substring) -> String {
        var (folder, path) = (folder, path)
        while true {
            if path.hasPrefix("./") {
                path = path.dropFirst(2)
            } else if path.hasPrefix("../"), folder == "/" {
                path = path.dropFirst(3)
            } else if path.hasPrefix("../"), !folder.isEmpty, folder != "../", !folder.hasSuffix("/../") {
                path = path.dropFirst(3)
                folder = folder.dropLast().lastIndex(of: "/").map { folder[...$0] } ?? ""
            } else {
                return String(folder + path)
            }
        }
    }

    private static func hasScheme(_ reference: String) -> Bool { !self.scheme(of: reference[...]).isEmpty }

    /// Returns the scheme with its colon; empty without one.
    private static func scheme(of reference: Substring) -> Substring {
        let name = reference.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
        guard name.first?.isLetter == true, reference.dropFirst(name.count).first == ":" else { return "" }
        return reference.prefix(name.count + 1)
    }

    /// Returns scheme and authority (`https://host:1`, `//host`); empty without an authority.
    private static func authority(of reference: Substring) -> Substring {
        let scheme = self.scheme(of: reference)
        let rest = reference.dropFirst(scheme.count)
        guard rest.hasPrefix("//") else { return scheme }
        let end = rest.dropFirst(2).firstIndex(of: "/") ?? rest.endIndex
        return reference[..<end]
    }
}
