extension OpenAPIDocument {
    /// Commands and pictures: `CommandRoute`, `ArtworkRoute`.
    static let commandPaths: StaticString = #"""
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
            "requestBody": {
              "description": "The payload; empty where the command takes none.",
              "content": {
                "application/json": {
                  "schema": {},
                  "examples": {
                    "volume": {"summary": "set/volume", "value": 33},
                    "load": {"summary": "cmd/load", "value": {"url": "http://192.168.1.5/film.mp4"}},
                    "queueOrder": {"summary": "get/queue: the ids of the whole queue", "value": {"ids": true, "count": 0}},
                    "queuePage": {"summary": "get/queue: some of its items", "value": {"from": 5000, "count": 50}}
                  }
                }
              }
            },
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
        }
        """#
}
