"""Which device of Home Assistant an entity belongs to: that which the bridge announces by MQTT, or one of its own without announcements."""

from __future__ import annotations

from collections.abc import Container
from typing import TYPE_CHECKING, Any

from homeassistant.const import MAJOR_VERSION, MINOR_VERSION
from homeassistant.core import Event, HomeAssistant, callback
from homeassistant.helpers import device_registry as dr, entity_registry as er
from homeassistant.helpers.entity import Entity

from .const import DOMAIN
from .forms import title

if TYPE_CHECKING:
    from .bridge import Bridge, BridgeEntry
    from .device import Device

# Since this release a device belongs to one config entry, and equal identifiers make a second one; before, they make one of both.
DEVICE_OF_ONE_ENTRY = (MAJOR_VERSION, MINOR_VERSION) >= (2026, 8)


def announced_identifier(device_id: str) -> tuple[str, str]:
    """Return the identifier of the device that the bridge announces."""
    return ("mqtt", f"cast2mqtt_{device_id}")


def announced_device(hass: HomeAssistant, device_id: str) -> dr.DeviceEntry | None:
    """Return the device that the bridge has announced, if it has."""
    registry = dr.async_get(hass)
    identifier = announced_identifier(device_id)
    for entry in hass.config_entries.async_entries("mqtt"):
        for device in dr.async_entries_for_config_entry(registry, entry.entry_id):
            if identifier in device.identifiers:
                return device
    return None


def place(entity: Entity, bridge: Bridge, device: Device) -> None:
    """Put an entity that is about to be added on the page of its device."""
    if DEVICE_OF_ONE_ENTRY and (announced := announced_device(bridge.hass, device.id)):
        entity.device_entry = announced
        return
    entity._attr_device_info = description(device) | {"identifiers": {own_identifier(bridge, device)}}


def own_identifier(bridge: Bridge, device: Device) -> tuple[str, str]:
    """Return the identifier of the page of a device that is not announced."""
    return (DOMAIN, f"{bridge.instance}_{device.id}") if DEVICE_OF_ONE_ENTRY else announced_identifier(device.id)


def description(device: Device) -> Any:
    """Return what the page of a device shows of it."""
    facts = device.facts
    return {
        "name": device.name, "manufacturer": facts.get("manufacturer"), "model": facts.get("model"), "sw_version": facts.get("firmware")}


@callback
def describe(bridge: Bridge, device: Device) -> None:
    """Show on the page of a device what has changed of it; MQTT does so on the page of one that is announced."""
    registry = dr.async_get(bridge.hass)
    for page in dr.async_entries_for_config_entry(registry, bridge.entry.entry_id):
        if own_identifier(bridge, device) in page.identifiers:
            registry.async_update_device(page.id, **description(device))


@callback
def follow_instance(hass: HomeAssistant, entry: BridgeEntry, info: dict[str, Any]) -> None:
    """Go on with a bridge that has another name now, with all entities: a base has one bridge only."""
    old, new = str(entry.unique_id), str(info.get("instance") or entry.unique_id)
    if old == new or hass.config_entries.async_entry_for_domain_unique_id(DOMAIN, new):
        return
    entities, devices = er.async_get(hass), dr.async_get(hass)
    for entity in er.async_entries_for_config_entry(entities, entry.entry_id):
        entities.async_update_entity(entity.entity_id, new_unique_id=f"{new}_{entity.unique_id.removeprefix(f'{old}_')}")
    for page in dr.async_entries_for_config_entry(devices, entry.entry_id):
        devices.async_update_device(page.id, new_identifiers={
            (domain, f"{new}_{identifier.removeprefix(f'{old}_')}" if domain == DOMAIN else identifier)
            for domain, identifier in page.identifiers})
    own_title = entry.title == title({"instance": old})
    hass.config_entries.async_update_entry(entry, unique_id=new, title=title(info) if own_title else entry.title)
    hass.config_entries.async_schedule_reload(entry.entry_id)


@callback
def follow_announcements(hass: HomeAssistant, entry: BridgeEntry) -> None:
    """Move entities to the page of a device that is announced after them."""

    @callback
    def changed(event: Event[dr.EventDeviceRegistryUpdatedData]) -> None:
        device = dr.async_get(hass).async_get(event.data["device_id"])
        if event.data["action"] != "remove" and device is not None:
            join(hass, entry, device)

    if DEVICE_OF_ONE_ENTRY:
        entry.async_on_unload(hass.bus.async_listen(dr.EVENT_DEVICE_REGISTRY_UPDATED, changed))


