import Foundation
import TestSupport
import Testing

/// The web server of the program itself, with what its commands make.
@Suite("The web server of the program", .serialized)
struct WebServerTests {
    /// Asks over https, and prints a line for each answer: its status and the beginning of its body.
    private static let client = """
        import json, ssl, sys, urllib.request
        base, ca, token = sys.argv[1:4]
        context = ssl.create_default_context(cafile=ca)
        def ask(path, data=None, **headers):
            request = urllib.request.Request(base + path, data=data, headers={name.replace("_", "-"): value for name, value in headers.items()})
            try: answer = urllib.request.urlopen(request, context=context)
            except urllib.error.HTTPError as error: answer = error
            body = answer.read().decode()
            print(path, answer.status, answer.headers.get("Set-Cookie", "-").split(";")[-1].strip(), body[:60].replace("\\n", " "), flush=True)
            return body
        ask("/")
        ask("/api/v1/state")
        ask("/api/v1/state", Authorization="Bearer " + token)
        ask("/api/v1/configuration", Authorization="Bearer " + token)
        login = {"Content_Type": "application/json", "Origin": base}
        ask("/api/v1/session", json.dumps({"password": "wrong"}).encode(), **login)
        ask("/api/v1/session", json.dumps({"password": "correct horse"}).encode(), **login)
        base = "http://127.0.0.1:9099"
        ask("/metrics")
        ask("/ready")
        """

