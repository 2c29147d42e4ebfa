"""The media of Home Assistant and of the bridge, to choose from."""

from __future__ import annotations

from contextlib import suppress
from typing import Any
from urllib.parse import quote, unquote

from homeassistant.components import media_player, media_source
from homeassistant.components.media_player import BrowseError, BrowseMedia, MediaClass
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError, ServiceValidationError

from .bridge import Bridge
from .const import DOMAIN
from .device import Device

ROOT = "cast2mqtt://"
KIND = DOMAIN
LISTS = {"presets": "Presets", "recents": "Recently played"}


def entry_of(media_id: str) -> tuple[str, str]:
    """Return the kind and name of an entry of this list."""
    kind, _, name = media_id.removeprefix(ROOT).partition("/")
    return kind, unquote(name)


async def command_of(bridge: Bridge, media_id: str) -> tuple[str, dict[str, Any]]:
    """Return the command that plays an entry of this list; raises when there is none."""
    match entry_of(media_id):
        case "preset", name if name:
            return "preset", {"name": name}
        case "item", name if name.isdecimal():
            return "queue_jump", {"item": int(name)}
        case "recent", at:
            # Their numbers change with everything that is played.
            for entry in await bridge.entries("media/browse", {"list": "recents"}):
                if entry["at"] == at:
                    return "load", {"recent": entry["recent"]}
    raise ServiceValidationError(
        translation_domain=DOMAIN, translation_key="no_such_entry", translation_placeholders={"entry": media_id.removeprefix(ROOT)})


async def browse(hass: HomeAssistant, bridge: Bridge, device: Device, media_id: str | None) -> BrowseMedia:
    """Return a page of the list."""
    if media_id and media_source.is_media_source_id(media_id):
        return await media_source.async_browse_media(hass, media_id, content_filter=_filter(device))
    try:
        if not media_id or media_id == ROOT:
            return await _root(hass, bridge, device)
        kind, path = entry_of(media_id)
        if kind in LISTS:
            return _page(media_id, LISTS[kind], await bridge.entries("media/browse", {"list": kind}))
        if kind == "queue":
            return _queue(media_id, device)
        if kind in ("folder", "files"):
            found = await bridge.entries("media/browse", {"path": path} if path else {})
            return _page(media_id, path.rpartition("/")[2] or "Files", found, playable=bool(path))
    except HomeAssistantError as error:
        raise _translated(BrowseError, error) from error
    raise BrowseError(
        translation_domain=DOMAIN, translation_key="no_such_entry", translation_placeholders={"entry": media_id.removeprefix(ROOT)})


async def search(bridge: Bridge, query: str) -> Any:
    """Return the entries whose names have every word."""
    try:
        found = await bridge.entries("media/search", {"query": query})
    except HomeAssistantError as error:
        # A newer name than the oldest release that this runs in.
        raise _translated(getattr(media_player, "SearchError", BrowseError), error) from error
    return getattr(media_player, "SearchMedia")(result=[_entry(entry) for entry in found])


def _translated(kind: type[HomeAssistantError], error: HomeAssistantError) -> HomeAssistantError:
    """Return an error of the kind that the media browser shows, in the words of another one."""
    return kind(
        # With a text, Home Assistant would show that, and the text of a translated error is its key.
        *(() if error.translation_key else error.args), translation_domain=error.translation_domain, translation_key=error.translation_key,
        translation_placeholders=error.translation_placeholders)


async def _root(hass: HomeAssistant, bridge: Bridge, device: Device) -> BrowseMedia:
    children = [_node(f"{ROOT}{kind}", title) for kind, title in LISTS.items()]
    # A bridge whose media server is off refuses to list its folders.
    with suppress(HomeAssistantError):
        if await bridge.entries("media/browse", {}):
            children.insert(0, _node(f"{ROOT}files", "Files"))
    if device.document("queue").get("items"):
        children.append(_node(f"{ROOT}queue", "Queue"))
    sources = await media_source.async_browse_media(hass, None, content_filter=_filter(device))
    return _node(ROOT, bridge.entry.title, [*children, *(sources.children or ())])


def _filter(device: Device) -> Any:
    # A screen shows everything; what has no type at all may be anything.
    return lambda item: device.kind == "cast" or not item.media_content_type.startswith(("video/", "image/"))


def _queue(media_id: str, device: Device) -> BrowseMedia:
    items = device.document("queue").get("items") or []
    return _node(media_id, "Queue", [
        BrowseMedia(
            media_class=MediaClass.TRACK, media_content_id=f"{ROOT}item/{item['item']}", media_content_type=KIND, can_play=True,
            can_expand=False, title=item.get("title") or item.get("content_id") or f"#{item['item']}", thumbnail=item.get("image"))
        for item in items])


def _page(media_id: str, title: str, found: list[dict[str, Any]], playable: bool = False) -> BrowseMedia:
    return _node(media_id, title, [_entry(entry) for entry in found], playable=playable)


def _node(media_id: str, title: str, children: list[BrowseMedia] | None = None, playable: bool = False) -> BrowseMedia:
    return BrowseMedia(
        media_class=MediaClass.DIRECTORY, media_content_id=media_id, media_content_type=KIND, title=title, can_play=playable,
        can_expand=True, children=children)


def _entry(entry: dict[str, Any]) -> BrowseMedia:
    kind = str(entry["kind"])
    name = {"preset": entry.get("name"), "recent": entry.get("at")}.get(kind, entry.get("path"))
    sort = str(entry.get("content_type")).partition("/")[0]
    classes = {"audio": MediaClass.MUSIC, "video": MediaClass.VIDEO, "image": MediaClass.IMAGE}
    return BrowseMedia(
        media_class=MediaClass.DIRECTORY if kind == "folder" else classes.get(sort, MediaClass.MUSIC),
        media_content_id=f"{ROOT}{kind}/{quote(str(name))}", media_content_type=KIND, title=str(entry.get("name") or name),
        can_play=True, can_expand=kind == "folder", thumbnail=entry.get("image"))
