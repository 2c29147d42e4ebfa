"""Commands and requests, and the answers that the bridge gives to them."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
import json
from typing import Any
from uuid import uuid4

from homeassistant.components import mqtt
from homeassistant.core import HomeAssistant, callback
from homeassistant.exceptions import HomeAssistantError, ServiceValidationError

from .const import ANSWER_TIMEOUT, DOMAIN

# The codes that have a sentence of their own in the translations.
CODES = frozenset({
    "bad_payload", "device_offline", "no_session", "not_supported", "not_applied", "not_responding", "load_failed", "timeout",
    "rate_limited", "forbidden",
})
# The seconds within which the bridge answers a command, a little more than docs/TOPICS.md says, and those of longer ones.
USUAL = 65.0
LONG = {"announce": 905.0, **dict.fromkeys(("load", "launch", "preset", "queue_load", "recall", "show", "transfer", "wake"), 185.0)}


@dataclass
class Waiting:
    """A command without its final answer."""

    answer: asyncio.Future[dict[str, Any] | None]
    begun: bool = False


@dataclass
class Answers:
    """Sends commands with an id, and resumes their callers with the answer that has the same."""

    hass: HomeAssistant
    base: str
    waiting: dict[str, Waiting] = field(default_factory=dict)

    @callback
    def received(self, document: dict[str, Any]) -> None:
        """Handle a message of a response topic."""
        if (waiting := self.waiting.get(str(document.get("id")))) is None or waiting.answer.done():
            return
        if document.get("code") == "accepted":
            waiting.begun = True
        else:
            waiting.answer.set_result(document)

    @callback
    def give_up(self) -> None:
        """Resume all callers: who would have answered them is gone."""
        for waiting in self.waiting.values():
            if not waiting.answer.done():
                waiting.answer.set_result(None)

    async def send(self, topic: str, payload: dict[str, Any], *, limit: float | None = None) -> dict[str, Any] | None:
        """Publish a command and return its final answer, or None when nothing answers."""
        identifier = f"ha-{uuid4().hex}"
        waiting = self.waiting[identifier] = Waiting(asyncio.get_running_loop().create_future())
        try:
            await mqtt.async_publish(self.hass, topic, json.dumps({**payload, "id": identifier}), qos=1)
            await asyncio.wait({waiting.answer}, timeout=limit or ANSWER_TIMEOUT)
            if not waiting.answer.done() and limit is None and (waiting.begun or await self.alive()):
                await asyncio.wait({waiting.answer}, timeout=LONG.get(str(payload.get("cmd")), USUAL))
            return waiting.answer.result() if waiting.answer.done() else None
        finally:
            del self.waiting[identifier]

    async def alive(self) -> bool:
        """Return whether the bridge answers anything at all: some loads and launches last minutes."""
        # Of the requests that the shipped access rules allow, the one that does nothing.
        return await self.send(f"{self.base}/bridge/request/log_level", {}, limit=ANSWER_TIMEOUT) is not None


def raise_failure(answer: dict[str, Any], device: str) -> None:
    """Raise what a final answer reports, in the words of the person who reads it."""
    if answer.get("status") != "error":
        return
    code = str(answer.get("code"))
    kind = ServiceValidationError if code in ("bad_payload", "unknown_command", "forbidden") else HomeAssistantError
    raise kind(
        translation_domain=DOMAIN,
        translation_key=code if code in CODES else "command_failed",
        translation_placeholders={
            "device": device, "code": code, "message": str(answer.get("message") or ""), "hint": str(answer.get("hint") or ""),
        },
    )
