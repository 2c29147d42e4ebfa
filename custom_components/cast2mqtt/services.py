"""The services of this integration: each is a command of the bridge, with the members that docs/TOPICS.md lists for it."""

from __future__ import annotations

from typing import Any

from homeassistant.components import media_source
from homeassistant.const import Platform
from homeassistant.core import EntityServiceResponse, HassJob, HomeAssistant, ServiceCall, ServiceResponse, SupportsResponse
from homeassistant.helpers import config_validation as cv, entity_registry as er
from homeassistant.helpers.entity import Entity
from homeassistant.helpers.entity_platform import DATA_DOMAIN_PLATFORM_ENTITIES
from homeassistant.helpers.service import entity_service_call
import voluptuous as vol

from .const import DOMAIN
from .entity import DeviceEntity
from .places import device_id_of
from .playing import signed

NAME: dict[vol.Marker, Any] = {vol.Required("name"): cv.string}
ITEM: dict[vol.Marker, Any] = {vol.Optional("item"): cv.positive_int}
# What must be there. The bridge checks everything else, and names the member that it does not know.
SERVICES: dict[str, dict[vol.Marker, Any]] = {
    "announce": {},
    "load": {},
    "check": {},
    "transfer": {vol.Required("to"): cv.string},
    "queue_load": {vol.Required("items"): cv.ensure_list},
    "queue_insert": {vol.Required("items"): cv.ensure_list},
    "queue_update": {vol.Required("item"): cv.positive_int},
    "queue_remove": ITEM,
    "queue_jump": ITEM,
    "queue_move": ITEM,
    "queue_clear": {},
    "queue_get": {},
    "set_text_style": {},
    "save": NAME,
    "recall": NAME,
    "sleep": {vol.Required("minutes"): vol.All(vol.Coerce(float), vol.Range(0, 1440))},
    "show": {vol.Required("url"): cv.string},
}


def register_services(hass: HomeAssistant) -> None:
    """Register every service for the players of this integration, also while there are none."""

    async def handle(call: ServiceCall) -> EntityServiceResponse | None:
        players = hass.data.get(DATA_DOMAIN_PLATFORM_ENTITIES, {}).get((Platform.MEDIA_PLAYER, DOMAIN), {})
        return await entity_service_call(hass, players, HassJob(carry_out), call)

    for name, schema in SERVICES.items():
        # The schema that Home Assistant makes for entities drops `metadata`.
        members: dict[Any, Any] = {**schema, **cv.ENTITY_SERVICE_FIELDS}
        whole = vol.All(vol.Schema(members, extra=vol.ALLOW_EXTRA), cv.has_at_least_one_key(*cv.ENTITY_SERVICE_FIELDS))
        hass.services.async_register(DOMAIN, name, handle, whole, supports_response=SupportsResponse.OPTIONAL)


async def carry_out(entity: Entity, call: ServiceCall) -> ServiceResponse:
    """Send the command that a service names, and return `data` of its answer."""
    assert isinstance(entity, DeviceEntity)
    args = {key: value for key, value in call.data.items() if key not in cv.ENTITY_SERVICE_FIELDS}
    match call.service:
        case "set_text_style":
            answer = await entity.send("set", text_style=args)
        case "queue_get":
            answer = await entity.send("get", **{"doc": "queue", "all": True, **args})
        case "transfer":
            answer = await entity.send("transfer", to=_device(entity, args.pop("to")), **args)
        case "announce":
            answer = await entity.send("announce", **await fetchable(entity.hass, entity.entity_id, with_targets(entity, args)))
        case "show":
            # A page, not media: a signature would open nothing else than its first document.
            answer = await entity.send("show", **args)
        case "queue_load" | "queue_insert":
            items = [await fetchable(entity.hass, entity.entity_id, item) for item in args.pop("items")]
            answer = await entity.send(call.service, items=items, **args)
        case verb:
            answer = await entity.send(verb, **await fetchable(entity.hass, entity.entity_id, args))
    return answer.get("data") or {}


def with_targets(entity: DeviceEntity, args: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of an announcement. Its `targets` hear it besides the player of the action; to the bridge they are all."""
    if "targets" not in args:
        return args
    device = entity.device
    others = [_device(entity, target) for target in cv.ensure_list(args["targets"])]
    return {**args, "targets": [device.id, *(other for other in others if other not in (device.id, device.slug))]}


def _device(entity: DeviceEntity, name: Any) -> Any:
    """Return a device's id for one of our entities; anything else the bridge knows itself."""
    entry = entity.bridge.entry
    registered = er.async_get(entity.hass).async_get(str(name))
    if registered and registered.config_entry_id == entry.entry_id:
        return device_id_of(registered, entry)
    return name


async def fetchable(hass: HomeAssistant, entity_id: str, item: Any) -> Any:
    """Return an item whose address a device can fetch: signed and absolute for what Home Assistant serves."""
    url = item if isinstance(item, str) else item.get("url") if isinstance(item, dict) else None
    if not isinstance(url, str):
        return item
    kind: dict[str, Any] = {}
    if media_source.is_media_source_id(url):
        resolved = await media_source.async_resolve_media(hass, url, entity_id)
        url, kind = resolved.url, {"content_type": resolved.mime_type}
    return {**kind, **({} if isinstance(item, str) else item), "url": signed(hass, url)}
