"""Repairs that a person confirms."""

from __future__ import annotations

from typing import Any

from homeassistant.components.repairs import RepairsFlow
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError
import voluptuous as vol

from .bridge import BridgeEntry
from .places import area_of, entities_of, forget_device, take_over


class ReplacedDevice(RepairsFlow):
    """Removes a device that was reset, and gives its entity ids to the device that it is now."""

    def __init__(self, facts: dict[str, Any]) -> None:
        """Know both ids of the device."""
        self.facts = facts

    # Each release has another name for the type of the results.
    async def async_step_init(self, _user_input: dict[str, str] | None = None) -> Any:
        """Begin by asking."""
        return await self.async_step_confirm()

    async def async_step_confirm(self, user_input: dict[str, str] | None = None) -> Any:
        """Ask, and do it."""
        if user_input is None:
            return self.async_show_form(
                step_id="confirm", data_schema=vol.Schema({}), description_placeholders={"device": str(self.facts["name"])})
        entry: BridgeEntry | None = self.hass.config_entries.async_get_entry(str(self.facts["entry"]))
        old, new = str(self.facts["old"]), str(self.facts["new"])
        # An entry that is not loaded has no bridge.
        if (bridge := getattr(entry, "runtime_data", None)) is None or entry is None:
            return self.async_abort(reason="not_removed")
        former = entities_of(self.hass, entry, old)
        area = area_of(self.hass, former)
        try:
            await bridge.remove(old)
        except HomeAssistantError:
            return self.async_abort(reason="not_removed")
        # The list of the bridge may come after its answer.
        forget_device(self.hass, entry, bridge.devices.keys() - {old})
        take_over(self.hass, entry, new, former, area)
        return self.async_create_entry(data={})


async def async_create_fix_flow(_hass: HomeAssistant, _issue_id: str, data: dict[str, Any] | None) -> RepairsFlow:
    """Return the dialogue of a repair."""
    return ReplacedDevice(data or {})