@callback
def join_announced(hass: HomeAssistant, entry: BridgeEntry, device_id: str) -> None:
    """Move entities that were added while their device was being announced."""
    if DEVICE_OF_ONE_ENTRY and (announced := announced_device(hass, device_id)):
        join(hass, entry, announced)


@callback
def join(hass: HomeAssistant, entry: BridgeEntry, device: Any) -> None:
    """Move the entities of a device that was announced to its page. Newer releases have several types of devices."""
    announced = {identifier.removeprefix("cast2mqtt_") for domain, identifier in device.identifiers if domain == "mqtt"}
    registry = er.async_get(hass)
    for entity in er.async_entries_for_config_entry(registry, entry.entry_id):
        if device_id_of(entity, entry) in announced and entity.device_id != device.id:
            area, former = area_of(hass, {"": entity}), entity.device_id
            registry.async_update_entity(entity.entity_id, device_id=device.id)
            if area and not device.area_id:
                dr.async_get(hass).async_update_device(device.id, area_id=area)
            if former and not er.async_entries_for_device(registry, former, include_disabled_entities=True):
                dr.async_get(hass).async_remove_device(former)


def unique_id(bridge: Bridge, device: Device, key: str) -> str:
    """Return the unique id of an entity: two bridges may know the same device."""
    return f"{bridge.instance}_{device.id}_{key}"


def device_id_of(entity: er.RegistryEntry, entry: BridgeEntry) -> str:
    """Return the Cast id in the unique id of an entity."""
    return entity.unique_id.removeprefix(f"{entry.unique_id}_").rpartition("_")[0]


def entities_of(hass: HomeAssistant, entry: BridgeEntry, device_id: str) -> dict[str, er.RegistryEntry]:
    """Return the entities of a device by the keys in their unique ids."""
    registered = er.async_entries_for_config_entry(er.async_get(hass), entry.entry_id)
    return {entity.unique_id.rpartition("_")[2]: entity for entity in registered if device_id_of(entity, entry) == device_id}


def area_of(hass: HomeAssistant, entities: dict[str, er.RegistryEntry]) -> str | None:
    """Return the area of the device that entities belong to."""
    devices = dr.async_get(hass)
    found = (devices.async_get(entity.device_id) for entity in entities.values() if entity.device_id)
    return next((device.area_id for device in found if device and device.area_id), None)


@callback
def take_over(hass: HomeAssistant, entry: BridgeEntry, new: str, former: dict[str, er.RegistryEntry], area: str | None) -> None:
    """Give the entity ids of a device that is gone, and its area, to the device that it is now."""
    entities = er.async_get(hass)
    for key, entity in entities_of(hass, entry, new).items():
        if key in former:
            entities.async_update_entity(entity.entity_id, new_entity_id=former[key].entity_id, name=former[key].name)
        if entity.device_id and area:
            dr.async_get(hass).async_update_device(entity.device_id, area_id=area)


@callback
def forget_device(hass: HomeAssistant, entry: BridgeEntry, listed: Container[Any]) -> None:
    """Remove the entities and devices of everything that the bridge does not list."""
    entities = er.async_get(hass)
    devices = dr.async_get(hass)
    left = {
        device.id for device in dr.async_entries_for_config_entry(devices, entry.entry_id)
        if not any(
            identifier.removeprefix("cast2mqtt_").removeprefix(f"{entry.unique_id}_") in listed for _, identifier in device.identifiers)
    }
    for entity in er.async_entries_for_config_entry(entities, entry.entry_id):
        if device_id_of(entity, entry) not in listed:
            left |= {entity.device_id} if entity.device_id else set()
            entities.async_remove(entity.entity_id)
    for device_id in left:
        if not devices.async_get(device_id):
            continue
        # MQTT keeps a device, with what is disabled, for the sake of our entities, and does not look again. What it still has stays.
        if not er.async_entries_for_device(entities, device_id):
            devices.async_remove_device(device_id)
        elif not DEVICE_OF_ONE_ENTRY:
            devices.async_update_device(device_id, remove_config_entry_id=entry.entry_id)
