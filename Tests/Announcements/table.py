"""What a device did before an announcement, it does again afterwards: by the simulator's own state.

    table.py --binaries DIR [--all] [NAME ...]     names are parts of "source target event"
"""

import argparse
import contextlib
import json
import os
import random
import resource
import socket
import sys
import tempfile
import time
import traceback
import urllib.error
import urllib.request
import uuid
import wave

import pychromecast
from house import House, until

ANNOUNCEMENT = "http://media.invalid/bell.mp3?duration=1.5"
FILM = "http://media.invalid/film.mp4?duration=600"
LIVE = "http://media.invalid/radio.mp3?live_window=60"


class Sender:
    """Another sender: pychromecast."""

    def __init__(self, house, device):
        entry = next(entry for entry in house.list() if entry["device"] == device)
        self.cast = pychromecast.get_chromecast_from_host((entry["address"], entry["port"], uuid.UUID(entry["id"]), entry["model"], entry["name"]), tries=1)
        self.cast.wait(10)

    def queue(self, app=None):
        media = self.cast.media_controller
        if app:
            self.cast.start_app(app)
        media.play_media(f"{FILM}&n=1", "video/mp4", title="Film 1")
        media.block_until_active(10)
        for number in (2, 3):
            media.play_media(f"{FILM}&n={number}", "video/mp4", title=f"Film {number}", enqueue=True)
        media.queue_next()

    def end(self):
        self.cast.disconnect(5)


# MARK: what plays before

def own(house, device, **arguments):
    house.command(device, "load", url=FILM, title="Film", position=100, **arguments)


def own_queue(house, device):
    house.command(
        device, "queue_load", items=[{"url": f"{FILM}&n={number}", "title": f"Film {number}"} for number in range(1, 6)], start=2, position=50, repeat="all")


def own_shuffled(house, device):
    own_queue(house, device)
    house.client.publish(f"cast2mqtt/{house.slug(device)}/set/shuffle", "ON", qos=1)
    until(lambda: house.state(device).get("shuffled"), "the queue is shuffled")


def foreign(house, device, **arguments):
    house.send(device=device, do="play", url=FILM, title="Film", position=100, **arguments)


def foreign_queue(house, device):
    sender = Sender(house, device)
    sender.queue()
    until(lambda: house.state(device).get("queue_length") == 3 and house.state(device)["title"] == "Film 2", "the queue plays")
    sender.end()


def paused(house, device, load):
    load(house, device)
    until(lambda: house.state(device).get("player") == "PLAYING", "it plays")
    house.send(device=device, do="pause")


def shown(house, device):
    """Everything that can be set, set to something."""
    house.command(device, "load", url=FILM, title="Film", position=100, rate=1.5, tracks=[
        {"id": 1, "type": "text", "subtype": "subtitles", "language": "en", "name": "English", "url": "http://media.invalid/en.vtt", "content_type": "text/vtt"}],
        active_tracks=[1])
    house.client.publish(f"cast2mqtt/{house.slug(device)}/set/stream_volume", "0.4", qos=1)
    until(lambda: abs(house.state(device).get("stream_volume", 1) - 0.4) < 0.01, "the stream is quiet")
    house.send(device=device, do="volume", level=0.35, muted=True)


def lost(house, device):
    """A picture frame has no player."""
    house.command(device, "launch", app="5A1D0002")


SOURCES = {
    "own_playing": own,
    "own_paused": lambda house, device: paused(house, device, own),
    "own_queue": own_queue,
    "own_shuffled": own_shuffled,
    "own_settings": shown,
    "own_live": lambda house, device: house.command(device, "load", url=LIVE, stream="live", title="Radio"),
    "foreign_playing": foreign,
    "foreign_paused": lambda house, device: paused(house, device, foreign),
    "foreign_queue": foreign_queue,
    "foreign_service": lambda house, device: foreign(house, device, app="5A1D0001"),
    "foreign_live": lambda house, device: house.send(device=device, do="play", url=LIVE, stream_type="LIVE", title="Radio"),
    "idle": lambda house, device: None,
    "standby": lambda house, device: house.send(device=device, do="screen", stand_by=True, active_input=False),
    "lost": lost,
}
# The quick run has one cell of each row and column.
QUICK = ["own_settings device normal", "foreign_queue device normal", "own_paused group normal", "own_playing member normal", "foreign_service overlap normal",
         "own_live device normal", "idle device normal", "standby device normal", "lost device normal", "own_queue device kill", "foreign_playing group stop", "foreign_playing device person",
         "own_playing device reboot", "foreign_live group normal", "foreign_paused device normal"]
