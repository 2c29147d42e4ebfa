"""What `media_player.play_media` is given, as a command of the bridge."""

from __future__ import annotations

import json
import re
from typing import Any

from homeassistant.components import media_source
from homeassistant.components.media_player import MediaPlayerEnqueue, async_process_play_media_url
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import ServiceValidationError

from .bridge import Bridge
from .browsing import ROOT, command_of, entry_of
from .const import DOMAIN

# Members that Home Assistant's cast integration calls `media_info`, which are Cast's own names, as the bridge calls them.
MEDIA_INFO = {
    "customData": "media_custom_data", "streamType": "stream", "textTrackStyle": "text_style", "vmapAdsRequest": "vmap_ads_request",
    "contentUrl": "content_url", "startAbsoluteTime": "start_absolute_time",
}
# Of the applications that cast integration starts by name, those that play addresses.
PLAYERS = {"default_media_receiver": None, "homeassistant_media": "B45F4572", "bubbleupnp": "3927FA74", "shaka": "07AEE832"}


async def load_of(
    hass: HomeAssistant, bridge: Bridge, entity_id: str, media_type: str, media_id: str, enqueue: MediaPlayerEnqueue | None,
    announce: bool, extra: dict[str, Any],
) -> tuple[str, dict[str, Any]]:
    """Return the verb and its arguments."""
    if media_id.startswith(ROOT):
        kind, name = entry_of(media_id)
        if kind not in ("file", "folder"):
            if announce or enqueue is not None:
                raise ServiceValidationError(translation_domain=DOMAIN, translation_key="only_played")
            return await command_of(bridge, media_id)
        medium: dict[str, Any] = {"file": name}
    elif media_type.lower() == "cast":
        medium, extra = _application(hass, media_id, extra)
        if "url" not in medium:
            if announce or enqueue is not None:
                raise ServiceValidationError(translation_domain=DOMAIN, translation_key="only_played")
            return "launch", medium
    else:
        if media_source.is_media_source_id(media_id):
            item = await media_source.async_resolve_media(hass, media_id, entity_id)
            media_id, media_type = item.url, item.mime_type
        # Signed, and absolute: the device fetches it without a login.
        medium = {"url": signed(hass, media_id), "content_type": media_type}
    if announce:
        if "/" not in medium.get("content_type", ""):
            medium.pop("content_type", None)
        return "announce", {**extra, **medium}
    return "load", _load(medium, extra, enqueue)


def _load(medium: dict[str, Any], extra: dict[str, Any], enqueue: MediaPlayerEnqueue | None = None) -> dict[str, Any]:
    """Return the arguments of a load. Of several tracks each has an id; the one of `extra` has none that matters."""
    args = {**medium, **media_info(extra.get("media_info"))}
    if re.search(r"^https?://[^/]+/api/hls/", medium.get("url", "")):
        args |= {"stream": "live", "hls_video_segment_format": "fmp4"}
    if kept := {key: value for key, value in extra.items() if key not in ("media_info", "enqueue", "subtitle_id")}:
        args["extra"] = kept
    if enqueue is None and extra.get("enqueue"):
        enqueue = MediaPlayerEnqueue.ADD
    return args if enqueue is None else {**args, "enqueue": str(enqueue)}


def signed(hass: HomeAssistant, url: str) -> str:
    """Return an address that a device can fetch without a login. The bridge says what is wrong with one that is none."""
    try:
        return async_process_play_media_url(hass, url)
    except (ValueError, IndexError):
        return url


def _application(hass: HomeAssistant, media_id: str, extra: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what the JSON of the media type `cast` starts or plays, and its members that are as those of `extra`."""
    try:
        data = json.loads(media_id)
        if "app_id" in data:
            return {"app": str(data["app_id"])}, {}
        name = str(data.pop("app_name"))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ServiceValidationError(translation_domain=DOMAIN, translation_key="bad_cast_json") from error
    if name not in PLAYERS or "media_id" not in data:
        raise ServiceValidationError(
            translation_domain=DOMAIN, translation_key="app_by_name", translation_placeholders={"app": name})
    medium = {
        "url": signed(hass, str(data.pop("media_id"))), "content_type": str(data.pop("media_type", "video")),
        **({"app": app} if (app := PLAYERS[name]) else {}),
    }
    return medium, data | extra


def media_info(info: Any) -> dict[str, Any]:
    """Return Cast's names of media as the bridge's; it refuses those that it has not, and names them."""
    if not isinstance(info, dict | None):
        raise ServiceValidationError(translation_domain=DOMAIN, translation_key="bad_media_info")
    named = {MEDIA_INFO.get(key, re.sub(r"(?<!^)([A-Z])", r"_\1", key).lower()): value for key, value in (info or {}).items()}
    for key in ("stream", "hls_segment_format", "hls_video_segment_format"):
        if isinstance(named.get(key), str):
            named[key] = named[key].lower()
    return named
