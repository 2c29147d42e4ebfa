"""What the entities of a device have in common."""

from __future__ import annotations

from typing import Any

from homeassistant.core import callback
from homeassistant.helpers.entity import Entity

from .bridge import Bridge
from .device import Device
from .places import join_announced, place, unique_id


class DeviceEntity(Entity):
    """Shows the documents of a device, and commands it."""

    _attr_has_entity_name = True
    _attr_should_poll = False

    def __init__(self, bridge: Bridge, device: Device, key: str) -> None:
        """Belong to a device."""
        self.bridge = bridge
        self.device = device
        self._attr_unique_id = unique_id(bridge, device, key)
        place(self, bridge, device)

    async def async_added_to_hass(self) -> None:
        """Follow the device."""
        self.async_on_remove(self.device.listen(self._changed))
        join_announced(self.hass, self.bridge.entry, self.device.id)
        self.show()

    @property
    def available(self) -> bool:
        """Whether the device can be reached."""
        return self.device.available

    @callback
    def show(self) -> None:
        """Take what the documents of the device say."""

    @callback
    def _changed(self) -> None:
        self.show()
        self.async_write_ha_state()

    async def send(self, verb: str, **args: Any) -> dict[str, Any]:
        """Send a command; raises when the bridge answers that it failed."""
        return await self.bridge.command(self.device, verb, args)
