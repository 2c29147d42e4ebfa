"""The description of a bridge, bridge/info, and what it says about its announcements to Home Assistant."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from homeassistant.components import mqtt
from homeassistant.core import HomeAssistant, callback

from .const import ANSWER_TIMEOUT
from .device import parsed


def title(info: dict[str, Any]) -> str:
    """Return the name of a bridge, as it calls itself in its announcement."""
    return f"cast2mqtt {info['instance']}"


def may_choose_mode(info: dict[str, Any]) -> bool:
    """Return whether the bridge announces everything, and its configuration does not say so."""
    announced = info.get("home_assistant") or {}
    return announced.get("mode") == "device" and announced.get("source") in ("default", "settings")


async def read_info(hass: HomeAssistant, base: str, *, mode: str | None = None) -> dict[str, Any] | None:
    """Return the description of a bridge, and None when there is none. With a form of announcement, request it and wait until it is so."""
    found: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()

    @callback
    def received(message: mqtt.ReceiveMessage) -> None:
        info = parsed(message.payload)
        if info and mode in (None, (info.get("home_assistant") or {}).get("mode")) and not found.done():
            found.set_result(info)

    end = await mqtt.async_subscribe(hass, f"{base}/bridge/info", received, 1)
    try:
        if mode:
            await mqtt.async_publish(hass, f"{base}/bridge/request/home_assistant/mode", json.dumps({"mode": mode}), qos=1)
        await asyncio.wait({found}, timeout=ANSWER_TIMEOUT)
    finally:
        end()
    return found.result() if found.done() else None
