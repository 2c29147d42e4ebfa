"""What a player can be given to play, and what it lists to choose from."""

import asyncio
import json

from home_assistant import until
from integration_base import URL, Base


class Media(Base):
    async def play(self, device, media_id, kind="music", **data):
        await self.do(device, "play_media", media_content_id=media_id, media_content_type=kind, **data)

    async def plays(self):
        """play_media: addresses, media sources, spoken texts, queues, announcements and what core cast takes"""
        await self.play("sim-001", f"{URL}&plain", extra={"title": "Plain", "thumb": "http://media.invalid/plain.jpg"})
        await self.is_so("sim-001", "plays that", lambda state: state["content_id"] == f"{URL}&plain" and state["title"] == "Plain")
        await self.play("sim-001", "media-source://media_source/local/songs/harbour.wav")
        await self.is_so("sim-001", "plays a file of Home Assistant", lambda state: "/media/local/songs/harbour.wav?authSig=" in state["content_id"])
        # The device has no login: what it got must do.
        async with self.assistant.session.get((await self.house.state("sim-001"))["content_id"]) as answer:
            assert answer.status == 200, answer.status
        await self.play("sim-001", "media-source://tts/demo?message=Dinner+is+ready&language=en", "provider")
        await self.is_so("sim-001", "speaks", lambda state: "/api/tts_proxy/" in state["content_id"])
        async with self.assistant.session.get((await self.house.state("sim-001"))["content_id"]) as answer:
            assert answer.status == 200 and "audio" in answer.headers["Content-Type"], answer
        metadata = {"metadataType": 1, "title": "Example Film", "images": [{"url": "http://media.invalid/film.jpg"}]}
        await self.play("sim-001", f"{URL}&film", "video/mp4", extra={
            "metadata": metadata, "current_time": 30, "subtitles": "http://media.invalid/film.vtt", "subtitles_lang": "en",
            "media_info": {"customData": {"seat": 7}, "streamType": "BUFFERED"}})
        await self.is_so("sim-001", "plays the film", lambda state: state["title"] == "Example Film" and state["position"] >= 29)
        media = (await self.house.state("sim-001"))["media"]
        assert media["customData"] == {"seat": 7} and media["tracks"][0]["trackContentId"] == "http://media.invalid/film.vtt", media
        await self.play("sim-001", f"{URL}&first", enqueue="replace")
        await self.play("sim-001", f"{URL}&second", enqueue="add")
        await self.play("sim-001", f"{URL}&between", enqueue="next")
        await self.is_so("sim-001", "has a queue", lambda state: state["queue_length"] == 3 and state["content_id"] == f"{URL}&first")
        await self.play("sim-001", f"{URL}&now", enqueue="play")
        await self.is_so("sim-001", "plays at once", lambda state: state["queue_length"] == 4 and state["content_id"] == f"{URL}&now")
        await self.do("sim-001", "volume_set", volume_level=0.5)
        announcing = self.announcement(f"{URL}&bell")
        await self.is_so("sim-001", "rings", lambda state: state["content_id"] == f"{URL}&bell" and abs(state["volume"] - 0.3) < 0.01)
        await self.house.control(device="sim-001", do="seek", position=299.5)
        assert await announcing == 200
        await self.is_so("sim-001", "goes on", lambda state: state["content_id"] == f"{URL}&now" and abs(state["volume"] - 0.5) < 0.01)
        await self.play("sim-002", '{"app_id": "5A1D0001"}', "cast")
        await self.is_so("sim-002", "runs an application", lambda state: state.get("app") == "Orchard Radio")
        data = {
            "app_name": "default_media_receiver", "media_id": f"{URL}&cast", "media_type": "audio/mpeg", "current_time": 12, "enqueue": True,
            "media_info": {"customData": {"seat": 8}}, "subtitles": "http://media.invalid/cast.vtt", "subtitle_id": 7}
        await self.play("sim-002", json.dumps(data), "cast", extra={"metadata": {"metadataType": 0, "title": "By name"}})
        await self.is_so("sim-002", "plays with it", lambda state: state.get("content_id") == f"{URL}&cast" and state["title"] == "By name")
        assert (await self.house.state("sim-002"))["media"]["customData"] == {"seat": 8}
        # A player that the device does not have. It is asked for.
        player = await self.player("sim-002")
        await self.assistant.refused(
            "media_player", "play_media", player, media_content_type="cast",
            media_content_id=json.dumps({"app_name": "shaka", "media_id": f"{URL}&shaka", "media_type": "application/dash+xml"}))
        assert self.received('"07AEE832"'), "no launch of the named player"
        await self.plays_by_name(player)
        refused = await self.assistant.refused("media_player", "play_media", player, media_content_type="cast", media_content_id="no json")
        assert "needs JSON" in refused, refused
        refused = await self.assistant.refused(
            "media_player", "play_media", await self.player("sim-002"), media_content_type="cast",
            media_content_id='{"app_name": "youtube", "media_id": "abc"}')
        assert "youtube takes what it plays from its own senders only" in refused, refused

    async def plays_by_name(self, player):
        """The media type cast joins a queue and is announced like an address; an application alone is only started."""
        await self.play("sim-002", f"{URL}&long")
        added = json.dumps({"app_name": "default_media_receiver", "media_id": f"{URL}&added", "media_type": "audio/mpeg"})
        await self.play("sim-002", added, "cast", enqueue="add")
        await self.is_so("sim-002", "has both", lambda state: state["queue_length"] == 2 and state["content_id"] == f"{URL}&long")
        brief = added.replace("300", "1").replace("&added", "&brief")
        await self.play("sim-002", brief, "cast", announce=True)
        assert self.received("&brief"), "nothing was announced"
        await self.is_so("sim-002", "goes on", lambda state: state["queue_length"] == 2 and state["content_id"] == f"{URL}&long")
        for data in ({"announce": True}, {"enqueue": "add"}):
            refused = await self.assistant.refused(
                "media_player", "play_media", player, media_content_type="cast", media_content_id='{"app_id": "5A1D0001"}', **data)
            assert "played alone" in refused, refused

    def announcement(self, url):
        return asyncio.create_task(self.beside("sim-001", "play_media", media_content_id=url, media_content_type="audio/mpeg", announce=True,
                                               extra={"volume": 30}))

    async def beside(self, device, service, **data):
        """Calls a service over a connection of its own, because it takes its time."""
        headers = {"Authorization": f"Bearer {self.assistant.token}"}
        url = f"http://127.0.0.1:8123/api/services/media_player/{service}"
        async with self.assistant.session.post(url, json={"entity_id": await self.player(device), **data}, headers=headers) as answer:
            if answer.status != 200:
                self.assistant.refusals.append(f"Error during service call to media_player.{service}")
            return answer.status

    async def list_of(self, device, node=None):
        members = {"media_content_id": node["media_content_id"], "media_content_type": node["media_content_type"]} if node else {}
        return await self.assistant.call("media_player/browse_media", entity_id=await self.player(device), **members)

    async def browses(self):
        """the media browser lists folders, presets, recents, the queue and media sources, and plays each"""
        root = await self.list_of("sim-001")
        nodes = {node["title"]: node for node in root["children"]}
        assert {"Files", "Presets", "Recently played"} <= nodes.keys() and len(nodes) > 4, nodes.keys()
        folder = next(node for node in (await self.list_of("sim-001", nodes["Files"]))["children"] if node["title"] == "songs")
        files = (await self.list_of("sim-001", folder))["children"]
        assert [node["title"] for node in files] == ["harbour.wav", "lantern.wav"], files
        for node, what, condition in (
            (files[1], "the file", lambda state: state["content_id"].endswith("lantern.wav")),
            (folder, "the folder", lambda state: state["queue_length"] == 2),
            ((await self.list_of("sim-001", nodes["Presets"]))["children"][0], "the preset", lambda state: state["content_id"] == f"{URL}&preset"),
        ):
            await self.play("sim-001", node["media_content_id"], node["media_content_type"])
            await self.is_so("sim-001", f"plays {what}", condition)
        recents = (await self.list_of("sim-001", nodes["Recently played"]))["children"]
        again = next(node for node in recents if node["title"] == "lantern.wav")
        # What is played meanwhile changes the places of all.
        await self.play("sim-001", "http://media.invalid/meanwhile.mp3")
        await self.play("sim-001", again["media_content_id"], again["media_content_type"])
        await self.is_so("sim-001", "plays that again", lambda state: state["content_id"].endswith("lantern.wav"))
        await self.entries_join(files[0], again)
        await self.play("sim-001", folder["media_content_id"], "cast2mqtt")

        async def queued():
            node = next((node for node in (await self.list_of("sim-001"))["children"] if node["title"] == "Queue"), None)
            children = (await self.list_of("sim-001", node))["children"] if node else []
            return children if len(children) == 2 else None

        items = await until("the queue is listed", queued)
        await self.play("sim-001", items[1]["media_content_id"], "cast2mqtt")
        await self.is_so("sim-001", "plays the second item", lambda state: state["content_id"].endswith("lantern.wav"))
        local = next(node for node in root["children"] if node["media_content_id"].startswith("media-source://media_source"))
        assert (await self.list_of("sim-001", local))["children"], local
        if "search" in await self.supported("sim-001"):
            found = await self.assistant.call(
                "media_player/search_media", entity_id=await self.player("sim-001"), search_query="harbour")
            titles = [node["title"] for node in found["result"]]
            # What was played may have the word, too.
            assert "harbour.wav" in titles and all("harbour" in title for title in titles), found
        await self.explains()

    async def explains(self):
        """What can't be listed or searched is said in words."""
        player = await self.player("sim-001")
        requests = {"media_player/browse_media": ({
            "media_content_id": "cast2mqtt://folder/missing", "media_content_type": "cast2mqtt"}, "Correct the payload")}
        if "search" in await self.supported("sim-001"):
            requests["media_player/search_media"] = {"search_query": ""}, "Correct the payload"
        for request, (members, words) in requests.items():
            try:
                answer = await self.assistant.call(request, entity_id=player, **members)
            except AssertionError as error:
                answer = error.args[0]["error"]["message"]
            assert words in answer, answer

    async def entries_join(self, file, recent):
        """A file is added to a queue and announced; what is only played, or is gone, says so."""
        player = await self.player("sim-001")
        await self.play("sim-001", f"{URL}&long")
        await self.play("sim-001", file["media_content_id"], "cast2mqtt", enqueue="add")
        await self.is_so("sim-001", "has both", lambda state: state["queue_length"] == 2 and state["content_id"] == f"{URL}&long")
        announcing = self.announcement(file["media_content_id"])
        await self.is_so("sim-001", "rings", lambda state: state["content_id"].endswith("harbour.wav") and abs(state["volume"] - 0.3) < 0.01)
        # It ends by itself: the file lasts two seconds.
        assert await announcing == 200
        await self.is_so("sim-001", "goes on", lambda state: state["content_id"] == f"{URL}&long")
        for name, data, text in (
            ("preset/Radio%20One", {"enqueue": "add"}, "played alone"), ("preset/Radio%20One", {"announce": True}, "played alone"),
            ("item/first", {}, "no item/first any more"), ("recent/yesterday", {}, "no recent/yesterday any more"),
            ("wrong/1", {}, "no wrong/1 any more"), (recent["media_content_id"].removeprefix("cast2mqtt://"), {}, "any more"),
        ):
            refused = await self.assistant.refused(
                "media_player", "play_media", player, media_content_id=f"cast2mqtt://{name}", media_content_type="cast2mqtt", **data)
            assert text in refused, (name, refused)

    async def fails(self):
        """what fails is said in the words of the person, with the remedy"""
        self_player = await self.player("sim-001")
        refused = await self.assistant.refused(
            "media_player", "play_media", self_player, media_content_id="http://127.0.0.1:9/missing.mp3", media_content_type="music")
        assert "can't play this" in refused and "loopback" in refused, refused
        refused = await self.assistant.refused("media_player", "play_media", self_player, media_content_id="nothing", media_content_type="x/y z")
        assert "refused the command" in refused, refused
        for media_id, data, words in (
            ("", {}, "refused the command"), ("http://[ ]", {}, "refused the command"), (URL, {"extra": {"media_info": "x"}}, "media_info must be"),
            (URL, {"extra": {"media_info": ["x"]}}, "media_info must be"), (URL, {"extra": {"volum": 3}}, "volum"), (URL, {"extra": {"volume": 3}}, "volume"),
            (URL, {"extra": {"volum": 3}, "announce": True}, "volum"), (URL, {"extra": {"title": "Ring"}, "announce": True}, "title"),
        ):
            refused = await self.assistant.refused(
                "media_player", "play_media", self_player, media_content_id=media_id, media_content_type="music", **data)
            assert words in refused, (media_id, data, refused)
        for service, data in (("load", {"url": ""}), ("announce", {"url": ""}), ("queue_load", {"items": [""]})):
            refused = await self.assistant.refused("cast2mqtt", service, self_player, **data)
            assert "refused the command" in refused, (service, refused)
        refused = await self.assistant.refused("cast2mqtt", "load", self_player, url=URL, titel="Wrong")
        assert "titel" in refused and "title" in refused, refused
        refused = await self.assistant.refused("cast2mqtt", "recall", self_player, name="never saved")
        assert "never saved" in refused, refused
        assert (await self.assistant.states())[self_player]["state"] != "unavailable"
