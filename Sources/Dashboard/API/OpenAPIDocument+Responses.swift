extension OpenAPIDocument {
    /// The ways of access, the parameters and the refusals that several operations have.
    static let responses: StaticString = #"""
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
        }
        """#
}