KEPT = ["app_id", "player", "content_id", "title", "queue_length", "repeat_mode", "shuffled", "rate", "active_tracks", "text_style", "stream_volume",
        "stream_muted", "volume", "muted", "is_idle_screen"]


def summary(state):
    kept = {key: state.get(key) for key in KEPT}
    kept["items"] = [item.get("content_id") for item in state.get("items", [])]
    for name in ("volume", "stream_volume"):
        if kept[name] is not None:
            kept[name] = round(kept[name], 2)
    # No player and one that has nothing loaded are both silence.
    if kept["player"] in (None, "NONE", "IDLE"):
        kept["player"] = "IDLE"
    return kept


def position(before, after, elapsed):
    if before.get("position") is None or before.get("duration") is None:
        return
    moved = after["position"] - before["position"]
    if before["player"] == "PAUSED":
        assert abs(moved) < 1, ("position", before["position"], after["position"])
    else:
        assert -1 < moved < elapsed * before.get("rate", 1) + 1, ("position", before["position"], after["position"], elapsed)


def sounding(house, device):
    return house.state(device).get("content_id") == ANNOUNCEMENT and house.state(device).get("player") == "PLAYING"


def device_of(house, target):
    """The device that the announcement is sent to, and those whose state is compared."""
    lone = [entry["device"] for entry in house.list() if not entry["group"]]
    if target == "device":
        return lone[0], lone[0], [lone[0]]
    if target == "group":
        return "group-001", "group-001", ["group-001", *house.members["group-001"]]
    if target == "member":
        return "group-001", house.members["group-001"][0], ["group-001", *house.members["group-001"]]
    return house.members["group-001"][0], "group-001", ["group-001", *house.members["group-001"]]


def quiet(house):
    for entry in house.list():
        device = entry["device"]
        state = house.state(device)
        if state.get("app_id") and not state.get("is_idle_screen"):
            house.send(device=device, do="quit")
        house.send(device=device, do="volume", level=0.25, muted=False)
        if state.get("stand_by"):
            house.send(device=device, do="screen", stand_by=False, active_input=True)
    until(lambda: all(not house.state(entry["device"]).get("app_id") or house.state(entry["device"]).get("is_idle_screen") for entry in house.list()), "silence")
    time.sleep(0.2)


def cell(house, source, target, event):
    quiet(house)
    playing, announced, compared = device_of(house, target)
    SOURCES[source](house, playing)
    # An application that another sender has launched is left alone in its first second.
    time.sleep(1.5 if target == "member" else 0.4)
    until(lambda: house.state(playing).get("player") not in ("BUFFERING", "LOADING"), "it plays")
    before = {device: house.state(device) for device in compared}
    begun = time.monotonic()
    id = house.begin(announced, "announce", url=ANNOUNCEMENT, volume=60, timeout=20)
    speaker = "group-001" if target != "device" else announced
    if source == "lost":
        answer = house.final(id)
        data = answer["data"]["targets"][house.slug(speaker if target != "member" else announced)]
        assert answer["code"] == "done" and data["media"] == "not_possible" and data["reason"] == "no_player", answer
        assert abs(house.state(compared[-1])["volume"] - 0.25) < 0.02, "the volume is what it was"
        assert house.state(speaker).get("content_id") is None and house.state(speaker).get("app_id") != "CC1AD845", "nothing of ours is left"
        return
    until(lambda: sounding(house, speaker), "the announcement is heard")
    if event in ("kill", "stop"):
        time.sleep(random.random() * 1.2)
        house.kill() if event == "kill" else house.stop()
        time.sleep(random.random())
        house.start()
    elif event == "person":
        house.send(device=speaker, do="play", url=FILM, title="Of a person")
        answer = house.final(id)
        time.sleep(1)
        state = house.state(speaker)
        assert state["title"] == "Of a person" and state["player"] == "PLAYING", state
        data = list(answer["data"]["targets"].values())[0]
        assert data["media"] == "not_possible" and data["reason"] == "taken_over" and data["volume"] is False, answer
        return
    elif event == "reboot":
        house.send(device=speaker, do="reboot", seconds=1)
        answer = house.final(id)
        time.sleep(1)
        assert not house.state(speaker).get("content_id"), "nothing is begun again after a reboot"
        assert list(answer["data"]["targets"].values())[0]["reason"] == "device_lost", answer
        return
    if event not in ("kill", "stop"):
        answer = house.final(id)
        expected = "nothing_playing" if source in ("idle", "standby") or target == "overlap" else "restored"
        data = list(answer["data"]["targets"].values())[0]
        assert answer["code"] == "done" and data["media"] == expected, answer
    wanted = {device: summary(before[device]) for device in compared}

    def same():
        states = {device: house.state(device) for device in compared}
        return states if all(summary(states[device]) == wanted[device] for device in compared) else None

    try:
        after = until(same, "the state is as before", 10)
    except AssertionError:
        after = {device: summary(house.state(device)) for device in compared}
        raise AssertionError({device: {key: (wanted[device][key], after[device][key]) for key in wanted[device] if wanted[device][key] != after[device][key]}
                              for device in compared if wanted[device] != after[device]}) from None
    for device in compared:
        position(before[device], after[device], time.monotonic() - begun)


