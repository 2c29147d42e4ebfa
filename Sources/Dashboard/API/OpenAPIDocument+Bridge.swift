extension OpenAPIDocument {
    /// The bridge itself: log, settings, this description, metrics and health.
    static let bridgePaths: StaticString = #"""
        "/log": {
          "get": {
            "operationId": "getLog",
            "summary": "The last lines of the log",
            "parameters": [
              {
                "name": "level",
                "in": "query",
                "description": "The lowest level; info without it.",
                "schema": {"$ref": "#/components/schemas/LogLevel"}
              },
              {
                "name": "filter",
                "in": "query",
                "description": "A pattern on the label or the name of the type behind its last point: CastSender.*.",
                "schema": {"type": "string", "maxLength": 200}
              }
            ],
            "responses": {
              "200": {
                "description": "At most 1 000 lines, oldest first.",
                "content": {
                  "application/json": {
                    "schema": {
                      "type": "object",
                      "required": ["lines"],
                      "additionalProperties": false,
                      "properties": {"lines": {"type": "array", "items": {"$ref": "#/components/schemas/LogLine"}}}
                    }
                  }
                }
              },
              "400": {"$ref": "#/components/responses/BadRequest"},
              "401": {"$ref": "#/components/responses/LoginRequired"},
              "403": {"$ref": "#/components/responses/Forbidden"},
              "421": {"$ref": "#/components/responses/Misdirected"},
              "429": {"$ref": "#/components/responses/RateLimited"}
            }
          }
        },
        "/configuration": {
          "get": {
            "operationId": "getConfiguration",
            "summary": "The settings in force, without secrets",
            "description": "Needs the role admin.",
            "responses": {
              "200": {
                "description": "The settings by section, as in the configuration file.",
                "content": {"application/json": {"schema": {"type": "object"}}}
              },
              "401": {"$ref": "#/components/responses/LoginRequired"},
              "403": {"$ref": "#/components/responses/Forbidden"},
              "421": {"$ref": "#/components/responses/Misdirected"},
              "429": {"$ref": "#/components/responses/RateLimited"}
            }
          }
        },
        "/page": {
          "get": {
            "operationId": "getPage",
            "summary": "What the web page needs of the configuration",
            "responses": {
              "200": {"description": "The section web.page.", "content": {"application/json": {"schema": {"type": "object"}}}},
              "401": {"$ref": "#/components/responses/LoginRequired"},
              "403": {"$ref": "#/components/responses/Forbidden"},
              "421": {"$ref": "#/components/responses/Misdirected"},
              "429": {"$ref": "#/components/responses/RateLimited"}
            }
          }
        },
        "/openapi.json": {
          "get": {
            "operationId": "getDescription",
            "summary": "This description",
            "responses": {
              "200": {"description": "OpenAPI 3.1.", "content": {"application/json": {"schema": {"type": "object"}}}},
              "401": {"$ref": "#/components/responses/LoginRequired"},
              "403": {"$ref": "#/components/responses/Forbidden"},
              "421": {"$ref": "#/components/responses/Misdirected"},
              "429": {"$ref": "#/components/responses/RateLimited"}
            }
          }
        },
        "/metrics": {
          "servers": [{"url": "../.."}],
          "get": {
            "operationId": "getMetrics",
            "summary": "Numbers for Prometheus",
            "responses": {
              "200": {
                "description": "Prometheus text format, or OpenMetrics if asked for.",
                "content": {"text/plain": {"schema": {"type": "string"}}, "application/openmetrics-text": {"schema": {"type": "string"}}}
              },
              "401": {"$ref": "#/components/responses/LoginRequired"},
              "421": {"$ref": "#/components/responses/Misdirected"},
              "429": {"$ref": "#/components/responses/RateLimited"},
              "503": {"$ref": "#/components/responses/NotReady"}
            }
          }
        },
        "/health": {
          "servers": [{"url": "../.."}],
          "get": {
            "operationId": "getHealth",
            "summary": "Whether the bridge works",
            "security": [{}],
            "responses": {
              "200": {"description": "It does.", "content": {"application/json": {"schema": {"type": "object"}}}},
              "421": {"$ref": "#/components/responses/Misdirected"},
              "429": {"$ref": "#/components/responses/RateLimited"},
              "503": {"$ref": "#/components/responses/NotReady"}
            }
          }
        },
        "/ready": {
          "servers": [{"url": "../.."}],
          "get": {
            "operationId": "getReady",
            "summary": "Whether the bridge works",
            "security": [{}],
            "responses": {
              "200": {
                "description": "It has a link to the broker and has published everything.",
                "content": {"application/json": {"schema": {"type": "object"}}}
              },
              "421": {"$ref": "#/components/responses/Misdirected"},
              "429": {"$ref": "#/components/responses/RateLimited"},
              "503": {"$ref": "#/components/responses/NotReady"}
            }
          }
        }
        """#
}
