extension MediaFinding.Code {
    // The address and its name.
    public static let invalidURL = Self(rawValue: "invalid_url")
    public static let nameNotResolved = Self(rawValue: "name_not_resolved")
    public static let localName = Self(rawValue: "local_name")
    public static let hostsFileName = Self(rawValue: "hosts_file_name")
    public static let loopbackAddress = Self(rawValue: "loopback_address")
    public static let linkLocalAddress = Self(rawValue: "link_local_address")
    public static let addressRefused = Self(rawValue: "address_refused")
    // The connection.
    public static let unreachable = Self(rawValue: "unreachable")
    public static let timedOut = Self(rawValue: "timed_out")
    public static let invalidAnswer = Self(rawValue: "invalid_answer")
    public static let certificateExpired = Self(rawValue: "certificate_expired")
    public static let certificateNotYetValid = Self(rawValue: "certificate_not_yet_valid")
    public static let certificateSelfSigned = Self(rawValue: "certificate_self_signed")
    public static let certificateWrongName = Self(rawValue: "certificate_wrong_name")
    public static let certificateUntrusted = Self(rawValue: "certificate_untrusted")
    public static let tlsFailed = Self(rawValue: "tls_failed")
    // Redirects and status.
    public static let redirectLoop = Self(rawValue: "redirect_loop")
    public static let tooManyRedirects = Self(rawValue: "too_many_redirects")
    public static let redirectToHTTP = Self(rawValue: "redirect_to_http")
    public static let loginRequired = Self(rawValue: "login_required")
    public static let forbidden = Self(rawValue: "forbidden")
    public static let notFound = Self(rawValue: "not_found")
    public static let gone = Self(rawValue: "gone")
    public static let serverError = Self(rawValue: "server_error")
    public static let badStatus = Self(rawValue: "bad_status")
    // The content and its type.
    public static let empty = Self(rawValue: "empty")
    public static let webPage = Self(rawValue: "web_page")
    public static let noContentType = Self(rawValue: "no_content_type")
    public static let wrongContentType = Self(rawValue: "wrong_content_type")
    public static let wrongLoadType = Self(rawValue: "wrong_load_type")
    public static let unknownFormat = Self(rawValue: "unknown_format")
    public static let containerNotSupported = Self(rawValue: "container_not_supported")
    public static let containerDependsOnDevice = Self(rawValue: "container_depends_on_device")
    public static let codecNotSupported = Self(rawValue: "codec_not_supported")
    public static let codecDependsOnDevice = Self(rawValue: "codec_depends_on_device")
    public static let protectedContent = Self(rawValue: "protected_content")
    public static let noScreen = Self(rawValue: "no_screen")
    public static let trackFormat = Self(rawValue: "track_format")
    public static let emptyManifest = Self(rawValue: "empty_manifest")
    // Ranges and CORS.
    public static let noRanges = Self(rawValue: "no_ranges")
    public static let wrongRanges = Self(rawValue: "wrong_ranges")
    public static let indexAtEnd = Self(rawValue: "index_at_end")
    public static let corsMissing = Self(rawValue: "cors_missing")
    public static let corsOtherOrigin = Self(rawValue: "cors_other_origin")
    public static let corsHeaders = Self(rawValue: "cors_headers")
}

extension MediaFinding {
    /// Creates a finding of a known code, with the severity and the remedy of that code.
    package init(_ code: Code, _ subject: Subject, url: String?, _ text: String) {
        let known = Self.known.first { $0.code == code }
        self.init(
            code, severity: known?.severity ?? .error, subject: subject, text: text, remedy: known?.remedy ?? "", url: url)
    }

    /// A code with the parts that all of its findings share.
    package struct Known: Sendable {
        package var code: Code
        package var severity: Severity
        package var remedy: String
    }