def crowd(house):
    """Twenty at once on a device, its group and another device: all are heard once, in order where they meet, and everything is given back."""
    quiet(house)
    group, member = "group-001", house.members["group-001"][0]
    lone = next(entry["device"] for entry in house.list() if not entry["group"] and entry["device"] not in house.members[group])
    own(house, group)
    foreign(house, lone)
    time.sleep(1)
    before = {device: summary(house.state(device)) for device in (group, member, lone)}
    ids = [house.begin(device, "announce", url=f"http://media.invalid/{number}.mp3?duration=0.3", volume=50)
           for number in range(7) for device in (group, lone, member)][:20]
    for id in ids:
        answer = house.final(id, 120)
        assert answer["code"] == "done" and all(one["media"] == "restored" for one in answer["data"]["targets"].values()), answer
    until(lambda: {device: summary(house.state(device)) for device in before} == before, "the state is as before", 10)
    # What is for a member of a playing group is played by the group, once for all who wait for it.
    loads = house.loads()
    for device, count in ((group, 7), (lone, 7)):
        numbers = [number for number in loads[device] if number is not None]
        assert sorted(set(numbers)) == list(range(count)) and numbers == sorted(numbers), (device, numbers)


def taken_over(house):
    """What a person begins during one announcement comes back after the next."""
    quiet(house)
    device = next(entry["device"] for entry in house.list() if not entry["group"])
    own(house, device)
    time.sleep(0.5)
    ids = [house.begin(device, "announce", url=f"http://media.invalid/{name}.mp3?duration=1", volume=60) for name in ("one", "two")]
    until(lambda: "one" in (house.state(device).get("content_id") or "") and house.state(device)["player"] == "PLAYING", "the first is heard")
    house.send(device=device, do="play", url=FILM + "&person=1", title="Of a person")
    answers = [house.final(id)["data"]["targets"][house.slug(device)] for id in ids]
    assert answers[0]["reason"] == "taken_over" and answers[0]["media"] == "not_possible" and answers[0]["volume"] is False, answers
    assert answers[1]["media"] == "restored", answers
    until(lambda: house.state(device).get("title") == "Of a person" and house.state(device)["player"] == "PLAYING", "the person's film plays")


def member_first(house):
    """A member that plays alone is announced to, then its group: it gets its own media back, in either order."""
    group, member = "group-001", house.members["group-001"][0]
    for order in ((member, group), (group, member)):
        quiet(house)
        foreign(house, member)
        time.sleep(1.2)
        before = summary(house.state(member))
        for id in [house.begin(device, "announce", url=f"http://media.invalid/{number}00.mp3?duration=0.6", volume=60) for number, device in enumerate(order)]:
            assert house.final(id)["code"] == "done"
        until(lambda: summary(house.state(member)) == before, f"the member plays as before {order}", 10)


