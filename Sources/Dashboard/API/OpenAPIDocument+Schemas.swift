import BridgeCore
import CastModels

extension OpenAPIDocument {
    private static func words(_ values: [some RawRepresentable<String>]) -> String {
        values.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
    }

    /// The values in answers and events.
    static var schemas: String {
        #"""
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
            "required": ["login_required", "setup_code", "signed_in", "role", "csrf", "instance", "version"],
            "additionalProperties": false,
            "properties": {
              "login_required": {"type": "boolean"},
              "setup_code": {"type": "boolean"},
              "signed_in": {"type": "boolean"},
              "role": {"enum": [\#(Self.words(WebRole.allCases)), null]},
              "csrf": {"type": ["string", "null"]},
              "instance": {"type": "string"},
              "version": {"type": "string"}
            }
          },
          "LinkEvent": {
            "type": "object",
            "required": ["event", "code", "at", "until", "count"],
            "additionalProperties": false,
            "properties": {
              "event": {"enum": ["connected", "lost", "attempt_failed", "other_device", "authenticated"]},
              "code": {
                "type": ["string", "null"],
                "description": "Of lost and attempt_failed: the error. Of authenticated: the word of the document info."
              },
              "at": {"type": "string", "format": "date-time"},
              "until": {"type": "string", "format": "date-time", "description": "When it happened last."},
              "count": {"type": "integer", "minimum": 1}
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
              "documents": {"description": "A document that was removed is null.", "type": "object"}
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
                "type": "string",
                "examples": [\#(Self.words(AnswerCode.allCases))]
              },
              "message": {"type": ["string", "null"]},
              "elapsed_ms": {"type": "integer", "minimum": 0},
              "data": {"type": "object"}
            }
          },
          "LogLevel": {"enum": [\#(Self.words(LogLevel.allCases))]},
          "LogLine": {
            "type": "object",
            "required": ["ts", "level", "source", "message", "data"],
            "additionalProperties": false,
            "properties": {
              "ts": {"type": "string"},
              "level": {"$ref": "#/components/schemas/LogLevel"},
              "source": {"type": "string"},
              "message": {"type": ["string", "null"]},
              "data": {"type": "object"}
            }
          }
        }
        """#
    }
}