    /// All codes, in the order of the documentation.
    package static let known: [Known] = [
        Known(code: .invalidURL, severity: .error, remedy: "Give an absolute http or https address."),
        Known(code: .nameNotResolved, severity: .error, remedy: "Correct the name, or give the numeric address of the server."),
        Known(
            code: .localName, severity: .warning,
            remedy: "Give the numeric address of the server, or a name that the public DNS knows: most devices ask Google's DNS."),
        Known(
            code: .hostsFileName, severity: .warning,
            remedy: "Give the numeric address of the server: the hosts file of this machine is unknown to devices."),
        Known(
            code: .loopbackAddress, severity: .error,
            remedy: "Give the address of the server in the network: on a device, loopback is the device itself."),
        Known(
            code: .linkLocalAddress, severity: .error,
            remedy: "Give an address of the network: a link-local one is valid on one link only and is not fetched from."),
        Known(code: .addressRefused, severity: .error, remedy: "Give the address of a web server."),
        Known(
            code: .unreachable, severity: .error,
            remedy: "Check that the server runs, listens on this port in the network, and that no firewall is between."),
        Known(code: .timedOut, severity: .error, remedy: "Check the load of the server: devices give up after some seconds, too."),
        Known(
            code: .invalidAnswer, severity: .error,
            remedy: "Check that a web server listens on this port, and http or https in the address."),
        Known(code: .certificateExpired, severity: .error, remedy: "Renew the certificate of the server."),
        Known(code: .certificateNotYetValid, severity: .error, remedy: "Check the clocks of this machine and of the server."),
        Known(
            code: .certificateSelfSigned, severity: .error,
            remedy: "Use http, or a certificate of a public authority: devices accept no other."),
        Known(code: .certificateWrongName, severity: .error, remedy: "Use a name in the address that the certificate has."),
        Known(
            code: .certificateUntrusted, severity: .error,
            remedy: "Use http, or a certificate of a public authority, sent with its intermediate certificates."),
        Known(code: .tlsFailed, severity: .error, remedy: "Check that the port speaks TLS 1.2 or 1.3, or use http."),
        Known(code: .redirectLoop, severity: .error, remedy: "Correct the redirects of the server, or give the final address."),
        Known(code: .tooManyRedirects, severity: .error, remedy: "Give the final address."),
        Known(code: .redirectToHTTP, severity: .warning, remedy: "Give an address that stays with https, or begin with http."),
        Known(
            code: .loginRequired, severity: .error,
            remedy: "Give an address that works without a login: devices send no password and no cookie."),
        Known(
            code: .forbidden, severity: .error,
            remedy: "Check the rights of the file, and whether the address has a token that has expired."),
        Known(code: .notFound, severity: .error, remedy: "Check the path, its upper and lower case letters and its %-escapes."),
        Known(code: .gone, severity: .error, remedy: "Get a new address from the service; this one has ended."),
        Known(code: .serverError, severity: .error, remedy: "Look into the log of the server."),
        Known(code: .badStatus, severity: .error, remedy: "Open the address in a browser without a login and check the answer."),
        Known(code: .empty, severity: .error, remedy: "Check the file on the server: it has no bytes."),
        Known(
            code: .webPage, severity: .error,
            remedy: "Give the address of the file or stream itself, not of the page that shows it."),
        Known(code: .noContentType, severity: .warning, remedy: "Have the server send a Content-Type for this kind of file."),
        Known(code: .wrongContentType, severity: .warning, remedy: "Have the server send the Content-Type that the content has."),
        Known(code: .wrongLoadType, severity: .error, remedy: "Load it with the content type that the content has: it chooses the player."),
        Known(
            code: .unknownFormat, severity: .warning,
            remedy: "Check that the file plays elsewhere; Cast devices play MP4, WebM, MP3 and others."),
        Known(
            code: .containerNotSupported, severity: .error,
            remedy: "Convert it to MP4, WebM, HLS or, for sound, MP3, AAC, FLAC, Ogg or WAV."),
        Known(
            code: .containerDependsOnDevice, severity: .warning,
            remedy: "Convert it to MP4 if this device does not play it; no codec has to change."),
        Known(code: .codecNotSupported, severity: .error, remedy: "Convert it to H.264 or VP9 with AAC, MP3 or Opus."),
        Known(
            code: .codecDependsOnDevice, severity: .warning,
            remedy:
                "Convert it to H.264 with AAC if this device does not play it: older models can't, and surround sound needs a fitting receiver."
        ),
        Known(
            code: .protectedContent, severity: .warning,
            remedy: "Use the application that has the licence: the Default Media Receiver has none."),
        Known(code: .noScreen, severity: .warning, remedy: "Choose a device with a screen, or load sound."),
        Known(code: .trackFormat, severity: .error, remedy: "Convert the text track to WebVTT (or TTML) with the type text/vtt."),
        Known(code: .emptyManifest, severity: .error, remedy: "Check what makes the manifest: it names nothing to play."),
        Known(
            code: .noRanges, severity: .warning,
            remedy: "Use a server that answers Range requests: otherwise seeking begins from the start."),
        Known(code: .wrongRanges, severity: .error, remedy: "Correct the server's answers to Range requests, or turn them off."),
        Known(
            code: .indexAtEnd, severity: .error,
            remedy: "Put the index first (ffmpeg -movflags +faststart), or use a server that answers Range requests."),
        Known(
            code: .corsMissing, severity: .error,
            remedy: "Have the server send Access-Control-Allow-Origin: * for manifests, segments, tracks, and media with tracks."),
        Known(code: .corsOtherOrigin, severity: .error, remedy: "Have the server send Access-Control-Allow-Origin: *."),
        Known(
            code: .corsHeaders, severity: .warning,
            remedy: "Answer OPTIONS with Access-Control-Allow-Headers: Content-Type, Accept-Encoding, Range."),
    ]
}