def urgent(house):
    """An urgent one interrupts, and the interrupted one goes on."""
    quiet(house)
    device = next(entry["device"] for entry in house.list() if not entry["group"])
    own(house, device)
    time.sleep(0.5)
    before = summary(house.state(device))
    long = house.begin(device, "announce", url="http://media.invalid/long.mp3?duration=3")
    until(lambda: (house.state(device).get("position") or 0) > 1 and "long" in house.state(device)["content_id"], "the long one is heard")
    high = house.begin(device, "announce", url="http://media.invalid/alarm.mp3?duration=0.5", priority="high")
    until(lambda: "alarm" in (house.state(device).get("content_id") or ""), "the urgent one is heard")
    until(lambda: "long" in (house.state(device).get("content_id") or "") and house.state(device)["position"] > 0.8, "the long one goes on where it was")
    for id in (high, long):
        assert house.final(id)["data"]["targets"][house.slug(device)]["media"] == "restored"
    until(lambda: summary(house.state(device)) == before, "the state is as before", 10)


def overlapping(house):
    """Two groups that share a member play, and are announced to with that member: each announcement is heard once, and all are as before."""
    quiet(house)
    groups = sorted(house.members)
    shared = next(iter(set(house.members[groups[0]]) & set(house.members[groups[1]])))
    devices = sorted({*groups, *house.members[groups[0]], *house.members[groups[1]]})
    for load in (own, foreign):
        load(house, groups[0])
        foreign(house, groups[1])
        house.send(device=shared, do="volume", level=0.45)
        time.sleep(1.5)
        before = {device: house.state(device) for device in devices}
        assert [before[group]["player"] for group in groups] == ["PLAYING", "PLAYING"], before
        begun = time.monotonic()
        former = house.loads()
        ids = [house.begin(device, "announce", url=f"http://media.invalid/{number}.mp3?duration=0.5", volume=60)
               for number, device in enumerate(groups + [shared] + groups[::-1])]
        answers = []
        while len(answers) < len(ids):
            # The shared member can't play both.
            heard = [state["content_id"] for state in map(house.state, groups) if state.get("player") == "PLAYING" and "film" not in state["content_id"]]
            assert len(heard) < 2, heard
            if [answer for answer in house.answers[ids[len(answers)]].queue if answer["code"] != "accepted"]:
                answers.append(house.final(ids[len(answers)]))
        assert all(answer["code"] == "done" and one["media"] == "restored" and one["volume"] is True
                   for answer in answers for one in answer["data"]["targets"].values()), answers
        until(lambda: {device: summary(house.state(device)) for device in devices} == {device: summary(before[device]) for device in devices}, "all are as before", 10)
        for device in devices:
            position(before[device], house.state(device), time.monotonic() - begun)
        loads = house.loads()
        heard = sorted(number for device in loads for number in loads[device][len(former[device]):])
        assert heard == list(range(len(ids))), heard


def added_silence(house, device, numbers, begin):
    """The seconds of each announcement in which nothing was heard and the device did not load, from its own state."""
    samples, since = [], time.monotonic()
    ids = [begin(number) for number in numbers]
    while not samples or any(all(answer["code"] == "accepted" for answer in house.answers[id].queue) for id in ids) or samples[-1][1] != "PLAYING":
        state = house.state(device)
        samples.append((time.monotonic(), state.get("player"), state.get("content_id")))
        time.sleep(0.002)
    with open(house.journal, encoding="utf-8") as journal:
        entries = [json.loads(line) for line in journal if '"LOAD"' in line]
    loads = [(entry["t_ns"] / 1e9, entry["payload"]["media"]["contentId"]) for entry in entries
             if entry["device"] == device and entry["event"] == "message" and entry["t_ns"] / 1e9 > since]
    assert len(loads) == len(ids) + 1, loads
    silences, loading, begun = [0.0] * len(ids), None, 0
    for (at, player, shown), (next_at, *_) in zip(samples, samples[1:]):
        if begun < len(loads) and loads[begun][0] <= at:
            loading, begun = loads[begun][1], begun + 1
        # For a moment after the request it still plays what it played.
        if shown == loading and player in ("PLAYING", "PAUSED"):
            loading = None
        if player != "PLAYING" and not loading and begun:
            silences[min(begun, len(ids)) - 1] += next_at - at
    return silences


