/// The OpenAPI description of the API, for tools that generate clients or documentation.
///
/// Written by hand; `OpenAPITests` compares it with the routes and their answers.
enum OpenAPIDocument {
    /// OpenAPI 3.1 as JSON text. Its addresses are relative to its own.
    static var text: String {
        let paths = [self.sessionPaths, self.documentPaths, self.commandPaths, self.bridgePaths].map(\.description).joined(separator: ",\n")
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
              "paths": {
            \#(paths)
              },
              "components": {
            \#(self.responses),
            \#(self.schemas)
              }
            }
            """#
    }
}
