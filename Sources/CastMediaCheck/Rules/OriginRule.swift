/// Decides whether a receiver's page may read a response (WHATWG Fetch, section "HTTP extensions"). Pure.
enum OriginRule {
    /// The origin of Google's receivers, including the Default Media Receiver.
    static let origin = "https://www.gstatic.com"
    /// The headers that a server must allow for tracks, as Google's guide on tracks requires.
    static let neededHeaders = ["content-type", "accept-encoding", "range"]

    /// - Parameter allowed: the value of Access-Control-Allow-Origin.
    /// - Returns: `nil` when the page may read it.
    static func finding(allowed: String?) -> MediaFinding.Code? {
        guard let allowed = allowed.map({ $0.trimmingSpace }), !allowed.isEmpty else { return .corsMissing }
        return allowed == "*" || allowed == self.origin ? nil : .corsOtherOrigin
    }

    /// - Parameter allowed: the value of Access-Control-Allow-Headers.
    /// - Returns: the needed headers that are not in the list.
    static func missingHeaders(allowed: String?) -> [String] {
        let names = (allowed ?? "").lowercased().split(separator: ",").map { String($0).trimmingSpace }
        return names.contains("*") ? [] : self.neededHeaders.filter { !names.contains($0[...]) }
    }
}
