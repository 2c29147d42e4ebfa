"""The bridge of one config entry: what its topics say, and the way to command it."""

from __future__ import annotations

from collections.abc import Callable
import json
from typing import Any

from homeassistant.components import mqtt
from homeassistant.config_entries import SIGNAL_CONFIG_ENTRY_CHANGED, ConfigEntry, ConfigEntryChange, ConfigEntryState
from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers.dispatcher import async_dispatcher_connect

from .answers import Answers, raise_failure
from .const import CONF_BASE, DOMAIN, ISSUE_NO_ANSWER, REQUEST_TIMEOUT
from .device import LOGGER, Device, parsed, unsubscribe
from .issues import Issues
from .places import describe, follow_instance, forget_device

type BridgeEntry = ConfigEntry[Bridge]
type NewDevice = Callable[[Device], None]

# Entries of a list that are shown.
MOST_ENTRIES = 1000


class Bridge:
    """Follows a bridge. Platforms are told of each device once, by `on_device`."""

    def __init__(self, hass: HomeAssistant, entry: BridgeEntry) -> None:
        """Begin without knowing anything."""
        self.hass = hass
        self.entry = entry
        self.base: str = entry.data[CONF_BASE]
        self.answers = Answers(hass, self.base)
        self.issues = Issues(hass, entry)
        self.info: dict[str, Any] = {}
        self.devices: dict[str, Device] = {}
        self.presets: list[str] = []
        self._online = False
        self._was_available = True
        self._without_broker = False
        self._platforms: list[NewDevice] = []
        self._subscriptions: list[CALLBACK_TYPE] = []

    @property
    def instance(self) -> str:
        """The name that distinguishes it from other bridges."""
        return str(self.entry.unique_id)

    @property
    def available(self) -> bool:
        """Whether the bridge and the broker can be reached."""
        return self._online and mqtt.is_connected(self.hass)

    async def start(self) -> None:
        """Subscribe to its topics."""
        self.entry.async_on_unload(mqtt.async_subscribe_connection_status(self.hass, self._connection))
        self.entry.async_on_unload(async_dispatcher_connect(self.hass, SIGNAL_CONFIG_ENTRY_CHANGED, self._broker))
        handlers: dict[str, Callable[[mqtt.ReceiveMessage], Any]] = {
            "state": self._state, "info": self._info, "devices": self._devices, "response/#": self._response, "event": self._event,
        }
        for topic, handler in handlers.items():
            self._subscriptions.append(await mqtt.async_subscribe(self.hass, f"{self.base}/bridge/{topic}", handler, 1))

    @callback
    def stop(self) -> None:
        """Unsubscribe from everything, and wait for no answer any more."""
        self._online = False
        for device in self.devices.values():
            device.stop()
        unsubscribe(self._subscriptions)
        self.answers.give_up()
        self.issues.clear()

    @callback
    def on_device(self, add: NewDevice) -> None:
        """Call `add` for every device, now and whenever one appears."""
        self._platforms.append(add)
        for device in self.devices.values():
            add(device)

    # Commands

    async def command(self, device: Device, verb: str, args: dict[str, Any]) -> dict[str, Any]:
        """Send a command to a device and return its answer; raises what went wrong."""
        answer = await self.answers.send(f"{self.base}/{device.slug}/cmd", {"cmd": verb, "args": args})
        # A bridge that is known to be gone is not silent.
        if answer or self.available:
            self.issues.answered(answer is not None)
        return self._result(answer, device.name)

    async def request(self, verb: str, args: dict[str, Any]) -> dict[str, Any]:
        """Send a request to the bridge and return its answer; raises what went wrong."""
        answer = await self.answers.send(f"{self.base}/bridge/request/{verb}", args, limit=REQUEST_TIMEOUT)
        return self._result(answer, self.entry.title)

    async def remove(self, device_id: str) -> None:
        """Have the bridge forget a device; raises what went wrong."""
        await self.request("device/remove", {"device": device_id, "forget": True})

    async def entries(self, verb: str, args: dict[str, Any]) -> list[dict[str, Any]]:
        """Return all pages of a list; raises what went wrong."""
        found: list[dict[str, Any]] = []
        offset: int | None = 0
        while offset is not None and len(found) < MOST_ENTRIES:
            data = (await self.request(verb, {**args, "offset": offset})).get("data") or {}
            found += data.get("entries", [])
            offset = data.get("next")
        return found

    @staticmethod
    def _result(answer: dict[str, Any] | None, name: str) -> dict[str, Any]:
        if answer is None:
            raise HomeAssistantError(
                translation_domain=DOMAIN, translation_key=ISSUE_NO_ANSWER, translation_placeholders={"device": name})
        raise_failure(answer, name)
        return answer

    # Topics

    @callback
    def _connection(self, connected: bool) -> None:
        if not connected:
            self.answers.give_up()
        self._availability_changed()

    @callback
    def _broker(self, _change: ConfigEntryChange, entry: ConfigEntry) -> None:
        """Begin anew with MQTT: loaded again, it keeps our subscriptions in its tables and does not tell the broker of them."""
        if entry.domain != mqtt.DOMAIN:
            return
        if entry.state is ConfigEntryState.UNLOAD_IN_PROGRESS:
            self._without_broker = True
            self.stop()
            self._availability_changed()
        elif entry.state is ConfigEntryState.LOADED and self._without_broker:
            self.hass.config_entries.async_schedule_reload(self.entry.entry_id)

    @callback
    def _state(self, message: mqtt.ReceiveMessage) -> None:
        self._online = message.payload == "online"
        if not self._online:
            self.answers.give_up()
        else:
            self.entry.async_create_background_task(self.hass, self.read_presets(), "cast2mqtt presets")
        self._availability_changed()

    @callback
    def _availability_changed(self) -> None:
        if self.available != self._was_available:
            self._was_available = self.available
            LOGGER.info("%s is %s", self.entry.title, "back" if self.available else "unavailable")
        for device in self.devices.values():
            device.changed()

    @callback
    def _info(self, message: mqtt.ReceiveMessage) -> None:
        if not (info := parsed(message.payload)):
            return
        # Started anew, it knows nothing of the commands before. It says `online` again without that, too.
        if self.info and info.get("started_at") != self.info.get("started_at"):
            self.answers.give_up()
        self.info = info
        self.issues.described(info)
        follow_instance(self.hass, self.entry, info)

    async def _devices(self, message: mqtt.ReceiveMessage) -> None:
        try:
            document = json.loads(message.payload)
            listed = {facts["id"]: facts for facts in document}
        except (ValueError, TypeError, KeyError):
            # A cleared topic says nothing about devices: the bridge clears that of each device it removes.
            return
        if not isinstance(document, list):
            return
        for identifier in self.devices.keys() - listed.keys():
            self.devices.pop(identifier).stop()
        forget_device(self.hass, self.entry, listed.keys())
        self.issues.listed(listed)
        for identifier, facts in listed.items():
            if device := self.devices.get(identifier):
                if device.facts != facts:
                    await device.update(facts)
                    describe(self, device)
                continue
            device = self.devices[identifier] = Device(self, facts)
            await device.start()
            for add in self._platforms:
                add(device)

    @callback
    def _response(self, message: mqtt.ReceiveMessage) -> None:
        if document := parsed(message.payload):
            self.answers.received(document)

    async def _event(self, message: mqtt.ReceiveMessage) -> None:
        if (parsed(message.payload) or {}).get("event_type") == "config_changed":
            await self.read_presets()

    async def read_presets(self) -> None:
        """Ask for the names of all presets."""
        try:
            names = [entry["name"] for entry in await self.entries("media/browse", {"list": "presets"})]
        except HomeAssistantError:
            # What is known stays.
            return
        if names != self.presets:
            self.presets = names
            self._availability_changed()
