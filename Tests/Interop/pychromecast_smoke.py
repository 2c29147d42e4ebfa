"""Drives simulated devices with pychromecast, unmodified, as Home Assistant does.

Usage: pychromecast_smoke.py LIST, where LIST is the JSON answer of the control socket to {"do":"list"}.
"""

import json
import sys
import uuid

import pychromecast
from pychromecast import dial
from pychromecast.controllers.multizone import MultizoneController
from tls_turns import take_turns
from wait import check, wait_for
from zeroconf import Zeroconf

AUDIO_MODELS = {"Google Home Mini", "Nest Audio"}


def find(zeroconf, devices):
    """The pychromecast object of each device, by control name."""
    wanted = {uuid.UUID(device["id"]): device["device"] for device in devices}
    found, browser = pychromecast.get_listed_chromecasts(uuids=list(wanted), zeroconf_instance=zeroconf, discovery_timeout=30)
    casts = {wanted[cast.uuid]: cast for cast in found}
    check("devices found", sorted(casts), sorted(wanted.values()))
    return casts, browser


def check_identity(casts, devices):
    for device in devices:
        info = casts[device["device"]].cast_info
        check("friendly name", info.friendly_name, device["name"])
        check("model", info.model_name, device["model"])
        # Groups are recognised by their port, audio devices by eureka_info on port 8443.
        kind = "group" if device["group"] else "audio" if device["model"] in AUDIO_MODELS else "cast"
        check(f"type of {device['device']}", info.cast_type, kind)
        if not device["group"]:
            # By HTTPS on port 8443, as pychromecast asks models that it does not know.
            reported = dial.get_device_info(device["address"], timeout=30)
            check("id from eureka_info", reported.uuid, uuid.UUID(device["id"]))
            check("type from eureka_info", reported.cast_type, kind)


def check_groups(devices):
    """Every group is reported by the device that leads it, with its port."""
    for group in (device for device in devices if device["group"]):
        status = dial.get_multizone_status(group["address"], timeout=30)
        reported = {info.uuid: info.port for info in status.groups}
        check("port of the group", reported.get(uuid.UUID(group["id"])), group["port"])


def check_playback(cast, url):
    media = cast.media_controller
    media.play_media(url, "video/mp4", title="Interop", stream_type="BUFFERED")
    media.block_until_active(timeout=30)
    wait_for("it plays", lambda: media.status.player_state == "PLAYING")
    check("title", media.status.title, "Interop")
    check("content", media.status.content_id, url)
    check("duration", media.status.duration, 100)
    wait_for("the position moves", lambda: media.status.adjusted_current_time > 0.2)
    media.pause(timeout=30)
    wait_for("it is paused", lambda: media.status.player_state == "PAUSED")
    media.play(timeout=30)
    wait_for("it plays on", lambda: media.status.player_state == "PLAYING")
    # pychromecast asks for PLAYBACK_START with every seek.
    media.seek(42, timeout=30)
    wait_for("it plays from there", lambda: media.status.player_state == "PLAYING" and media.status.current_time >= 42)
    media.stop(timeout=30)
    wait_for("it has stopped", lambda: media.status.player_state in ("IDLE", "UNKNOWN"))


def check_volume(cast):
    cast.set_volume(0.35, timeout=30)
    wait_for("the volume is set", lambda: abs(cast.status.volume_level - 0.35) < 0.005)
    cast.set_volume_muted(True, timeout=30)
    wait_for("it is mute", lambda: cast.status.volume_muted)
    cast.set_volume_muted(False, timeout=30)
    wait_for("it is unmuted", lambda: not cast.status.volume_muted)


def check_quit(cast):
    cast.quit_app(timeout=30)
    wait_for("the application has ended", lambda: cast.status.app_id in (None, "E8C28D3C"))


def check_group(cast, devices):
    multizone = MultizoneController(cast.uuid)
    cast.register_handler(multizone)
    multizone.update_members()
    known = {str(uuid.UUID(device["id"])) for device in devices if not device["group"]}
    members = wait_for("the group has members", lambda: multizone.members)
    check("members are devices", set(members) <= known, True)


def main():
    take_turns()
    devices = json.loads(sys.argv[1])["devices"]
    zeroconf = Zeroconf(interfaces=["127.0.0.1"])
    casts, browser = find(zeroconf, devices)
    check_identity(casts, devices)
    check_groups(devices)
    for device in devices:
        cast = casts[device["device"]]
        cast.wait(timeout=30)
        check_playback(cast, f"http://media.invalid/{device['device']}.mp4?duration=100")
        check_volume(cast)
        check_quit(cast)
        if device["group"]:
            check_group(cast, devices)
    for cast in casts.values():
        cast.disconnect(timeout=30)
    browser.stop_discovery()
    zeroconf.close()
    print(f"OK: {len(devices)} devices")


main()
