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

    /// All codes, in the order of the documentation, each with the parts that all of its findings share.
    package static let known: [(code: Code, severity: Severity, remedy: String)] = [
        (.invalidURL, .error, "Give an absolute http or https address."),
        (.nameNotResolved, .error, "Correct the name, or give the numeric address of the server."),
        (
            .localName, .warning,
            "Give the numeric address of the server, or a name that the public DNS knows: most devices ask Google's DNS."
        ),
        (.hostsFileName, .warning, "Give the numeric address of the server: the hosts file of this machine is unknown to devices."),
        (.loopbackAddress, .error, "Give the address of the server in the network: on a device, loopback is the device itself."),
        (.linkLocalAddress, .error, "Give an address of the network: a link-local one is valid on one link only and is not fetched from."),
        (.addressRefused, .error, "Give the address of a web server."),
        (.unreachable, .error, "Check that the server runs, listens on this port in the network, and that no firewall is between."),
        (.timedOut, .error, "Check the load of the server: devices give up after some seconds, too."),
        (.invalidAnswer, .error, "Check that a web server listens on this port, and http or https in the address."),
        (.certificateExpired, .error, "Renew the certificate of the server."),
        (.certificateNotYetValid, .error, "Check the clocks of this machine and of the server."),
        (.certificateSelfSigned, .error, "Use http, or a certificate of a public authority: devices accept no other."),
        (.certificateWrongName, .error, "Use a name in the address that the certificate has."),
        (.certificateUntrusted, .error, "Use http, or a certificate of a public authority, sent with its intermediate certificates."),
        (.tlsFailed, .error, "Check that the port speaks TLS 1.2 or 1.3, or use http."),
        (.redirectLoop, .error, "Correct the redirects of the server, or give the final address."),
        (.tooManyRedirects, .error, "Give the final address."),
        (.redirectToHTTP, .warning, "Give an address that stays with https, or begin with http."),
        (.loginRequired, .error, "Give an address that works without a login: devices send no password and no cookie."),
        (.forbidden, .error, "Check the rights of the file, and whether the address has a token that has expired."),
        (.notFound, .error, "Check the path, its upper and lower case letters and its %-escapes."),
        (.gone, .error, "Get a new address from the service; this one has ended."),
        (.serverError, .error, "Look into the log of the server."),
        (.badStatus, .error, "Open the address in a browser without a login and check the answer."),
        (.empty, .error, "Check the file on the server: it has no bytes."),
        (.webPage, .error, "Give the address of the file or stream itself, not of the page that shows it."),
        (.noContentType, .warning, "Have the server send a Content-Type for this kind of file."),
        (.wrongContentType, .warning, "Have the server send the Content-Type that the content has."),
        (.wrongLoadType, .error, "Load it with the content type that the content has: it chooses the player."),
        (.unknownFormat, .warning, "Check that the file plays elsewhere; Cast devices play MP4, WebM, MP3 and others."),
        (.containerNotSupported, .error, "Convert it to MP4, WebM, HLS or, for sound, MP3, AAC, FLAC, Ogg or WAV."),
        (.containerDependsOnDevice, .warning, "Convert it to MP4 if this device does not play it; no codec has to change."),
        (.codecNotSupported, .error, "Convert it to H.264 or VP9 with AAC, MP3 or Opus."),
        (
            .codecDependsOnDevice, .warning,
            "Convert it to H.264 with AAC if this device does not play it: older models can't, and surround sound needs a fitting receiver."
        ),
        (.protectedContent, .warning, "Use the application that has the licence: the Default Media Receiver has none."),
        (.noScreen, .warning, "Choose a device with a screen, or load sound."),
        (.trackFormat, .error, "Convert the text track to WebVTT (or TTML) with the type text/vtt."),
        (.emptyManifest, .error, "Check what makes the manifest: it names nothing to play."),
        (.noRanges, .warning, "Use a server that answers Range requests: otherwise seeking begins from the start."),
        (.wrongRanges, .error, "Correct the server's answers to Range requests, or turn them off."),
        (.indexAtEnd, .error, "Put the index first (ffmpeg -movflags +faststart), or use a server that answers Range requests."),
        (
            .corsMissing, .error,
            "Have the server send Access-Control-Allow-Origin: * for manifests, segments, tracks, and media with tracks."
        ),
        (.corsOtherOrigin, .error, "Have the server send Access-Control-Allow-Origin: *."),
        (.corsHeaders, .warning, "Answer OPTIONS with Access-Control-Allow-Headers: Content-Type, Accept-Encoding, Range."),
    ]
}
