"""Every service of a media player, and those of the integration, judged by the simulator's own state."""

import asyncio
import json

from home_assistant import until
from integration_base import DEFAULT_RECEIVER, URL, Base


def near(value):
    return lambda state: abs(state["volume"] - value) < 0.011


class Services(Base):
    async def accompanies(self):
        """the controls that MQTT announces reach the device beside the player"""
        announced = await self.assistant.entities()
        preset, error = (announced[f"cast2mqtt_{self.ids['sim-001']}_{key}"]["entity_id"] for key in ("preset", "last_error"))
        for name, address in (("Radio Two", f"{URL}&loud"), ("Radio One", f"{URL}&preset")):
            await self.assistant.service("select", "select_option", preset, option=name)
            await self.is_so("sim-001", "plays the preset", lambda state, address=address: state.get("content_id") == address)
            await self.assistant.state_is(preset, name)
            await self.shows("sim-001", "the preset", lambda seen, name=name: seen["source"] == name)
        await self.assistant.refused("cast2mqtt", "recall", await self.player("sim-001"), name="nothing")
        await self.assistant.state_is(error, lambda state: state not in ("unknown", "unavailable"))
        await self.do("sim-001", "volume_set", volume_level=0.35)
        await self.is_so("sim-001", "volume 35 %", near(0.35))
        await self.assistant.state_is(error, "unknown")

    async def obeys(self):
        """every service of a media player reaches the device"""
        await self.do("sim-001", "play_media", media_content_id=URL, media_content_type="music")
        await self.is_so("sim-001", "plays", lambda state: state["player"] == "PLAYING")
        await self.shows("sim-001", "playing", lambda seen: seen["state"] == "playing")
        for service, data, what, condition in (
            ("volume_set", {"volume_level": 0.4}, "volume 40 %", near(0.4)),
            ("volume_mute", {"is_volume_muted": True}, "muted", lambda state: state["muted"]),
            ("volume_mute", {"is_volume_muted": False}, "not muted", lambda state: not state["muted"]),
            ("media_pause", {}, "paused", lambda state: state["player"] == "PAUSED"),
            ("media_play", {}, "playing", lambda state: state["player"] == "PLAYING"),
            ("media_seek", {"seek_position": 123.4}, "sought", lambda state: 123 <= state["position"] < 140),
            ("repeat_set", {"repeat": "one"}, "repeats one", lambda state: state["repeat_mode"] == "REPEAT_SINGLE"),
            ("repeat_set", {"repeat": "off"}, "repeats nothing", lambda state: state["repeat_mode"] == "REPEAT_OFF"),
        ):
            if service.startswith("repeat") and "repeat" not in await self.supported("sim-001"):
                continue
            await self.do("sim-001", service, **data)
            await self.is_so("sim-001", what, condition)
            await self.settled("sim-001")
        before = (await self.house.state("sim-001"))["volume"]
        await self.do("sim-001", "volume_up")
        await self.is_so("sim-001", "louder", lambda state: state["volume"] > before)
        await self.do("sim-001", "volume_down")
        await self.is_so("sim-001", "as loud as before", near(before))
        await self.assistant.service("media_player", "toggle", await self.player("sim-002"))
        await self.queue()
        await self.do("sim-001", "media_stop")
        await self.is_so("sim-001", "nothing plays", lambda state: state["player"] in ("IDLE", "NONE"))
        await self.do("sim-001", "turn_off")
        await self.is_so("sim-001", "no application", lambda state: state.get("is_idle_screen") or not state.get("app_id"))
        await self.shows("sim-001", "off", lambda seen: seen["state"] == "off")
        # What is off is turned off: an automation goes on.
        await self.do("sim-001", "turn_off")
        await self.do("sim-001", "turn_on")
        await self.is_so("sim-001", "awake", lambda state: state.get("app") == DEFAULT_RECEIVER)
        # What does not run is offered, too.
        await self.shows("sim-001", "its sources", lambda seen: {"Orchard Radio", "Default Media Receiver", "Radio One", "Radio Two"} <= set(seen["source_list"]))
        await self.do("sim-001", "select_source", source="Orchard Radio")
        await self.is_so("sim-001", "runs the source", lambda state: state.get("app") == "Orchard Radio")
        await self.shows("sim-001", "the source", lambda seen: seen["source"] == "Orchard Radio" and "Radio One" in seen["source_list"])
        await self.do("sim-001", "select_source", source="Radio One")
        await self.is_so("sim-001", "plays the preset", lambda state: state.get("content_id") == f"{URL}&preset")
        await self.shows("sim-001", "the preset", lambda seen: seen["source"] == "Radio One")
        await self.request("preset/set", name="Radio Three", url=f"{URL}&three")
        await self.shows("sim-001", "a preset more", lambda seen: "Radio Three" in seen["source_list"])
        await self.request("preset/remove", name="Radio Three")
        await self.shows("sim-001", "a preset less", lambda seen: "Radio Three" not in seen["source_list"] and "Radio One" in seen["source_list"])
        await self.group()

    async def settled(self, device):
        await asyncio.sleep(0.4)

    async def queue(self):
        """An application with all queue commands."""
        await self.do("sim-003", "select_source", source="Orchard Radio")
        items = [{"url": f"{URL}&{index}", "content_type": "audio/mpeg"} for index in range(4)]
        await self.do("sim-003", "queue_load", "cast2mqtt", app="5A1D0001", items=items)
        await self.is_so("sim-003", "plays the first", lambda state: state.get("content_id") == f"{URL}&0" and state["queue_length"] == 4)
        await self.shows("sim-003", "next and shuffle", lambda seen: seen["supported_features"] & 32 and seen["supported_features"] & 32768)
        await self.do("sim-003", "media_next_track")
        await self.is_so("sim-003", "plays the second", lambda state: state["content_id"] == f"{URL}&1")
        await self.shows("sim-003", "previous", lambda seen: seen["supported_features"] & 16)
        await self.do("sim-003", "media_previous_track")
        await self.is_so("sim-003", "plays the first again", lambda state: state["content_id"] == f"{URL}&0")
        await self.do("sim-003", "shuffle_set", shuffle=True)
        await self.is_so("sim-003", "shuffled", lambda state: state["shuffled"])
        await self.shows("sim-003", "shuffled", lambda seen: seen["shuffle"] is True)
        await self.do("sim-003", "clear_playlist")
        await self.is_so("sim-003", "an empty queue", lambda state: not state.get("queue_length"))

    async def group(self):
        """A group sets the volumes of its members, and plays on them."""
        members = await self.members("group-001")
        await self.do("group-001", "volume_set", volume_level=0.25)
        for member in members:
            await self.is_so(member, "has a volume by the group", lambda state: 0 < state["volume"] < 0.6)
        await self.do("group-001", "play_media", media_content_id=f"{URL}&group", media_content_type="music")
        await self.is_so("group-001", "plays", lambda state: state.get("content_id") == f"{URL}&group")
        await self.shows("group-001", "playing", lambda seen: seen["state"] == "playing")
        await self.do("group-001", "turn_off")
        await self.is_so("group-001", "no application", lambda state: not state.get("content_id"))

    async def answer(self, device, service, **data):
        result = await self.assistant.call(
            "call_service", domain="cast2mqtt", service=service, service_data=data, target={"entity_id": await self.player(device)},
            return_response=True)
        return result["response"][await self.player(device)]

    async def own_services(self):
        """the integration's own services reach the device, and return what the bridge answers"""
        answer = await self.answer(
            "sim-001", "load", url=f"{URL}&own", content_type="video/mp4", title="Own", position=20, autoplay=False,
            tracks=[{"id": 1, "type": "text", "url": "http://media.invalid/own.vtt", "language": "en"}], active_tracks=[1],
            text_style={"font_scale": 1.5}, media_custom_data={"a": 1}, metadata={"type": "tv_show", "series_title": "Own Series", "season": 3})
        assert answer["media_session"], answer
        await self.is_so("sim-001", "loaded", lambda state: state["title"] == "Own" and state["player"] == "PAUSED" and state["active_tracks"] == [1])
        metadata = (await self.house.state("sim-001"))["media"]["metadata"]
        assert metadata["seriesTitle"] == "Own Series" and metadata["season"] == 3, metadata
        await self.do("sim-001", "set_text_style", "cast2mqtt", foreground_color="#FF0000", edge_type="outline")
        await self.is_so("sim-001", "red subtitles", lambda state: state["text_style"]["foregroundColor"].startswith("#FF0000"))
        await self.do("sim-001", "load", "cast2mqtt", url="media-source://media_source/local/songs/harbour.wav")
        await self.is_so("sim-001", "plays a source", lambda state: "authSig=" in state["content_id"])
        await self.do("sim-001", "queue_load", "cast2mqtt", items=[f"{URL}&a.mp3", {"url": f"{URL}&b", "content_type": "audio/mpeg"}], start=1)
        await self.is_so("sim-001", "plays the second", lambda state: state["content_id"] == f"{URL}&b")
        await self.do("sim-001", "queue_insert", "cast2mqtt", items=[{"url": f"{URL}&c", "content_type": "audio/mpeg"}], at="next")
        await self.is_so("sim-001", "has three", lambda state: state["queue_length"] == 3)
        listed = await self.answer("sim-001", "queue_get")
        assert [item["content_id"] for item in listed["items"]] == [f"{URL}&a.mp3", f"{URL}&b", f"{URL}&c"], listed
        first, second, third = (item["item"] for item in listed["items"])
        await self.do("sim-001", "queue_move", "cast2mqtt", item=third, to=0)
        await self.is_so("sim-001", "another order", lambda state: state["queue"] == [third, first, second])
        await self.do("sim-001", "queue_jump", "cast2mqtt", item=first)
        await self.is_so("sim-001", "plays the first", lambda state: state["content_id"] == f"{URL}&a.mp3")
        await self.do("sim-001", "queue_update", "cast2mqtt", item=third, url=f"{URL}&d", content_type="audio/mpeg")
        await self.do("sim-001", "queue_remove", "cast2mqtt", item=second)
        await self.is_so("sim-001", "has two", lambda state: state["queue"] == [third, first])
        await self.do("sim-001", "queue_clear", "cast2mqtt", keep_current=True)
        await self.is_so("sim-001", "has one", lambda state: state["queue"] == [first])
        await self.do("sim-001", "save", "cast2mqtt", name="evening")
        await self.do("sim-001", "transfer", "cast2mqtt", to=await self.player("sim-003"))
        await self.is_so("sim-003", "goes on with it", lambda state: state.get("content_id") == f"{URL}&a.mp3")
        await self.is_so("sim-001", "plays no more", lambda state: state.get("content_id") is None)
        await self.do("sim-001", "recall", "cast2mqtt", name="evening")
        await self.is_so("sim-001", "plays what was saved", lambda state: state.get("content_id") == f"{URL}&a.mp3")
        checked = await self.answer("sim-001", "check", url="http://127.0.0.1:9/film.mp4")
        assert checked["findings"], checked
        await self.do("sim-001", "sleep", "cast2mqtt", minutes=30)
        topic = f"cast2mqtt/{await self.slug('sim-001')}/state"

        async def sleeps():
            return json.loads((await self.house.retained(topic))[topic])["sleep_at"]

        await until("the sleep timer runs", sleeps)
        await self.do("sim-001", "sleep", "cast2mqtt", minutes=0)
        page = "http://127.0.0.1:8123/hall/0?kiosk"
        await self.do("sim-003", "show", "cast2mqtt", url=page)
        await self.is_so("sim-003", "shows the page", lambda state: page in (state.get("page"), (state.get("page") or {}).get("url")))
        answer = await self.answer("sim-001", "announce", url=f"{URL.replace('300', '1')}&ring", volume=20)
        assert answer["targets"][await self.slug("sim-001")]["media"] == "restored", answer
        await self.announces_to_several()
        notify = (await self.entities_of("sim-002", "notify"))[0]["entity_id"]
        await self.assistant.service("notify", "send_message", notify, message="Dinner is ready")
        assert self.received("speech.mp3?duration=1&text=Dinner%20is%20ready"), "nothing was spoken"

    async def announces_to_several(self):
        """Other targets of an announcement hear it besides the player of the action, as an action and in play_media."""
        wanted = {await self.slug("sim-001"), await self.slug("sim-003")}
        others = [await self.player("sim-003"), await self.slug("sim-001")]
        answer = await self.answer("sim-001", "announce", url=f"{URL.replace('300', '1')}&all", targets=others)
        assert answer["targets"].keys() == wanted, answer
        await self.do(
            "sim-001", "play_media", media_content_id=f"{URL.replace('300', '1')}&both", media_content_type="audio/mpeg", announce=True,
            extra={"targets": others})
        heard = {
            line["device"] for line in map(json.loads, (self.folder / "journal").read_text().splitlines())
            if line["event"] == "message" and "&both" in json.dumps(line["payload"]) and line["payload"].get("type") == "LOAD"}
        assert heard == {"sim-001", "sim-003"}, heard

    async def slug(self, device):
        devices = json.loads((await self.house.retained("cast2mqtt/bridge/devices"))["cast2mqtt/bridge/devices"])
        return next(facts["slug"] for facts in devices if facts["id"] == self.ids[device])

    async def diagnoses(self):
        """diagnostics have all documents, and no address of anything"""
        await self.do("sim-001", "play_media", media_content_id="http://user:secret@media.invalid/private.mp3?token=abc", media_content_type="music")
        text = json.dumps(await self.assistant.fetch(f"api/diagnostics/config_entry/{self.entry}"))
        assert "Default Media Receiver" in text and '"documents"' in text, text
        for secret in ("private.mp3", "secret", "token=abc", "127.0.1.1", "media.invalid"):
            assert secret not in text, (secret, text[text.index(secret) - 200:][:300])

    async def repairs(self):
        """a bridge that answers nothing, or that does not fit, is shown under repairs"""
        async def issues():
            return {issue["translation_key"] for issue in await self.issues()}

        assert not await issues()
        process = self.house.running["cast2mqtt"]
        import signal
        process.send_signal(signal.SIGSTOP)
        try:
            refused = await self.assistant.refused("media_player", "volume_set", await self.player("sim-001"), volume_level=0.3)
        finally:
            process.send_signal(signal.SIGCONT)
        assert "does not answer" in refused, refused
        assert await issues() == {"no_answer"}
        await self.shows("sim-001", "available", lambda seen: seen["state"] != "unavailable", 60)
        await self.do("sim-001", "volume_set", volume_level=0.35)
        assert not await issues()
        for payload in ("{}", "3", "null"):
            await self.house.publish("cast2mqtt/bridge/devices", payload)
        await asyncio.sleep(1)
        await self.player("sim-001")
        info = json.loads((await self.house.retained("cast2mqtt/bridge/info"))["cast2mqtt/bridge/info"])
        for change, expected in (({"features": ["load"]}, {"bridge_too_old"}), ({"schema": 2}, {"bridge_too_new"}), ({}, set())):
            await self.house.publish("cast2mqtt/bridge/info", json.dumps({**info, **change}))

            async def as_expected():
                return await issues() == expected

            await until(f"the repair is {expected}", as_expected)