def silence(house):
    """The silence that the bridge adds to an announcement's own length and the device's loading."""
    quiet(house)
    device = next(entry["device"] for entry in house.list() if not entry["group"])
    own(house, device)
    time.sleep(0.5)

    def begin(number):
        return house.begin(device, "announce", url=f"http://media.invalid/silence{number}.mp3?duration=0.5", volume=60)

    alone = sorted(added_silence(house, device, [number], begin)[0] for number in range(20))
    together = sorted(added_silence(house, device, range(20), begin))
    for words, values in (("one at a time", alone), ("20 that wait for each other", together)):
        print(f"silence added, {words}: median {values[10] * 1000:.0f} ms, at most {values[-1] * 1000:.0f} ms", flush=True)
    assert alone[10] <= 0.4 and together[10] <= 0.4 and together[-1] <= 1, (alone, together)


def chime(house):
    """The chime is heard, then the announcement, and then what played before; an interrupted one goes on without the chime it has had."""
    device = next(entry["device"] for entry in house.list() if not entry["group"])

    def sounds(name):
        state = house.state(device)
        return name in (state.get("content_id") or "") and state.get("player") == "PLAYING"

    def outcome(id):
        answer = house.final(id)
        assert answer["code"] == "done", answer
        return answer["data"]["targets"][house.slug(device)]

    for event in ("normal", "session for each item", "urgent in the chime", "urgent after it", "person", "kill", "stop"):
        quiet(house)
        house.send(device=device, do="habit", name="session-per-item", on=event.startswith("session"))
        foreign(house, device)
        time.sleep(1.2)
        before = summary(house.state(device))
        id = house.begin(device, "announce", url="http://media.invalid/long.mp3?duration=3", chime="gong", volume=60)
        until(lambda: sounds("/gong.wav"), f"the chime is heard: {event}")
        assert abs(house.state(device)["volume"] - 0.6) < 0.02, "as loud as the announcement"
        if event in ("kill", "stop"):
            house.kill() if event == "kill" else house.stop()
            house.start()
        elif event == "person":
            house.send(device=device, do="pause")
            assert outcome(id)["reason"] == "taken_over" and sounds("/gong.wav") is False
            continue
        else:
            if event == "urgent in the chime":
                house.begin(device, "announce", url="http://media.invalid/alarm.mp3?duration=0.5", priority="high")
                until(lambda: sounds("alarm.mp3"), "the urgent one is heard")
                until(lambda: sounds("/gong.wav"), "the chime is heard again")
            until(lambda: sounds("long.mp3"), "the announcement is heard")
            if event == "urgent after it":
                until(lambda: house.state(device)["position"] > 1, "a part is heard")
                house.begin(device, "announce", url="http://media.invalid/alarm.mp3?duration=0.5", priority="high")
                until(lambda: sounds("alarm.mp3"), "the urgent one is heard")
                until(lambda: sounds(".mp3") and sounds("long.mp3") or sounds("gong.wav"), "it goes on")
                assert sounds("long.mp3") and house.state(device)["position"] > 0.8, house.state(device)
            assert outcome(id)["media"] == "restored"
        until(lambda: summary(house.state(device)) == before, f"the state is as before: {event}", 10)
    house.send(device=device, do="habit", name="session-per-item", on=False)


def restarted(house):
    """An announcement that arrives while the last one of a killed bridge is given back: it is heard, and the former media comes back."""
    device = next(entry["device"] for entry in house.list() if not entry["group"])
    for load in (own, foreign):
        quiet(house)
        load(house, device)
        time.sleep(1.2)
        before = house.state(device)
        house.begin(device, "announce", url=ANNOUNCEMENT, volume=60)
        until(lambda: sounding(house, device), "the announcement is heard")
        house.kill()
        house.start(waits=False)
        # From the first moment on: none of the first is answered, and some are refused, because the device is not connected yet.
        ids = []
        while not any(entry["code"] == "accepted" for id in ids for entry in list(house.answers[id].queue)):
            assert len(ids) < 1000, "one is accepted"
            ids.append(house.begin(device, "announce", url=f"http://media.invalid/{len(ids)}.mp3?duration=0.3", volume=50))
            time.sleep(0.03)
        answers = [house.final(id) for id in ids if not house.answers[id].empty()]
        answer = next(answer for answer in answers if answer["code"] == "done")
        assert all(answer["code"] in ("done", "device_offline") for answer in answers), answers
        one = list(answer["data"]["targets"].values())[0]
        assert one["media"] == "restored" and one["volume"] is True, answer
        until(lambda: summary(house.state(device)) == summary(before), "the state is as before", 10)
        position(before, house.state(device), 30)


