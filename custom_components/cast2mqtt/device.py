"""One Cast device or group, as its topics describe it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
import json
import logging
from typing import TYPE_CHECKING, Any

from homeassistant.components import mqtt
from homeassistant.core import CALLBACK_TYPE, callback
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers.event import async_call_later
from homeassistant.helpers.service_info.mqtt import ReceivePayloadType

from .const import SETTLE

if TYPE_CHECKING:
    from datetime import datetime

    from .bridge import Bridge

LOGGER = logging.getLogger(__package__)
DOCUMENTS = ("state", "media", "queue", "group", "info")


class Device:
    """Holds the documents of one device. Subscribes to exact topics: filters that overlap those of MQTT entities double their messages."""

    def __init__(self, bridge: Bridge, facts: dict[str, Any]) -> None:
        """Begin without any document."""
        self.bridge = bridge
        self.facts = facts
        self.documents: dict[str, dict[str, Any]] = {}
        self.artwork: bytes | None = None
        self._online = False
        self._was_online = True
        self._listeners: list[CALLBACK_TYPE] = []
        self._subscriptions: list[CALLBACK_TYPE] = []
        self._settling: CALLBACK_TYPE | None = None

    @property
    def id(self) -> str:
        """The id by which Cast knows it, which never changes."""
        return str(self.facts["id"])

    @property
    def slug(self) -> str:
        """Its name in topics."""
        return str(self.facts["slug"])

    @property
    def name(self) -> str:
        """The name that its owner gave it."""
        return str(self.facts.get("name") or self.slug)

    @property
    def kind(self) -> str:
        """One of `cast`, `audio`, `group` and `stereo_pair`."""
        return str(self.facts.get("type"))

    @property
    def available(self) -> bool:
        """Whether commands reach it."""
        return self._online and self.bridge.available

    def document(self, name: str) -> dict[str, Any]:
        """Return a document as it was last received."""
        return self.documents.get(name, {})

    def part(self, name: str) -> dict[str, Any]:
        """Return an inner object of the document `state`."""
        return self.document("state").get(name) or {}

    async def start(self) -> None:
        """Subscribe to its topics."""
        root = f"{self.bridge.base}/{self.slug}/"
        handlers: dict[str, Callable[[mqtt.ReceiveMessage], None]] = {
            **dict.fromkeys(DOCUMENTS, self._document),
            "availability": self._availability, "response": self._response,
        }
        for topic, handler in handlers.items():
            self._subscriptions.append(await mqtt.async_subscribe(self.bridge.hass, root + topic, handler, 1))
        self._subscriptions.append(
            await mqtt.async_subscribe(self.bridge.hass, root + "artwork/image", self._artwork, 1, encoding=None))

    @callback
    def stop(self) -> None:
        """Unsubscribe, and forget a change that was not reported yet."""
        unsubscribe(self._subscriptions)
        if self._settling:
            self._settling()
            self._settling = None

    async def update(self, facts: dict[str, Any]) -> None:
        """Take what bridge/devices says of it; another slug means other topics."""
        moved = facts["slug"] != self.slug
        self.facts = facts
        if moved:
            self.stop()
            self._online = False
            await self.start()
        self.changed()

    @callback
    def listen(self, listener: CALLBACK_TYPE) -> CALLBACK_TYPE:
        """Call `listener` after each change, until the returned function is called."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    @callback
    def changed(self) -> None:
        """Report a change once all documents that belong to it have arrived."""
        if self._settling is None:
            self._settling = async_call_later(self.bridge.hass, SETTLE, self._report)

    @callback
    def _report(self, _now: datetime | None = None) -> None:
        self._settling = None
        for listener in list(self._listeners):
            listener()

    @callback
    def _document(self, message: mqtt.ReceiveMessage) -> None:
        name = message.topic.rpartition("/")[2]
        document = parsed(message.payload)
        if document is None:
            self.documents.pop(name, None)
        else:
            self.documents[name] = document
        self.changed()

    @callback
    def _availability(self, message: mqtt.ReceiveMessage) -> None:
        self._online = message.payload == "online"
        # While the bridge is gone, its own line says so.
        if self.bridge.available and self._online != self._was_online:
            self._was_online = self._online
            LOGGER.info("%s is %s", self.name, "back" if self._online else "unavailable")
        self.changed()

    @callback
    def _artwork(self, message: mqtt.ReceiveMessage) -> None:
        payload = message.payload
        self.artwork = bytes(payload) if isinstance(payload, (bytes, bytearray)) and payload else None
        self.changed()

    @callback
    def _response(self, message: mqtt.ReceiveMessage) -> None:
        if document := parsed(message.payload):
            self.bridge.answers.received(document)


@callback
def unsubscribe(subscriptions: list[CALLBACK_TYPE]) -> None:
    """End subscriptions, also those of an MQTT client that is gone, which knows them no more."""
    while subscriptions:
        with suppress(HomeAssistantError):
            subscriptions.pop()()


def parsed(payload: ReceivePayloadType) -> dict[str, Any] | None:
    """Return a payload as an object, and None for a cleared topic and for what is none."""
    try:
        document = json.loads(payload) if payload else None
    except ValueError:
        return None
    return document if isinstance(document, dict) else None
