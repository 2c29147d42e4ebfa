"""The attributes of a media player, from the documents of a device. Without I/O."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from homeassistant.components.media_player import MediaPlayerEntityFeature as Feature, MediaPlayerState, MediaType, RepeatMode
from homeassistant.util import dt as dt_util

STATES = {
    "off": MediaPlayerState.OFF, "idle": MediaPlayerState.IDLE, "on": MediaPlayerState.ON, "loading": MediaPlayerState.BUFFERING,
    "buffering": MediaPlayerState.BUFFERING, "playing": MediaPlayerState.PLAYING, "paused": MediaPlayerState.PAUSED,
}
TYPES = {
    "music": MediaType.MUSIC, "audiobook_chapter": MediaType.MUSIC, "tv_show": MediaType.TVSHOW, "movie": MediaType.MOVIE,
    "photo": MediaType.IMAGE,
}
REPEAT = {"off": RepeatMode.OFF, "one": RepeatMode.ONE, "all": RepeatMode.ALL, "all_shuffle": RepeatMode.ALL}
WITH_MEDIA = (MediaPlayerState.PLAYING, MediaPlayerState.PAUSED, MediaPlayerState.BUFFERING)

# What `can` offers, word by word.
OFFERED = {
    "pause": Feature.PAUSE, "seek": Feature.SEEK, "next": Feature.NEXT_TRACK, "previous": Feature.PREVIOUS_TRACK,
    "shuffle": Feature.SHUFFLE_SET, "repeat": Feature.REPEAT_SET, "volume": Feature.VOLUME_SET | Feature.VOLUME_STEP,
    "mute": Feature.VOLUME_MUTE,
}
# What every device can do, whatever it shows. Releases before 2025.5 know no search.
ALWAYS = (
    Feature.PLAY_MEDIA | Feature.BROWSE_MEDIA | Feature.MEDIA_ENQUEUE | Feature.MEDIA_ANNOUNCE | Feature.TURN_ON | Feature.TURN_OFF
    | Feature.SELECT_SOURCE | getattr(Feature, "SEARCH_MEDIA", Feature(0))
)


def features(state: dict[str, Any]) -> Feature:
    """Return what the device can do now, so that no button is shown that does nothing."""
    supported = ALWAYS
    for word in state.get("can") or ():
        supported |= OFFERED.get(word, Feature(0))
    if STATES.get(str(state.get("player"))) in WITH_MEDIA:
        supported |= Feature.PLAY | Feature.STOP
    if ((state.get("queue") or {}).get("length") or 0) > 0:
        supported |= Feature.CLEAR_PLAYLIST
    return supported


def time(text: str | None) -> datetime | None:
    """Return a time of a document."""
    return dt_util.parse_datetime(text) if text else None


def content_type(media: dict[str, Any], kind: str) -> MediaType | None:
    """Return the type of what is loaded; most applications report none for sound."""
    if media.get("session") is None and media.get("content_id") is None:
        return None
    if known := TYPES.get(str(media.get("kind"))):
        return known
    sound = kind != "cast" or str(media.get("content_type")).startswith("audio/")
    return MediaType.MUSIC if sound else MediaType.VIDEO


def text(value: Any) -> str | None:
    """Return a number or text as text."""
    return None if value is None else str(value)
