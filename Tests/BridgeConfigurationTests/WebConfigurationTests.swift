import BridgeConfiguration
import BridgeCore
import CastModels
import Testing

@Suite("The web page's configuration")
struct WebConfigurationTests {
    static let hash = "scrypt:16384:8:5:" + String(repeating: "ab", count: 16) + ":" + String(repeating: "cd", count: 32)
    static let digest = String(repeating: "ef", count: 32)

    @Test("a password's hash can be in a file that a variable names, without the newline at its end")
    func passwordFile() throws {
        let variable = "CAST2MQTT_WEB_PASSWORDS_ADMIN_FILE"
        let environment = ["CAST2MQTT_WEB_LISTEN": "0.0.0.0:8099", variable: "/run/s"]
        #expect(try load(environment: environment, files: ["/run/s": Self.hash + "\n"]).web.passwords[.admin]?.text == Self.hash)
        let yaml = "web: {passwords: {admin: '\(Self.hash.replacing("abab", with: "cdcd"))'}}"
        #expect(try load(yaml, environment: environment, files: ["/run/s": Self.hash]).web.passwords[.admin]?.text == Self.hash)
        #expect(problems(environment: environment).first == "\(variable): web.passwords.admin: names a file that does not exist")
        let plain = problems(environment: environment, files: ["/run/s": "open sesame"]).first
        #expect(plain?.contains("hash-password") == true && plain?.contains("sesame") == false)
        #expect(
            problems(environment: environment.merging(["CAST2MQTT_WEB_PASSWORDS_ADMIN": Self.hash]) { $1 }, files: ["/run/s": Self.hash])
                .first == "\(variable): is set beside CAST2MQTT_WEB_PASSWORDS_ADMIN; set one of them")
        // Any other variable of this form is unknown.
        #expect(try load(environment: ["CAST2MQTT_INSTANCE_FILE": "/run/s"]).instance == "home")
    }

    @Test("reads everything that it takes")
    func everything() throws {
        let web = try load(
            """
            web:
              listen: ["0.0.0.0:8099", "[::1]:8099"]
              names: [Cast.lan, "cast.example.org:8443", "[FD00::1]:80"]
              trusted_proxies: [172.30.32.2, 10.0.0.0/8]
              frame_origins: ["https://Panel.lan:8123"]
              passwords: {view: null, admin: "\(Self.hash)"}
              tokens: [{name: panel, role: view, hash: \(Self.digest)}, "ci:admin:\(Self.digest)"]
              tls: {certificate_file: /c, key_file: /k}
              page:
                language: de
                introduction: {text: Hier, title_position: below}
                mini_slots: [none, play_pause, "custom:radio"]
                expanded_slots: [mute, skip_previous, skip_next, none]
                custom_buttons: {radio: {icon: radio, label: Radio, command: cmd/launch, payload: My Radio}}
                theme: {accent: "#0b57d0", radius: 8, dark: {background: "#10101080"}, mini_controller: {font: "Inter, sans-serif"}}
            metrics: {listen: ["127.0.0.1:9099"]}
            media: {listen: ["0.0.0.0:8097"], folders: {films: /srv/films, songs: /srv/a=b}, advertise: NAS.lan}
            """
        )
        #expect(web.media.folders == [MediaFolder(name: "films", path: "/srv/films"), MediaFolder(name: "songs", path: "/srv/a=b")])
        #expect(web.media.listen.map(\.port) == [8097] && web.media.advertise?.description == "nas.lan")
        let variables = ["CAST2MQTT_MEDIA_LISTEN": "0.0.0.0:8097", "CAST2MQTT_MEDIA_FOLDERS": "films=/srv/films, songs=/srv/a=b"]
        #expect(try load(environment: variables).media.folders == web.media.folders)
        #expect(web.web.listen.map(\.description) == ["0.0.0.0:8099", "[::1]:8099"])
        #expect(web.web.names.map(\.description) == ["cast.lan", "cast.example.org:8443", "[fd00::1]:80"])
        #expect(web.web.frameOrigins == ["https://panel.lan:8123"])
        #expect(Array(web.web.passwords.keys) == [.admin])
        #expect(web.web.passwords[.admin]?.text == Self.hash)
        #expect(web.web.tokens.map(\.name) == ["panel", "ci"])
        #expect(web.web.tokens.map(\.role) == [.view, .admin])
        #expect(web.metrics.listen.map(\.port) == [9099])
        let page = JSONValue.object(web.web.page.json)
        #expect(page["language"] == "de" && page["introduction"]?["title_position"] == "below" && page["introduction"]?["title"] == .null)
        #expect(page["mini_slots"] == ["none", "play_pause", "custom:radio"])
        #expect(page["custom_buttons"]?["radio"]?["command"] == "cmd/launch")
        #expect(
            page["theme"] == [
                "accent": "#0B57D0", "radius": 8, "dark": ["background": "#10101080"], "mini_controller": ["font": "Inter, sans-serif"],
            ])
    }

    static let wrong: [(yaml: String, key: String, hint: String)] = [
        ("web: {listen: [localhost:8099]}", "web.listen", "127.0.0.1:8099"),
        ("web: {listen: ['127.0.0.1']}", "web.listen", "address and a port"),
        ("web: {listen: ['127.0.0.1:65536']}", "web.listen", "address and a port"),
        ("web: {listen: ['::1:8099']}", "web.listen", "address and a port"),
        ("web: {listen: 8099}", "web.listen", "a list"),
        ("web: {names: ['http://cast.lan']}", "web.names", "without scheme"),
        ("web: {names: ['a b']}", "web.names", "host name"),
        ("web: {trusted_proxies: [nginx]}", "web.trusted_proxies", "network"),
        ("web: {trusted_proxies: [10.0.0.0/33]}", "web.trusted_proxies", "network"),
        ("web: {trusted_proxies: [0.0.0.0/0]}", "web.trusted_proxies", "not one that contains every address"),
        ("web: {frame_origins: [panel.lan]}", "web.frame_origins", "origin"),
        ("web: {frame_origins: ['https://panel.lan/x']}", "web.frame_origins", "without a path"),
        ("web: {frame_origins: [\"https://a; script-src *\"]}", "web.frame_origins", "origin"),
        ("web: {passwords: {admin: secret}}", "web.passwords.admin", "hash-password"),
        // Too little work, too much memory, a short salt.
        ("web: {passwords: {admin: 'scrypt:1024:8:5:00:00'}}", "web.passwords.admin", "hash-password"),
        ("web: {passwords: {admin: '\(Self.hash.replacing("16384:8", with: "1048576:16"))'}}", "web.passwords.admin", "hash-password"),
        ("web: {passwords: {admin: '\(Self.hash.replacing("abab", with: ""))'}}", "web.passwords.admin", "hash-password"),
        ("web: {tokens: ['a:root:\(Self.digest)']}", "web.tokens", "view, control, admin"),
        ("web: {tokens: ['a:view:12']}", "web.tokens", "make-token"),
        ("web: {tokens: ['a:view:\(Self.digest)', 'a:admin:\(Self.digest)']}", "web.tokens", "twice"),
        ("web: {page: {language: fr}}", "web.page.language", "auto, en, de"),
        ("web: {page: {mini_slots: [none]}}", "web.page.mini_slots", "a list of 3 buttons"),
        ("web: {page: {expanded_slots: [none, mute, mute, volume]}}", "web.page.expanded_slots", "closed_captions"),
        ("web: {page: {custom_buttons: [a]}}", "web.page.custom_buttons", "by their names"),
        ("web: {page: {custom_buttons: {A: {label: x, command: cmd/play}}}}", "web.page.custom_buttons", "a-z"),
        ("web: {page: {custom_buttons: {a: {label: x}}}}", "web.page.custom_buttons", "needs label and command"),
        ("web: {page: {custom_buttons: {a: {label: x, command: bridge/request/restart}}}}", "web.page.custom_buttons", "below the device"),
        ("web: {page: {theme: {accent: red}}}", "web.page.theme", "#RRGGBB"),
        ("web: {page: {theme: {radius: 65}}}", "web.page.theme", "0 to 64"),
        ("web: {page: {theme: {font: 'a;b'}}}", "web.page.theme", "fonts"),
        ("web: {page: {theme: {footer: {}}}}", "web.page.theme", "mini_controller"),
        ("metrics: {listen: [9099]}", "metrics.listen", "address and a port"),
        ("media: {listen: [nas]}", "media.listen", "address and a port"),
        ("media: {folders: {films: films}}", "media.folders", "absolute path"),
        ("media: {folders: {a/b: /films}}", "media.folders", "letters"), ("media: {folders: {.ssh: /films}}", "media.folders", "names"),
        ("media: {folders: ['films:/films']}", "media.folders", "absolute path"), ("media: {folders: films}", "media.folders", "a list"),
        ("media: {folders: ['a=/x', 'a=/y']}", "media.folders", "names"),
        ("media: {folders: {\((0...32).map { "f\($0): /f" }.joined(separator: ", "))}}", "media.folders", "at most 32"),
        ("media: {advertise: 'http://nas.lan'}", "media.advertise", "without scheme"),
    ]

    @Test("refuses a wrong value with its key", arguments: wrong)
    func wrongValue(yaml: String, key: String, hint: String) {
        let lines = problems(yaml)
        #expect(lines.count == 1 && lines[0].hasPrefix("test.yaml:1: \(key): ") && lines[0].contains(hint), "\(lines)")
    }

    static let combinations: [(yaml: String, line: String)] = [
        ("web: {names: [cast.lan]}", "web.names: has no effect without web.listen"),
        ("web: {passwords: {view: '\(Self.hash)'}}", "web.passwords: has no effect without web.listen"),
        (
            "web: {listen: ['127.0.0.1:1'], tls: {key_file: /k}}",
            "web.tls.certificate_file: and web.tls.key_file must be set together"
        ),
        ("web: {listen: ['127.0.0.1:1', '127.0.0.1:1']}", "web.listen: has 127.0.0.1:1 twice"),
        ("{web: {listen: ['127.0.0.1:1']}, metrics: {listen: ['127.0.0.1:1']}}", "metrics.listen: has 127.0.0.1:1 twice"),
        ("media: {folders: {films: /films}}", "media.folders: has no effect without media.listen"),
        ("media: {advertise: nas.lan}", "media.advertise: has no effect without media.listen"),
        ("{web: {listen: ['127.0.0.1:1']}, media: {listen: ['127.0.0.1:1']}}", "media.listen: has 127.0.0.1:1 twice"),
        (
            "web: {page: {mini_slots: [none, none, 'custom:x']}}",
            "web.page.mini_slots: names custom:x, which web.page.custom_buttons lacks"
        ),
    ]

    @Test("refuses what has no effect or is not safe", arguments: combinations)
    func combination(yaml: String, line: String) { #expect(problems(yaml) == [line]) }

    @Test("needs no password on loopback, and a token is enough elsewhere")
    func accepted() throws {
        _ = try load("web: {listen: ['127.0.0.1:8099', '[::1]:8099', '127.0.0.53:0']}")
        _ = try load(environment: ["CAST2MQTT_WEB_LISTEN": "0.0.0.0:8099", "CAST2MQTT_WEB_TOKENS": "ci:admin:\(Self.digest)"])
        _ = try load("{web: {names: [cast.lan]}, metrics: {listen: ['0.0.0.0:9099']}}")
    }

    @Test("shows neither hashes nor their parts")
    func hidden() throws {
        let configuration = try load("web: {listen: ['127.0.0.1:1'], passwords: {admin: '\(Self.hash)'}}")
        var dumped = ""
        dump(configuration, to: &dumped)
        #expect(!"\(configuration)\(dumped)".contains("cdcd"))
    }
}
