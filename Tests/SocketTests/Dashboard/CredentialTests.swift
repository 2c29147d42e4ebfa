import BridgeCore
import CastModels
import Testing

@testable import Dashboard

@Suite("Passwords and tokens over the API") struct CredentialTests {
    @Test("an admin sets passwords and makes tokens, and nobody else")
    func roles() async throws {
        try await APIServer.run { server in
            func post(_ path: String, _ body: String, _ role: WebRole = .admin) async throws -> APIAnswer {
                try await server.request("POST", path, role: role, body: body)
            }
            let found1 = try await post("settings/passwords/view", #"{"password":"for the hall"}"#).status
            #expect(found1 == 204)
            let found2 = try await post("settings/passwords/view", #"{"password":null}"#).status
            #expect(found2 == 204)
            let found3 = try await post("settings/passwords/view", #"{"password":"short"}"#).code
            #expect(found3 == "bad_payload")
            let found4 = try await post("settings/passwords/admin", #"{"password":null}"#).code
            #expect(found4 == "bad_payload")
            let found5 = try await post("settings/passwords/root", #"{"password":"long enough"}"#).code
            #expect(found5 == "not_found")
            let found6 = try await post("settings/passwords/view", #"{"password":"for the hall"}"#, .control).code
            #expect(found6 == "forbidden")
            let made = try await post("settings/tokens", #"{"name":"panel","role":"view"}"#)
            #expect(made.status == 201 && made.json["token"]?.stringValue?.hasPrefix("c2m_") == true)
            let found7 = try await post("settings/tokens", #"{"name":"panel","role":"owner"}"#).code
            #expect(found7 == "bad_payload")
            let found8 = try await post("settings/tokens", #"{"name":"panel","role":"view"}"#, .control).code
            #expect(found8 == "forbidden")
            let names = try await server.request("settings/tokens").json["tokens"]?.arrayValue?.compactMap { $0["name"]?.stringValue }
            #expect(names?.sorted() == ["admin", "control", "panel", "view"])
            let found9 = try await server.request("settings/tokens", role: .control).code
            #expect(found9 == "forbidden")
            let found10 = try await server.request("DELETE", "settings/tokens/view").status
            #expect(found10 == 204)
            let found11 = try await server.request("DELETE", "settings/tokens/nobody").code
            #expect(found11 == "not_found")
        }
    }

    @Test("what the file sets can't be taken away, and the answer says so")
    func fixed() async throws {
        try await APIServer.run(password: "password one", for: [.admin, .view]) { server in
            let password = try await server.request("POST", "settings/passwords/view", body: #"{"password":null}"#)
            #expect(password.code == "bad_payload" && password.text.contains("configuration file"))
            for name in ["view", "control"] { #expect(try await server.request("DELETE", "settings/tokens/\(name)").status == 204) }
            #expect(try await server.request("DELETE", "settings/tokens/admin").code == "bad_payload")
        }
    }

    @Test("the last token of admin stays while there is a password, but none of admin")
    func lastToken() async throws {
        try await APIServer.run(password: "password one", for: [.view]) { server in
            let refused = try await server.request("DELETE", "settings/tokens/admin")
            #expect(refused.code == "bad_payload" && refused.text.contains("admin first"))
            #expect(try await server.request("settings/tokens").status == 200)
            let chosen = try await server.request("POST", "settings/passwords/admin", body: #"{"password":"password two"}"#)
            #expect(chosen.status == 204)
            #expect(try await server.request("DELETE", "settings/tokens/admin").status == 204)
        }
    }

    @Test("tokens that are made at once are all kept")
    func atOnce() async throws {
        try await APIServer.run { server in
            try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<20 {
                    group.addTask {
                        try await server.request("POST", "settings/tokens", body: #"{"name":"\#(number)","role":"view"}"#).status
                    }
                }
                for try await status in group { #expect(status == 201) }
            }
            #expect(try await server.request("settings/tokens").json["tokens"]?.arrayValue?.count == 23)
        }
    }

    @Test("with the setup code the first password is that of admin: another one would leave no administrator")
    func first() async throws {
        try await APIServer.run(setupCode: "token-of-admin") { server in
            func set(_ role: String) async throws -> APIAnswer {
                try await server.request("POST", "settings/passwords/\(role)", body: #"{"password":"for the hall"}"#)
            }
            for role in ["view", "control"] {
                let answer = try await set(role)
                #expect(answer.code == "bad_payload" && answer.text.contains("admin first"))
            }
            #expect(try await set("admin").status == 204)
        }
    }

    @Test("another password of a role ends the sessions of that role alone")
    func sessions() throws {
        var web = WebOptions()
        let cost = try #require(PasswordHash.Cost(rounds: 1 << 14, blockSize: 8, parallelism: 1))
        web.passwords = [
            .admin: try PasswordHash.make("password one", cost: cost), .view: try PasswordHash.make("password two", cost: cost),
        ]
        var policy = AccessPolicy(web)
        let (admin, view) = (
            policy.signIn(.admin, origin: RequestOrigin(), now: .zero), policy.signIn(.view, origin: RequestOrigin(), now: .zero)
        )
        web.passwords[.view] = try PasswordHash.make("password three", cost: cost)
        policy.apply(web)
        #expect(policy.isAdmitted(admin.caller, now: .zero) && !policy.isAdmitted(view.caller, now: .zero))
    }
}
