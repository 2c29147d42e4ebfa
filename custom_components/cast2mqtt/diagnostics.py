"""What a person may attach to a report: all documents, without addresses, names of networks and ids of media."""

from __future__ import annotations

from typing import Any

from homeassistant.components.diagnostics import async_redact_data
from homeassistant.core import HomeAssistant

from .bridge import BridgeEntry

SECRET = {
    "addresses", "client_id", "content_id", "content_url", "custom_data", "entity", "host", "image", "images", "ip", "mac", "metadata",
    "session", "transport", "url", "click_url", "poster", "status_text",
}


async def async_get_config_entry_diagnostics(hass: HomeAssistant, entry: BridgeEntry) -> dict[str, Any]:
    """Return what is known of a bridge and its devices."""
    bridge = entry.runtime_data
    return async_redact_data({
        "base": bridge.base, "available": bridge.available, "info": bridge.info, "presets": len(bridge.presets),
        "devices": [
            {"facts": device.facts, "available": device.available, "documents": device.documents} for device in bridge.devices.values()
        ],
    }, SECRET)
