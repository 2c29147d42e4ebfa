extension OpenAPIDocument {
    /// Signing in and out: `SessionRoutes`.
    static let sessionPaths: StaticString = #"""
        "/session": {
          "get": {
            "operationId": "getSession",
            "summary": "Who the caller is",
            "security": [{}],
            "responses": {
              "200": {"description": "The caller.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Session"}}}},
              "401": {"$ref": "#/components/responses/LoginRequired"},
              "421": {"$ref": "#/components/responses/Misdirected"},
              "429": {"$ref": "#/components/responses/RateLimited"}
            }
          },
          "post": {
            "operationId": "signIn",
            "summary": "Sign a browser in",
            "security": [{}],
            "requestBody": {
              "required": true,
              "content": {
                "application/json": {
                  "schema": {"type": "object", "required": ["password"], "properties": {"password": {"type": "string", "maxLength": 1024}}}
                }
              }
            },
            "responses": {
              "200": {
                "description": "Signed in; sets a cookie.",
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Session"}}}
              },
              "400": {"$ref": "#/components/responses/BadRequest"},
              "401": {"$ref": "#/components/responses/LoginRequired"},
              "403": {"$ref": "#/components/responses/Forbidden"},
              "413": {"$ref": "#/components/responses/TooLarge"},
              "415": {"$ref": "#/components/responses/UnsupportedMediaType"},
              "421": {"$ref": "#/components/responses/Misdirected"},
              "429": {"$ref": "#/components/responses/RateLimited"}
            }
          },
          "delete": {
            "operationId": "signOut",
            "summary": "End the session",
            "parameters": [{"$ref": "#/components/parameters/csrf"}],
            "responses": {
              "204": {"description": "Signed out."},
              "401": {"$ref": "#/components/responses/LoginRequired"},
              "403": {"$ref": "#/components/responses/Forbidden"},
              "415": {"$ref": "#/components/responses/UnsupportedMediaType"},
              "421": {"$ref": "#/components/responses/Misdirected"},
              "429": {"$ref": "#/components/responses/RateLimited"}
            }
          }
        }
        """#
}
