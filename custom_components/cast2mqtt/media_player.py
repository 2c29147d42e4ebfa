"""A media player for each device and group."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

from homeassistant.components.media_player import (
    BrowseMedia,
    MediaPlayerDeviceClass,
    MediaPlayerEnqueue,
    MediaPlayerEntity,
    MediaType,
    RepeatMode,
)
from homeassistant.core import HomeAssistant, callback
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import entity_registry as er
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from . import browsing, values
from .bridge import Bridge, BridgeEntry
from .const import DOMAIN
from .device import Device
from .entity import DeviceEntity
from .places import unique_id
from .playing import load_of
from .services import with_targets

PARALLEL_UPDATES = 0
KEY = "player"


async def async_setup_entry(hass: HomeAssistant, entry: BridgeEntry, async_add_entities: AddConfigEntryEntitiesCallback) -> None:
    """Add a player for each device, now and when one appears."""
    bridge = entry.runtime_data
    bridge.on_device(lambda device: async_add_entities([CastPlayer(bridge, device)]))


class CastPlayer(DeviceEntity, MediaPlayerEntity):
    """Shows what a device reports; commands change nothing here until it reports the change."""

    _attr_name = None

    def __init__(self, bridge: Bridge, device: Device) -> None:
        """Be the player of a device."""
        super().__init__(bridge, device, KEY)
        self._attr_device_class = None if device.kind == "cast" else MediaPlayerDeviceClass.SPEAKER

    async def async_added_to_hass(self) -> None:
        """Follow the device, and be listed as a member of its groups."""
        await super().async_added_to_hass()
        self.async_registry_entry_updated()

    @callback
    def async_registry_entry_updated(self) -> None:
        """Have the groups of the device list it by its entity id."""
        for device in self.bridge.devices.values():
            if any(member["id"] == self.device.id for member in device.document("group").get("members") or ()):
                device.changed()

    @callback
    def show(self) -> None:
        """Take what the documents of the device say."""
        state, media, app = self.device.document("state"), self.device.part("media"), self.device.part("app")
        queue, volume, more = self.device.part("queue"), self.device.part("volume"), self.device.document("media")
        if more.get("content_id") != media.get("content_id") or more.get("session") != media.get("session"):
            more = {}
        self._attr_state = values.STATES.get(str(state.get("player")))
        self._attr_supported_features = values.features(state)
        self._attr_volume_level = volume.get("level")
        self._attr_is_volume_muted = volume.get("muted")
        self._attr_app_id = app.get("id")
        self._attr_app_name = app.get("name")
        self._attr_source = state.get("preset") or app.get("source")
        self._attr_source_list = self._sources(self._attr_source)
        self._attr_media_title = media.get("title") or media.get("subtitle")
        self._attr_media_artist = media.get("artist")
        self._attr_media_album_name = media.get("album")
        self._attr_media_album_artist = self._detail(more, "album_artist")
        self._attr_media_track = self._detail(more, "track") or self._detail(more, "track_number")
        self._attr_media_series_title = media.get("series")
        self._attr_media_season = values.text(media.get("season"))
        self._attr_media_episode = values.text(media.get("episode"))
        self._attr_media_content_id = media.get("content_id")
        self._attr_media_content_type = values.content_type(media, self.device.kind)
        self._attr_media_duration = media.get("duration")
        self._attr_media_position = media.get("position")
        self._attr_media_position_updated_at = values.time(media.get("position_at"))
        self._attr_media_playlist = self.device.document("queue").get("name")
        self._attr_shuffle = queue.get("shuffle")
        self._attr_repeat = values.REPEAT.get(str(queue.get("repeat")))
        # To read: Home Assistant shows its own attribute only with the feature to join, which Cast gives nobody.
        self._attr_extra_state_attributes = {"group_members": members} if (members := self._members()) else {}
        self._show_picture(media.get("image"))

    @staticmethod
    def _detail(more: dict[str, Any], key: str) -> Any:
        return more.get(key) if more.get(key) is not None else (more.get("metadata") or {}).get(key)

    def _show_picture(self, image: str | None) -> None:
        # The bridge has fetched it where it may: pictures of addresses that need a token come only this way.
        artwork = self.device.artwork
        self._attr_media_image_url = image or (f"{self.unique_id}" if artwork else None)
        if artwork:
            self._attr_media_image_hash = sha256(artwork).hexdigest()[:16]
        elif hasattr(self, "_attr_media_image_hash"):
            del self._attr_media_image_hash

    async def async_get_media_image(self) -> tuple[bytes | None, str | None]:
        """Return the picture of what plays."""
        if artwork := self.device.artwork:
            return artwork, picture_type(artwork)
        return await super().async_get_media_image()

    def _sources(self, current: str | None) -> list[str]:
        listed = [*(self.device.document("info").get("applications") or ()), *self.bridge.presets]
        return listed if current is None or current in listed else [*listed, current]

    def _members(self) -> list[str] | None:
        registry = er.async_get(self.hass)
        group = self.device.document("group")
        entities = (
            registry.async_get_entity_id("media_player", DOMAIN, unique_id(self.bridge, self.bridge.devices[member["id"]], KEY))
            for member in group.get("members") or () if member["id"] in self.bridge.devices)
        return [entity for entity in entities if entity] or None

    # Commands

    async def async_turn_on(self) -> None:
        """Turn on the screen."""
        await self.send("wake")

    async def async_turn_off(self) -> None:
        """End the application. A device that runs none is off."""
        try:
            await self.send("quit_app")
        except HomeAssistantError as error:
            if error.translation_key != "no_session":
                raise

    async def async_set_volume_level(self, volume: float) -> None:
        """Set the volume; of a group that of its members, which keep their ratio."""
        await self.send("set", volume_level=volume)

    async def async_mute_volume(self, mute: bool) -> None:
        """Mute or unmute."""
        await self.send("set", muted=mute)

    async def async_volume_up(self) -> None:
        """Turn the volume up by the step of the device."""
        await self.send("volume_up")

    async def async_volume_down(self) -> None:
        """Turn the volume down by the step of the device."""
        await self.send("volume_down")

    async def async_media_play(self) -> None:
        """Go on."""
        await self.send("play")

    async def async_media_pause(self) -> None:
        """Pause."""
        await self.send("pause")

    async def async_media_stop(self) -> None:
        """End what plays."""
        await self.send("stop")

    async def async_media_next_track(self) -> None:
        """Go to the next item."""
        await self.send("next")

    async def async_media_previous_track(self) -> None:
        """Go to the previous item."""
        await self.send("previous")

    async def async_media_seek(self, position: float) -> None:
        """Go to a second of the item."""
        await self.send("set", position=position)

    async def async_set_shuffle(self, shuffle: bool) -> None:
        """Shuffle the queue."""
        await self.send("set", shuffle=shuffle)

    async def async_set_repeat(self, repeat: RepeatMode) -> None:
        """Set how the queue repeats."""
        await self.send("set", repeat=str(repeat))

    async def async_clear_playlist(self) -> None:
        """Remove all items."""
        await self.send("queue_clear")

    async def async_select_source(self, source: str) -> None:
        """Play a preset, or start an application."""
        if source in self.bridge.presets:
            await self.send("preset", name=source)
        else:
            await self.send("set", app=source)

    async def async_play_media(
        self, media_type: MediaType | str, media_id: str, enqueue: MediaPlayerEnqueue | None = None, announce: bool | None = None,
        **kwargs: Any,
    ) -> None:
        """Play an address, a media source, or what browsing gave."""
        verb, args = await load_of(
            self.hass, self.bridge, self.entity_id, str(media_type), media_id, enqueue, bool(announce), kwargs.get("extra") or {})
        await self.send(verb, **(with_targets(self, args) if verb == "announce" else args))

    async def async_browse_media(
        self, media_content_type: MediaType | str | None = None, media_content_id: str | None = None,
    ) -> BrowseMedia:
        """List media of Home Assistant and of the bridge."""
        return await browsing.browse(self.hass, self.bridge, self.device, media_content_id)

    async def async_search_media(self, query: Any) -> Any:
        """Search the media of the bridge."""
        return await browsing.search(self.bridge, query.search_query)


def picture_type(data: bytes) -> str:
    """Return the type of a picture by its first bytes."""
    for start, kind in ((b"\x89PNG", "png"), (b"GIF8", "gif"), (b"BM", "bmp"), (b"RIFF", "webp")):
        if data.startswith(start):
            return f"image/{kind}"
    return "image/avif" if data[4:12] == b"ftypavif" else "image/jpeg"
