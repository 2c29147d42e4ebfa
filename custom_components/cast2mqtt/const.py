"""Names that several modules need."""

from typing import Final

DOMAIN: Final = "cast2mqtt"
CONF_BASE: Final = "base"
CONF_COMPANION: Final = "companion"
DEFAULT_BASE: Final = "cast2mqtt"
DOCUMENTATION: Final = "https://cast2mqtt.example/docs/HOME_ASSISTANT.md"

# What this integration reads and sends: `schema` and `features` of bridge/info.
SCHEMA: Final = 1
NEEDED_FEATURES: Final = frozenset({"load", "launch", "queue", "groups", "transfer", "announce", "presets", "sleep", "home_assistant_mode"})

# Seconds after which a bridge that answers nothing is asked whether it is alive, and after which it counts as not.
ANSWER_TIMEOUT: Final = 5.0
# Seconds within which the bridge answers a request, such as a search, which takes the longest.
REQUEST_TIMEOUT: Final = 15.0
# Seconds within which documents of one change arrive, so that Home Assistant gets one state of them.
SETTLE: Final = 0.2

ISSUE_REPLACED: Final = "replaced"
ISSUE_NO_ANSWER: Final = "no_answer"
ISSUE_BRIDGE_TOO_OLD: Final = "bridge_too_old"
ISSUE_BRIDGE_TOO_NEW: Final = "bridge_too_new"