@contextlib.contextmanager
def own_house(binaries, **arguments):
    """A house of its own, whose bridge's log is printed after a failure."""
    house = House(binaries, arguments=["--fetch-media"], **arguments)
    try:
        yield house
    except Exception:
        print(house.log("bridge")[-6000:])
        raise
    finally:
        house.end()


def playlists(binaries):
    """Many folders in a playlist, and tags that are slow to read: the load begins in time. Playlists that name each other are refused."""
    with tempfile.TemporaryDirectory(prefix="songs-") as folder:
        os.makedirs(f"{folder}/bin")
        with open(f"{folder}/bin/ffprobe", "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\nexec sleep 60\n")
        os.chmod(f"{folder}/bin/ffprobe", 0o755)
        for number in range(12):
            os.makedirs(f"{folder}/{number}")
            with wave.open(f"{folder}/{number}/song.wav", "wb") as song:
                song.setparams((1, 2, 8000, 0, "NONE", None))
                song.writeframes(bytes(16000))
        for name, text in (("list.m3u", "\n".join(["#EXTM3U", *map(str, range(12))])), ("one.mp3", "#EXTM3U\ntwo.mp3\n"), ("two.mp3", "#EXTM3U\none.mp3\n")):
            with open(f"{folder}/{name}", "w", encoding="utf-8") as file:
                file.write(text)
        with own_house(binaries, devices=1, environment={
                "CAST2MQTT_MEDIA_LISTEN": "127.0.0.1:8097", "CAST2MQTT_MEDIA_FOLDERS": f"songs={folder}", "PATH": f"{folder}/bin:{os.environ['PATH']}"}) as house:
            begun = time.monotonic()
            house.command("sim-001", "load", file="songs/list.m3u")
            assert time.monotonic() - begun < 9 and house.state("sim-001")["queue_length"] == 12, (time.monotonic() - begun, house.state("sim-001"))
            answer = house.final(house.begin("sim-001", "load", file="songs/one.mp3"))
            assert answer["code"] == "bad_payload", answer


