/// The OpenAPI description of the API, for tools that generate clients or documentation.
///
/// Written by hand; `OpenAPITests` compares it with the routes and their answers.
enum OpenAPIDocument {
    /// OpenAPI 3.1 as JSON text. Addresses in it are relative to its own.
    static let text: StaticString = #"""
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
            },
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
            },
            "/commands/{topic}": {
              "post": {
                "operationId": "sendCommand",
                "summary": "Send a command and wait for its answer",
                "description": "The path is that of the command topic below the base, the body its payload. A JSON value that is not an object is sent as it would be over MQTT: 33 for set/volume. cmd, set and ns of devices need the role control, get needs view, bridge/request needs admin.",
                "parameters": [
                  {
                    "name": "topic",
                    "in": "path",
                    "description": "Such as living-room/cmd/pause, living-room/set/volume, living-room/get/queue or bridge/request/discover.",
                    "schema": {"type": "string"},
                    "required": true
                  },
                  {"$ref": "#/components/parameters/csrf"}
                ],
                "requestBody": {"description": "The payload; empty where the command takes none.", "content": {"application/json": {"schema": {}}}},
                "responses": {
                  "200": {"description": "Done.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Answer"}}}},
                  "400": {"description": "bad_payload or unknown_command.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/AnswerOrError"}}}},
                  "403": {"description": "forbidden; also without the role, or without the header X-CSRF-Token.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/AnswerOrError"}}}},
                  "404": {"description": "unknown_device.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/AnswerOrError"}}}},
                  "413": {"description": "too_large.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/AnswerOrError"}}}},
                  "422": {"description": "not_supported.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/AnswerOrError"}}}},
                  "429": {"description": "rate_limited.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/AnswerOrError"}}}},
                  "502": {"description": "Every other failure; code has the reason.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/AnswerOrError"}}}},
                  "503": {"description": "device_offline.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/AnswerOrError"}}}},
                  "504": {"description": "timeout.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/AnswerOrError"}}}},
                  "401": {"$ref": "#/components/responses/LoginRequired"},
                  "415": {"$ref": "#/components/responses/UnsupportedMediaType"},
                  "421": {"$ref": "#/components/responses/Misdirected"}
                }
              }
            },
            "/artwork/{device}": {
              "get": {
                "operationId": "getArtwork",
                "summary": "The picture of what plays",
                "parameters": [
                  {
                    "name": "device",
                    "in": "path",
                    "description": "Slug, id or alias of a device.",
                    "schema": {"type": "string"},
                    "required": true
                  },
                  {
                    "name": "width",
                    "in": "query",
                    "description": "Pixels of the place it is shown in; chooses among the pictures of the medium.",
                    "schema": {"type": "integer", "minimum": 1, "maximum": 4096}
                  },
                  {
                    "name": "item",
                    "in": "query",
                    "description": "The id of a queue item whose picture it is.",
                    "schema": {"type": "integer", "minimum": 0, "maximum": 2147483647}
                  },
                  {
                    "name": "v",
                    "in": "query",
                    "description": "Anything that changes with the picture; then it may be kept for an hour.",
                    "schema": {"type": "string"}
                  }
                ],
                "responses": {
                  "200": {
                    "description": "The picture.",
                    "content": {
                      "image/jpeg": {"schema": {"type": "string", "format": "binary"}},
                      "image/png": {"schema": {"type": "string", "format": "binary"}},
                      "image/webp": {"schema": {"type": "string", "format": "binary"}},
                      "image/gif": {"schema": {"type": "string", "format": "binary"}},
                      "image/avif": {"schema": {"type": "string", "format": "binary"}}
                    }
                  },
                  "304": {"description": "The caller has it: If-None-Match."},
                  "400": {"$ref": "#/components/responses/BadRequest"},
                  "401": {"$ref": "#/components/responses/LoginRequired"},
                  "403": {"$ref": "#/components/responses/Forbidden"},
                  "421": {"$ref": "#/components/responses/Misdirected"},
                  "429": {"$ref": "#/components/responses/RateLimited"},
                  "404": {"$ref": "#/components/responses/NotFound"}
                }
              }
            },
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
                "summary": "Whether the bridge lives",
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
          },
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
              "csrf": {
                "name": "X-CSRF-Token",
                "in": "header",
                "description": "csrf of /session; not with a token.",
                "schema": {"type": "string"}
              }
            },
            "responses": {
              "BadRequest": {
                "description": "bad_query or bad_payload.",
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
              },
              "LoginRequired": {
                "description": "login_required or wrong_password.",
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
              },
              "Forbidden": {
                "description": "forbidden: the role is too low, or X-CSRF-Token or the origin is wrong.",
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
              },
              "NotFound": {
                "description": "unknown_device, not_found or no_artwork.",
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
              },
              "TooLarge": {"description": "too_large.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}},
              "UnsupportedMediaType": {
                "description": "unsupported_media_type: the body must be application/json.",
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
              },
              "Misdirected": {
                "description": "misdirected: the name of the host is not known.",
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
              },
              "RateLimited": {
                "description": "rate_limited; Retry-After says how long to wait.",
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
              },
              "NotReady": {
                "description": "not_ready or hangs.",
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
              }
            },
            "schemas": {
              "AnswerOrError": {"anyOf": [{"$ref": "#/components/schemas/Answer"}, {"$ref": "#/components/schemas/Error"}]},
              "Error": {
                "type": "object",
                "required": ["error"],
                "additionalProperties": false,
                "properties": {
                  "error": {
                    "type": "object",
                    "required": ["code", "message"],
                    "additionalProperties": false,
                    "properties": {"code": {"type": "string"}, "message": {"type": "string"}}
                  }
                }
              },
              "Session": {
                "type": "object",
                "required": ["login_required", "signed_in", "role", "csrf", "version"],
                "additionalProperties": false,
                "properties": {
                  "login_required": {"type": "boolean"},
                  "signed_in": {"type": "boolean"},
                  "role": {"enum": ["view", "control", "admin", null]},
                  "csrf": {"type": ["string", "null"]},
                  "version": {"type": "string"}
                }
              },
              "Documents": {"description": "Documents by their topic below the base; plain words are strings.", "type": "object"},
              "State": {
                "type": "object",
                "required": ["id", "documents"],
                "additionalProperties": false,
                "properties": {"id": {"type": "string"}, "documents": {"$ref": "#/components/schemas/Documents"}}
              },
              "Changes": {
                "type": "object",
                "required": ["id", "snapshot", "documents"],
                "additionalProperties": false,
                "properties": {
                  "id": {"type": "string"},
                  "snapshot": {"description": "Whether these are all documents.", "type": "boolean"},
                  "documents": {"description": "A document that is gone is null.", "type": "object"}
                }
              },
              "Answer": {
                "type": "object",
                "required": ["schema", "ts", "id", "device", "cmd", "status", "code", "message", "elapsed_ms", "data"],
                "additionalProperties": false,
                "properties": {
                  "schema": {"const": 1},
                  "ts": {"type": "string"},
                  "id": {"type": ["string", "integer", "null"]},
                  "device": {"type": ["string", "null"]},
                  "cmd": {"type": "string"},
                  "status": {"enum": ["ok", "error"]},
                  "code": {
                    "enum": [
                      "done",
                      "accepted",
                      "superseded",
                      "bad_payload",
                      "unknown_command",
                      "too_large",
                      "unknown_device",
                      "device_offline",
                      "no_session",
                      "not_supported",
                      "load_failed",
                      "cast_error",
                      "timeout",
                      "retained_rejected",
                      "expired",
                      "duplicate",
                      "rate_limited",
                      "forbidden",
                      "internal"
                    ]
                  },
                  "message": {"type": ["string", "null"]},
                  "elapsed_ms": {"type": "integer", "minimum": 0},
                  "data": {"type": "object"}
                }
              },
              "LogLevel": {"enum": ["trace", "debug", "info", "notice", "warning", "error", "critical"]},
              "LogLine": {
                "type": "object",
                "required": ["time", "level", "label", "message", "metadata"],
                "additionalProperties": false,
                "properties": {
                  "time": {"type": "string"},
                  "level": {"$ref": "#/components/schemas/LogLevel"},
                  "label": {"type": "string"},
                  "message": {"type": ["string", "null"]},
                  "metadata": {"type": "object"}
                }
              }
            }
          }
        }
        """#
}
