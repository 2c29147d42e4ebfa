"""Cast devices of a cast2mqtt bridge as media players."""

from __future__ import annotations

from contextlib import suppress

from homeassistant.components import mqtt
from homeassistant.const import Platform
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import ConfigEntryNotReady, HomeAssistantError
from homeassistant.helpers import config_validation as cv, device_registry as dr
from homeassistant.helpers.typing import ConfigType

from .bridge import Bridge, BridgeEntry
from .const import CONF_BASE, DOMAIN
from .forms import read_info
from .issues import Issues
from .places import follow_announcements
from .services import register_services

CONFIG_SCHEMA = cv.config_entry_only_config_schema(DOMAIN)
PLATFORMS = [Platform.MEDIA_PLAYER, Platform.NOTIFY]


async def async_setup(hass: HomeAssistant, _config: ConfigType) -> bool:
    """Register the services, so that automations that use them are valid before a bridge is added."""
    register_services(hass)
    return True


async def async_setup_entry(hass: HomeAssistant, entry: BridgeEntry) -> bool:
    """Follow a bridge. Its devices appear when its topics arrive, so it need not run."""
    if not await mqtt.async_wait_for_mqtt_client(hass):
        raise ConfigEntryNotReady(translation_domain=DOMAIN, translation_key="no_broker")
    bridge = entry.runtime_data = Bridge(hass, entry)
    follow_announcements(hass, entry)
    await hass.config_entries.async_forward_entry_setups(entry, PLATFORMS)
    await bridge.start()
    entry.async_on_unload(bridge.stop)
    return True


async def async_unload_entry(hass: HomeAssistant, entry: BridgeEntry) -> bool:
    """Remove the entities; they stay in the registry."""
    return await hass.config_entries.async_unload_platforms(entry, PLATFORMS)


async def async_remove_entry(hass: HomeAssistant, entry: BridgeEntry) -> None:
    """Have the bridge announce everything again, if it left out what the players show."""
    base = entry.data[CONF_BASE]
    Issues.forget(hass, entry)
    # Without MQTT there is nobody to ask.
    with suppress(HomeAssistantError):
        announced = (await read_info(hass, base) or {}).get("home_assistant") or {}
        if (announced.get("mode"), announced.get("source")) == ("companion", "settings"):
            await read_info(hass, base, mode="device")


async def async_remove_config_entry_device(hass: HomeAssistant, entry: BridgeEntry, device: dr.DeviceEntry) -> bool:
    """Let a person delete a device that is offline, or that the bridge has no more."""
    # An entry that is not loaded knows nothing of its devices.
    if (bridge := getattr(entry, "runtime_data", None)) is None:
        return False
    for known in bridge.devices.values():
        if any(identifier.endswith(known.id) for _, identifier in device.identifiers):
            if known.facts.get("online"):
                return False
            await bridge.remove(known.id)
            break
    return True
