extension OpenAPIDocument {
    /// Documents and what changes in them: `DocumentRoutes`, `EventRoute`.
    static let documentPaths: StaticString = #"""
        "/state": {
          "get": {
            "operationId": "getState",
            "summary": "Every document",
            "responses": {
              "200": {
                "description": "Every retained document by its topic below the base.",
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/State"}}}
              },
              "401": {"$ref": "#/components/responses/LoginRequired"},
              "403": {"$ref": "#/components/responses/Forbidden"},
              "421": {"$ref": "#/components/responses/Misdirected"},
              "429": {"$ref": "#/components/responses/RateLimited"},
              "503": {"$ref": "#/components/responses/NotReady"}
            }
          }
        },
        "/changes": {
          "get": {
            "operationId": "getChanges",
            "summary": "What changed since an id",
            "parameters": [{"name": "since", "in": "query", "description": "The last id that the caller has.", "schema": {"type": "string"}}],
            "responses": {
              "200": {
                "description": "The documents that changed, or all of them.",
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Changes"}}}
              },
              "401": {"$ref": "#/components/responses/LoginRequired"},
              "403": {"$ref": "#/components/responses/Forbidden"},
              "421": {"$ref": "#/components/responses/Misdirected"},
              "429": {"$ref": "#/components/responses/RateLimited"},
              "503": {"$ref": "#/components/responses/NotReady"}
            }
          }
        },
        "/events": {
          "get": {
            "operationId": "getEvents",
            "summary": "What changes, as server-sent events",
            "description": "Events: snapshot (as /state), changes, event, log, missed, hb. At most 4 streams a session or token.",
            "parameters": [
              {"name": "since", "in": "query", "description": "The last id that the caller has.", "schema": {"type": "string"}},
              {
                "name": "log",
                "in": "query",
                "description": "The lowest level of the lines of the log to send.",
                "schema": {"$ref": "#/components/schemas/LogLevel"}
              },
              {
                "name": "Last-Event-ID",
                "in": "header",
                "description": "As since; what browsers send when they connect again.",
                "schema": {"type": "string"}
              }
            ],
            "responses": {
              "200": {"description": "The stream.", "content": {"text/event-stream": {"schema": {"type": "string"}}}},
              "400": {"$ref": "#/components/responses/BadRequest"},
              "401": {"$ref": "#/components/responses/LoginRequired"},
              "403": {"$ref": "#/components/responses/Forbidden"},
              "421": {"$ref": "#/components/responses/Misdirected"},
              "429": {"$ref": "#/components/responses/RateLimited"},
              "503": {"$ref": "#/components/responses/NotReady"}
            }
          }
        },
        "/devices": {
          "get": {
            "operationId": "getDevices",
            "summary": "The list of devices",
            "responses": {
              "200": {
                "description": "The document bridge/devices.",
                "content": {"application/json": {"schema": {"type": "array", "items": {"type": "object"}}}}
              },
              "401": {"$ref": "#/components/responses/LoginRequired"},
              "403": {"$ref": "#/components/responses/Forbidden"},
              "421": {"$ref": "#/components/responses/Misdirected"},
              "429": {"$ref": "#/components/responses/RateLimited"},
              "404": {"$ref": "#/components/responses/NotFound"},
              "503": {"$ref": "#/components/responses/NotReady"}
            }
          }
        },
        "/devices/{device}": {
          "get": {
            "operationId": "getDevice",
            "summary": "Every document of a device",
            "parameters": [
              {
                "name": "device",
                "in": "path",
                "description": "Slug, id or alias of a device.",
                "schema": {"type": "string"},
                "required": true
              }
            ],
            "responses": {
              "200": {
                "description": "Its documents.",
                "content": {
                  "application/json": {
                    "schema": {
                      "type": "object",
                      "required": ["documents"],
                      "additionalProperties": false,
                      "properties": {"documents": {"$ref": "#/components/schemas/Documents"}}
                    }
                  }
                }
              },
              "401": {"$ref": "#/components/responses/LoginRequired"},
              "403": {"$ref": "#/components/responses/Forbidden"},
              "421": {"$ref": "#/components/responses/Misdirected"},
              "429": {"$ref": "#/components/responses/RateLimited"},
              "404": {"$ref": "#/components/responses/NotFound"},
              "503": {"$ref": "#/components/responses/NotReady"}
            }
          }
        },
        "/devices/{device}/history": {
          "get": {
            "operationId": "getLinkHistory",
            "summary": "What happened to a device's link",
            "description": "The newest 32 events of the connection between bridge and device since the bridge started, oldest first. Equal failures of one outage are one entry.",
            "parameters": [
              {
                "name": "device",
                "in": "path",
                "description": "Slug, id or alias of a device.",
                "schema": {"type": "string"},
                "required": true
              }
            ],
            "responses": {
              "200": {
                "description": "The events.",
                "content": {
                  "application/json": {
                    "schema": {
                      "type": "object",
                      "required": ["entries"],
                      "additionalProperties": false,
                      "properties": {"entries": {"type": "array", "maxItems": 32, "items": {"$ref": "#/components/schemas/LinkEvent"}}}
                    }
                  }
                }
              },
              "401": {"$ref": "#/components/responses/LoginRequired"},
              "403": {"$ref": "#/components/responses/Forbidden"},
              "421": {"$ref": "#/components/responses/Misdirected"},
              "429": {"$ref": "#/components/responses/RateLimited"},
              "404": {"$ref": "#/components/responses/NotFound"},
              "503": {"$ref": "#/components/responses/NotReady"}
            }
          }
        },
        "/devices/{device}/{document}": {
          "get": {
            "operationId": "getDocument",
            "summary": "One document of a device",
            "parameters": [
              {
                "name": "device",
                "in": "path",
                "description": "Slug, id or alias of a device.",
                "schema": {"type": "string"},
                "required": true
              },
              {
                "name": "document",
                "in": "path",
                "description": "The name of a document, such as state, media or queue. The state of a namespace has further levels.",
                "schema": {"type": "string"},
                "required": true
              }
            ],
            "responses": {
              "200": {"description": "The document.", "content": {"application/json": {"schema": {}}}},
              "401": {"$ref": "#/components/responses/LoginRequired"},
              "403": {"$ref": "#/components/responses/Forbidden"},
              "421": {"$ref": "#/components/responses/Misdirected"},
              "429": {"$ref": "#/components/responses/RateLimited"},
              "404": {"$ref": "#/components/responses/NotFound"},
              "503": {"$ref": "#/components/responses/NotReady"}
            }
          }
        }
        """#
}