def descriptors(binaries):
    """Without a descriptor for a connection the media server waits, one second at a time, and answers when there is one again."""
    with own_house(binaries, devices=1, environment={"CAST2MQTT_MEDIA_LISTEN": "127.0.0.1:8097"}) as house:
        process = f"/proc/{house.bridge.pid}"

        def spent():
            with open(f"{process}/stat", encoding="utf-8") as file:
                return sum(map(int, file.read().rsplit(")", 1)[1].split()[11:13])) / os.sysconf("SC_CLK_TCK")

        former = resource.prlimit(house.bridge.pid, resource.RLIMIT_NOFILE)
        resource.prlimit(house.bridge.pid, resource.RLIMIT_NOFILE, (max(map(int, os.listdir(f"{process}/fd"))) + 1, former[1]))
        connections = [socket.create_connection(("127.0.0.1", 8097)) for _ in range(8)]
        until(lambda: "WARNING MediaServer: media server can't accept connections" in house.log("bridge"), "the log says so")
        begun = spent()
        time.sleep(3)
        assert spent() - begun < 0.6, ("seconds of CPU in 3 s", spent() - begun)
        assert house.log("bridge").count("WARNING MediaServer") == 1
        resource.prlimit(house.bridge.pid, resource.RLIMIT_NOFILE, former)
        for connection in connections:
            connection.settimeout(5)
            connection.sendall(b"GET /none HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
            assert connection.recv(64).startswith(b"HTTP/1.1 404"), "it answers"
            connection.close()


def speech(binaries):
    """espeak-ng speaks, the device fetches what it spoke and the chime before, and a program that fails is named."""
    with own_house(binaries, devices=1) as house:
        answer = house.final(house.begin("sim-001", "announce", url=ANNOUNCEMENT, chime=True))
        assert answer["code"] == "not_supported" and "can't fetch" in answer["message"], answer
    with tempfile.NamedTemporaryFile() as starts:
        command = f"sh,-c,echo >> {starts.name}; sleep 1; exec espeak-ng --stdout"
        with own_house(binaries, devices=2, environment={"CAST2MQTT_MEDIA_LISTEN": "127.0.0.1:8097", "CAST2MQTT_SPEECH_COMMAND": command}) as house:
            for id in [house.begin(device, "announce", text="Dinner is ready") for device in ("sim-001", "sim-002", "sim-001")]:
                assert house.final(id)["code"] == "done"
            assert len(starts.read()) == 1, "those who want the same text at the same moment wait for one program"
    for command, code in (("espeak-ng,-v,{language},--stdout", "done"), ("false", "not_supported"), ("sh,-c,sleep 60", "not_supported"), ("cat", "not_supported")):
        with own_house(binaries, devices=1, environment={"CAST2MQTT_MEDIA_LISTEN": "127.0.0.1:8097", "CAST2MQTT_SPEECH_COMMAND": command}) as house:
            answer = house.final(house.begin("sim-001", "announce", text="Dinner is ready; what else?", language="en", chime=True))
            assert answer["code"] == code, (command, answer)
            with open(house.journal, encoding="utf-8") as journal:
                fetches = [entry for entry in map(json.loads, journal) if entry["event"] == "fetch"]
            assert [fetch["url"].split("/")[-1] for fetch in fetches] == (["doorbell.wav", "speech.wav"] if code == "done" else []), fetches
            for fetch in fetches:
                assert fetch["url"].startswith("http://127.0.0.1:8097/m/") and fetch["finding"]["seconds"] > 0.5, fetches
                assert is_gone(fetch["url"]), f"{fetch['url']} is offered though the announcement is over"


def is_gone(url):
    try:
        urllib.request.urlopen(url, timeout=5).close()
        return False
    except urllib.error.HTTPError as error:
        return error.code == 404


EXTRAS = {"crowd": crowd, "urgent": urgent, "taken over": taken_over, "member first": member_first, "restarted": restarted, "overlapping": overlapping,
          "chime": chime, "silence": silence}
# These need a house of their own.
HOUSES = {"playlists": playlists, "descriptors": descriptors, "speech": speech}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binaries", required=True)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("names", nargs="*")
    given = parser.parse_args()
    cells = QUICK if not given.all else [
        f"{source} {target} {event}" for source in SOURCES for target in ("device", "group", "member", "overlap") for event in ("normal", "kill", "stop", "person", "reboot")
        if not (source == "lost" and (event, target) != ("normal", "device")) and not (target in ("member", "overlap") and source == "idle") and not (target != "device" and source == "standby")]
    # A slow machine says nothing about silence, so the quick run leaves it out.
    extras = [name for name in EXTRAS if given.all or given.names or name != "silence"]
    cells = [cell for cell in cells + extras if all(word in cell for word in given.names)]
    house = House(given.binaries, devices=9, groups=2, environment={"CAST2MQTT_MEDIA_LISTEN": "127.0.0.1:8097"})
    house.members = {group["device"]: [next(entry["device"] for entry in house.list() if entry["name"] == member["name"])
                                       for member in house.state(group["device"])["members"]] for group in house.list() if group["group"]}
    failed = []
    for name in cells:
        started = time.monotonic()
        try:
            EXTRAS[name](house) if name in EXTRAS else cell(house, *name.split())
            print(f"passed {name} ({time.monotonic() - started:.1f} s)", flush=True)
        except Exception:  # noqa: BLE001 - every failure is reported, and the others still run
            failed.append(name)
            print(f"FAILED {name}\n{traceback.format_exc(limit=3)}", flush=True)
    if failed:
        print(house.log("bridge")[-4000:])
    house.end()
    for name in HOUSES:
        if not given.names or name in given.names:
            cells.append(name)
            HOUSES[name](given.binaries)
            print(f"passed {name}", flush=True)
    print(f"{len(cells)} cells, {len(failed)} failed: {', '.join(failed)}" if failed else f"{len(cells)} cells, all passed")
    sys.exit(1 if failed else 0)


main()
