"""Drives one simulated device and one group with pychromecast: everything that a household's sender does.

Usage: pychromecast_features.py LIST CONTROL [SECONDS], where LIST is the JSON answer of the control socket at CONTROL to {"do":"list"}
and SECONDS is how long to wait for anything that must come.
"""

import json
import socket
import sys
import uuid

import media_files
import pychromecast
from pychromecast.controllers.multizone import MultizoneController
from pychromecast.error import PyChromecastError
from tls_turns import take_turns
from wait import check, wait_for
from zeroconf import Zeroconf

SECONDS = float(sys.argv[3]) if len(sys.argv) > 3 else 30


def control(request):
    """One request to the simulator itself, which is not the sender's doing."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(sys.argv[2])
        connection.sendall((json.dumps(request) + "\n").encode())
        answer = json.loads(connection.makefile().readline())
    if not answer["ok"]:
        sys.exit(f"FAILED: the simulator refused {request}: {answer}")
    return answer


def state(device):
    return control({"device": device, "do": "state"})["state"]


def soon(what, condition):
    return wait_for(what, condition, SECONDS)


def find(zeroconf, devices):
    wanted = {uuid.UUID(device["id"]): device["device"] for device in devices}
    found, browser = pychromecast.get_listed_chromecasts(
        uuids=list(wanted), zeroconf_instance=zeroconf, discovery_timeout=SECONDS, tries=5, retry_wait=1)
    casts = {wanted[cast.uuid]: cast for cast in found}
    check("devices found", sorted(casts), sorted(wanted.values()))
    for cast in casts.values():
        cast.wait(timeout=SECONDS)
        soon("the status has come", lambda: cast.status is not None)
    return casts, browser


def check_playback(cast, url):
    media = cast.media_controller
    media.play_media(f"{url}/a.wav", "audio/wav", title="First", stream_type="BUFFERED")
    media.block_until_active(timeout=SECONDS)
    soon("it plays", lambda: media.status.player_state == "PLAYING")
    check("title", media.status.title, "First")
    check("length, read from the file", media.status.duration, media_files.SECONDS)
    media.pause(timeout=SECONDS)
    soon("it is paused", lambda: media.status.player_state == "PAUSED")
    media.play(timeout=SECONDS)
    soon("it plays on", lambda: media.status.player_state == "PLAYING")
    media.seek(30, timeout=SECONDS)
    soon("it plays from there", lambda: media.status.player_state == "PLAYING" and media.status.current_time >= 30)
    media.set_playback_rate(1.5, timeout=SECONDS)
    soon("it plays faster", lambda: media.status.playback_rate == 1.5)


def check_volume(cast):
    cast.set_volume(0.35, timeout=SECONDS)
    soon("the volume is set", lambda: abs(cast.status.volume_level - 0.35) < 0.005)
    cast.set_volume_muted(True, timeout=SECONDS)
    soon("it is mute", lambda: cast.status.volume_muted)
    cast.set_volume_muted(False, timeout=SECONDS)
    soon("it is unmuted", lambda: not cast.status.volume_muted)


def check_queue(cast, device, url):
    media = cast.media_controller
    for name in "bc":
        media.play_media(f"{url}/{name}.wav", "audio/wav", title=name, enqueue=True)
    soon("the queue has three items", lambda: state(device).get("queue_length") == 3)
    media.queue_next(timeout=SECONDS)
    soon("the next item plays", lambda: media.status.title == "b" and media.status.player_state == "PLAYING")
    media.queue_next(timeout=SECONDS)
    soon("the last item plays", lambda: media.status.title == "c" and media.status.player_state == "PLAYING")
    media.queue_prev(timeout=SECONDS)
    soon("the item before plays", lambda: media.status.title == "b" and media.status.player_state == "PLAYING")


def check_subtitles(cast, url):
    media = cast.media_controller
    media.play_media(
        f"{url}/d.wav", "audio/wav", title="With text", stream_type="BUFFERED", subtitles=f"{url}/text.vtt", subtitles_lang="en")
    soon("it plays", lambda: media.status.title == "With text" and media.status.player_state == "PLAYING")
    check("tracks", [(track["trackId"], track["language"]) for track in media.status.subtitle_tracks], [(1, "en")])
    check("active tracks", media.status.current_subtitle_tracks, [1])
    media.disable_subtitle(timeout=SECONDS)
    soon("no text is shown", lambda: media.status.current_subtitle_tracks == [])
    media.enable_subtitle(1, timeout=SECONDS)
    soon("text is shown", lambda: media.status.current_subtitle_tracks == [1])
    media.play_media("http://127.0.0.1:1/nothing.wav", "audio/wav")
    soon("what is not there fails", lambda: media.status.player_state == "IDLE" and media.status.idle_reason == "ERROR")


def check_two_senders(cast, zeroconf, url):
    """Each learns what the other does."""
    other = pychromecast.get_chromecast_from_cast_info(cast.cast_info, zeroconf, tries=5, retry_wait=1)
    other.wait(timeout=SECONDS)
    mine, theirs = cast.media_controller, other.media_controller
    mine.play_media(f"{url}/e.wav", "audio/wav", title="Shared", stream_type="BUFFERED")
    soon("the other sees it play", lambda: theirs.status.title == "Shared" and theirs.status.player_state == "PLAYING")
    theirs.pause(timeout=SECONDS)
    soon("one sees the other's pause", lambda: mine.status.player_state == "PAUSED")
    mine.seek(20, timeout=SECONDS)
    soon("the other sees the seek", lambda: theirs.status.current_time >= 20)
    other.set_volume(0.6, timeout=SECONDS)
    soon("one sees the other's volume", lambda: abs(cast.status.volume_level - 0.6) < 0.005)
    other.disconnect(timeout=SECONDS)


def check_reset(cast, device):
    """The connection breaks; the sender reconnects by itself and finds the current media."""
    control({"device": device, "do": "reset"})
    soon("it is connected again", lambda: state(device)["sockets"] == 1)
    cast.wait(timeout=SECONDS)
    media = cast.media_controller
    soon("it knows what plays", lambda: media.status.title == "Shared" and media.status.player_state in ("PLAYING", "PAUSED"))

    def obeys():
        try:
            media.pause(timeout=SECONDS)
            return True
        except PyChromecastError:
            return False

    soon("it obeys again", obeys)


def check_stop(cast):
    cast.media_controller.stop(timeout=SECONDS)
    soon("it has stopped", lambda: cast.media_controller.status.player_state in ("IDLE", "UNKNOWN"))
    cast.quit_app(timeout=SECONDS)
    soon("the application has ended", lambda: cast.status.app_id in (None, "E8C28D3C"))


def check_group(cast, group, devices, casts):
    multizone = MultizoneController(cast.uuid)
    cast.register_handler(multizone)
    multizone.update_members()
    names = {uuid.UUID(device["id"]): device["device"] for device in devices}
    members = [names[uuid.UUID(member)] for member in soon("the group has members", lambda: multizone.members)]
    outsider = next(device["device"] for device in devices if not device["group"] and device["device"] not in members)
    control({"device": group, "do": "join", "member": outsider})
    soon("a member joins", lambda: len(multizone.members) == len(members) + 1)
    control({"device": group, "do": "leave", "member": outsider})
    soon("a member leaves", lambda: len(multizone.members) == len(members))
    # The group's volume is the members': all come along.
    cast.set_volume(0.5, timeout=SECONDS)
    cast.set_volume_muted(True, timeout=SECONDS)
    for member in members:
        soon(f"{member} is mute with its group", lambda: casts[member].status.volume_muted)


def check_everything(zeroconf, devices):
    group = next((device["device"] for device in devices if device["group"]), None)
    casts, browser = find(zeroconf, devices)
    url = media_files.serve()
    device = devices[0]["device"]
    cast = casts[device]
    check_playback(cast, url)
    check_volume(cast)
    check_queue(cast, device, url)
    check_subtitles(cast, url)
    check_two_senders(cast, zeroconf, url)
    check_reset(cast, device)
    check_stop(cast)
    if group:
        check_group(casts[group], group, devices, casts)
    for cast in casts.values():
        cast.disconnect(timeout=SECONDS)
    browser.stop_discovery()


def main():
    take_turns()
    devices = json.loads(sys.argv[1])["devices"]
    zeroconf = Zeroconf(interfaces=["127.0.0.1"])
    try:
        check_everything(zeroconf, devices)
    except PyChromecastError as error:
        sys.exit(f"FAILED: pychromecast: {error!r}")
    zeroconf.close()
    print(f"OK: {len(devices)} devices")


main()
