"""A notify entity for each device, which speaks what it is sent."""

from __future__ import annotations

from homeassistant.components.notify import NotifyEntity
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .bridge import BridgeEntry
from .entity import DeviceEntity

PARALLEL_UPDATES = 0


async def async_setup_entry(hass: HomeAssistant, entry: BridgeEntry, async_add_entities: AddConfigEntryEntitiesCallback) -> None:
    """Add an entity for each device, now and when one appears."""
    bridge = entry.runtime_data
    bridge.on_device(lambda device: async_add_entities([Speaker(bridge, device, "speak")]))


class Speaker(DeviceEntity, NotifyEntity):
    """Speaks, and then the device goes on with what it did."""

    _attr_translation_key = "speak"

    async def async_send_message(self, message: str, title: str | None = None) -> None:
        """Speak a text."""
        await self.send("announce", text=f"{title}. {message}" if title else message)
