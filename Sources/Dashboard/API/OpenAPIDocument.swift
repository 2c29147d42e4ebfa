/// The OpenAPI description of the API, for tools that generate clients or documentation.
///
/// Written by hand; `OpenAPITests` compares it with the routes and their answers.
enum OpenAPIDocument {
    /// OpenAPI 3.1 as JSON text. Its addresses are relative to its own.
    static var text: String {
        let operations = Dictionary(grouping: self.operations, by: \.path).sorted { $0.key < $1.key }
        let paths = operations.map { path, operations in
            let servers = self.besideAPI.contains(path) ? [#""servers": [{"url": "../.."}]"#] : []
            return "\"\(path)\": {\((servers + operations.map(\.text)).joined(separator: ",\n"))}"
        }
        let refusals = OpenAPIOperation.refusals.sorted { $0.key < $1.key }.map { refusal in
            "\"\(refusal.value.name)\": "
                + OpenAPIOperation.body(refusal.value.description, ["application/json"], OpenAPIOperation.schema("Error"))
        }
        return #"""
            {
              "openapi": "3.1.0",
              "info": {
                "title": "cast2mqtt",
                "version": "1",
                "description": "Google Cast devices as JSON documents and commands. The documents and the payloads of commands are those of the MQTT topics; docs/TOPICS.md describes them."
              },
              "servers": [{"url": "."}],
              "security": [{"token": []}, {"session": []}, {}],
              "paths": {\#(paths.joined(separator: ",\n"))},
              "components": {
                "securitySchemes": {
                  "token": {"type": "http", "scheme": "bearer", "description": "A token made by cast2mqtt make-token."},
                  "session": {
                    "type": "apiKey",
                    "in": "cookie",
                    "name": "sid",
                    "description": "The cookie of a browser that has signed in; over https its name is __Host-sid or __Secure-sid."
                  }
                },
                "parameters": {
                  "csrf": \#(OpenAPIOperation.parameter("X-CSRF-Token", in: "header", "csrf of /session; not with a token."))
                },
                "responses": {\#(refusals.joined(separator: ",\n"))},
                \#(self.schemas)
              }
            }
            """#
    }
}