    @Test("takes what hash-password and make-token print, speaks TLS with an own certificate, and serves metrics alone")
    func program() async throws {
        let program = try Programs.locate("cast2mqtt")
        let hash = try ShortProgram.run(["sh", "-c", "echo 'correct horse' | '\(program)' hash-password"])
        let made = try ShortProgram.run([program, "make-token", "ci", "--role", "control"])
        let token = try #require(made.firstMatch(of: /token: (c2m_[0-9a-f]{64})/)).1
        let entry = try #require(made.firstMatch(of: /name: (ci), role: (control), hash: ([0-9a-f]{64})/))
        #expect(!made.dropFirst(made.distance(from: made.startIndex, to: entry.range.lowerBound)).contains(token))
        let host = try await NetworkNamespace("web")
        let certificates = try TestCertificates.make()
        let folder = NSTemporaryDirectory() + "web-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let bridge = try await ChildProcess(
            "cast2mqtt", ["run"],
            environment: [
                "CAST2MQTT_STATE_DIRECTORY": folder, "CAST2MQTT_DISCOVERY_MDNS": "false", "CAST2MQTT_WEB_LISTEN": "0.0.0.0:8443",
                "CAST2MQTT_WEB_PASSWORDS_ADMIN": hash.trimmingCharacters(in: .newlines),
                "CAST2MQTT_WEB_TOKENS": "\(entry.1):\(entry.2):\(entry.3)", "CAST2MQTT_WEB_TLS_CERTIFICATE_FILE": certificates.server,
                "CAST2MQTT_WEB_TLS_KEY_FILE": certificates.serverKey, "CAST2MQTT_METRICS_LISTEN": "127.0.0.1:9099",
            ], namespace: host)
        try await bridge.line(containing: "https://0.0.0.0:8443/")
        try await bridge.line(containing: "http://127.0.0.1:9099/")
        try await bridge.line(containing: "bridge online")
        let asked = try await ChildProcess(
            "python3", ["-c", Self.client, "https://localhost:8443", certificates.ca, String(token)], namespace: host)
        #expect(try await asked.ended() == 0, "\(asked.lines)")
        let answers = asked.lines.map { $0.split(separator: " ", maxSplits: 3).map(String.init) }
        #expect(
            answers.map { "\($0[0]) \($0[1])" } == [
                "/ 200", "/api/v1/state 401", "/api/v1/state 200", "/api/v1/configuration 403", "/api/v1/session 401",
                "/api/v1/session 200",
                "/metrics 200", "/ready 200",
            ], "\(asked.lines)")
        #expect(answers[5][2] == "Secure")
        // The log lines of wrong guesses contain no password.
        #expect(bridge.lines.contains { $0.contains("wrong password for the web page") } && !bridge.text.contains("correct horse"))
        try await bridge.stop()
    }

    /// Asks directly and through a proxy on this machine that adds no header and changes Host.
    private static let visitor = """
        import json, socket, sys, time, urllib.request
        code = sys.argv[1]
        # The proxy may still be starting.
        for _ in range(200):
            try: socket.create_connection(("127.0.0.1", 8080)).close()
            except OSError: time.sleep(0.1)
            else: break
        def ask(path, port=8099, data=None, **headers):
            headers = {name.replace("_", "-"): value for name, value in headers.items()}
            request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", data=data, headers=headers)
            try: answer = urllib.request.urlopen(request)
            except urllib.error.HTTPError as error: answer = error
            print(port, path, answer.status, answer.headers.get("Set-Cookie", "").split("=")[0], flush=True)
            return answer
        for port in (8099, 8080):
            for path in ("/", "/health", "/ready", "/metrics", "/api/v1/state", "/api/v1/configuration"): ask(path, port)
        ask("/api/v1/configuration", Authorization="Bearer " + code)
        ask("/api/v1/configuration", Authorization="Bearer " + code[::-1])
        login = {"Content_Type": "application/json", "Origin": "http://127.0.0.1:8099"}
        ask("/api/v1/session", data=json.dumps({"password": code[::-1]}).encode(), **login)
        session = ask("/api/v1/session", data=json.dumps({"password": code}).encode(), **login)
        cookie = session.headers["Set-Cookie"].split(";")[0]
        first = json.dumps({"password": "correct horse"}).encode()
        ask("/api/v1/session/first-password", data=first, **login)
        ask("/api/v1/session/first-password", data=first, Cookie=cookie, X_CSRF_Token=json.load(session)["csrf"], **login)
        ask("/api/v1/session", data=json.dumps({"password": code}).encode(), **login)
        ask("/api/v1/session", data=first, **login)
        """

    @Test("without a password the page asks for the setup code of the run, on this machine and behind a proxy that was forgotten")
    func setupCode() async throws {
        let host = try await NetworkNamespace("code")
        let folder = NSTemporaryDirectory() + "web-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        // An ordinary user's namespace has no other user.
        let configuration = """
            user root; pid \(folder)/pid; error_log \(folder)/error; events {}
            http { access_log off; client_body_temp_path \(folder)/b; proxy_temp_path \(folder)/p; fastcgi_temp_path \(folder)/f;
            uwsgi_temp_path \(folder)/u; scgi_temp_path \(folder)/s;
            server { listen 127.0.0.1:8080;
            location / { proxy_pass http://127.0.0.1:8099; } } }
            """
        try configuration.write(toFile: folder + "/nginx.conf", atomically: true, encoding: .utf8)
        let nginx = try await ChildProcess("nginx", ["-g", "daemon off;", "-c", folder + "/nginx.conf", "-p", folder], namespace: host)
        let environment = [
            "CAST2MQTT_STATE_DIRECTORY": folder + "/state", "CAST2MQTT_DISCOVERY_MDNS": "false",
            "CAST2MQTT_WEB_LISTEN": "127.0.0.1:8099",
        ]
        let bridge = try await ChildProcess("cast2mqtt", ["run"], environment: environment, namespace: host)
        let link = try await bridge.line(containing: "#code=")
        try await bridge.line(containing: "bridge online")
        let code = try #require(link.firstMatch(of: /http:\/\/127\.0\.0\.1:8099\/#code=([0-9a-f]{32})$/)).1
        let printed = try await ChildProcess("cast2mqtt", ["setup-code"], environment: environment, namespace: host)
        #expect(try await printed.ended() == 0 && printed.lines == [String(code)])
        let file = folder + "/state/setup-code"
        #expect(try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == 0o600)

        try await eventually("nginx listens") { FileManager.default.fileExists(atPath: folder + "/pid") }
        // The last of it chooses a password, since who is signed in with the code need not say it again.
        let asked = try await ChildProcess("python3", ["-c", Self.visitor, String(code)], namespace: host)
        #expect(try await asked.ended() == 0, "\(asked.lines)")
        let bare = ["/ 200", "/health 200", "/ready 200", "/metrics 200", "/api/v1/state 401", "/api/v1/configuration 401"]
        let direct: [String] = bare.map { "8099 " + $0 }
        let proxied: [String] = bare.map { "8080 " + $0 }
        let signedIn = [
            "8099 /api/v1/configuration 200", "8099 /api/v1/configuration 401", "8099 /api/v1/session 401",
            "8099 /api/v1/session 200 sid-8099", "8099 /api/v1/session/first-password 400", "8099 /api/v1/session/first-password 204",
            "8099 /api/v1/session 401", "8099 /api/v1/session 200 sid-8099",
        ]
        let answers: [String] = asked.lines.map { $0.trimmingCharacters(in: .whitespaces) }
        #expect(answers == direct + proxied + signedIn)
        // It is printed once, and no log line has it.
        #expect(bridge.lines.count { $0.contains(code) } == 1)
        try await bridge.stop()

        // Void once there is a password.
        let hash = try ShortProgram.run(["sh", "-c", "echo 'correct horse' | '\(try Programs.locate("cast2mqtt"))' hash-password"])
        let locked = try await ChildProcess(
            "cast2mqtt", ["run"],
            environment: environment.merging(["CAST2MQTT_WEB_PASSWORDS_ADMIN": hash.trimmingCharacters(in: .newlines)]) { $1 },
            namespace: host)
        try await locked.line(containing: "bridge online")
        #expect(!FileManager.default.fileExists(atPath: file) && !locked.text.contains("#code="))
        let none = try await ChildProcess("cast2mqtt", ["setup-code"], environment: environment, namespace: host)
        #expect(try await none.ended() == 1 && none.lines.first?.hasPrefix("no setup code: ") == true)
        try await locked.stop()
        try await nginx.stop()
    }

    @Test("files that are no certificate end the start with the key's name")
    func wrongCertificate() async throws {
        let bridge = try await ChildProcess(
            "cast2mqtt", ["run"],
            environment: [
                "CAST2MQTT_WEB_LISTEN": "127.0.0.1:0", "CAST2MQTT_WEB_TLS_CERTIFICATE_FILE": "/dev/null",
                "CAST2MQTT_WEB_TLS_KEY_FILE": "/dev/null", "CAST2MQTT_MQTT_HOST": "127.0.0.1", "CAST2MQTT_DISCOVERY_MDNS": "false",
            ])
        #expect(try await bridge.ended() == 78)
        #expect(bridge.lines.contains { $0.hasPrefix("web.tls.certificate_file: /dev/null") }, "\(bridge.lines)")
    }

    @Test("a password that is too short is refused")
    func shortPassword() throws {
        let program = try Programs.locate("cast2mqtt")
        let failure = #expect(throws: ShortProgram.Failure.self) {
            try ShortProgram.run(["sh", "-c", "echo short | '\(program)' hash-password"])
        }
        #expect(failure?.description.contains("failed with 64") == true)
    }

    /// Asks the page of 10.77.0.1 from another machine, and prints the status of each answer.
    private static let firstVisitor = """
        import http.cookiejar, json, sys, urllib.error, urllib.request
        code, jar = sys.argv[1], http.cookiejar.CookieJar()
        opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(jar))
        def ask(path, data=None, **headers):
            headers = {name.replace("_", "-"): value for name, value in headers.items()}
            if data is not None: headers |= {"Content-Type": "application/json", "Origin": "http://10.77.0.1:8099"}
            request = urllib.request.Request("http://10.77.0.1:8099" + path, data if data is None else json.dumps(data).encode(), headers)
            try: answer = opener.open(request)
            except urllib.error.HTTPError as error: answer = error
            print(path.split("/")[-1], answer.status)
            return answer.read()
        first = "/api/v1/session/first-password"
        ask("/"); ask("/api/v1/state"); ask("/api/v1/state", Authorization="Bearer " + code)
        ask("/api/v1/session", {"password": code})
        ask(first, {"code": code, "password": "short"})
        ask(first, {"code": code, "password": "correct horse"}, X_Forwarded_For="192.168.1.5")
        for _ in range(6): ask(first, {"code": code[::-1], "password": "correct horse"})
        ask(first, {"code": code, "password": "correct horse"})
        ask(first, {"code": code, "password": "another horse"})
        ask("/api/v1/session", {"password": "correct horse"})
        ask("/api/v1/state")
        """

    @Test("from the network a page without a password lets one be chosen with the setup code, and nothing else")
    func firstPassword() async throws {
        let house = try await Household.onThreeHosts(devices: 1)
        try await house.broker.start()
        let environment = ["CAST2MQTT_WEB_LISTEN": "0.0.0.0:8099", "CAST2MQTT_DISCOVERY_MDNS": "false"]
        let bridge = try await house.startBridge(environment)
        let link = try await bridge.line(containing: "#code=")
        try await bridge.line(containing: "bridge online")
        let code = try #require(link.firstMatch(of: /#code=([0-9a-f]{32})$/)).1
        let visit = try await ChildProcess("python3", ["-c", Self.firstVisitor, String(code)], namespace: house.hosts.broker)
        #expect(try await visit.ended() == 0, "\(visit.lines)")
        let answers: [String] = visit.lines.map { $0.trimmingCharacters(in: .whitespaces) }
        let guesses = [String](repeating: "first-password 401", count: 5) + ["first-password 429"]
        let expected =
            [" 200", "state 401", "state 401", "session 401", "first-password 400", "first-password 403"].map {
                $0.trimmingCharacters(in: .whitespaces)
            }
            + guesses + ["first-password 204", "first-password 403", "session 200", "state 200"]
        #expect(answers == expected)
        let settings = try String(contentsOfFile: house.stateDirectory + "/settings.yaml", encoding: .utf8)
        #expect(settings.contains("scrypt:") && !settings.contains("correct horse"))
        try await bridge.stop()
        let again = try await house.startBridge(environment)
        try await again.line(containing: "bridge online")
        #expect(!again.text.contains("#code="), "there is a password now")
    }
}
