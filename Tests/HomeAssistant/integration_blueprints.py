"""The blueprints for players, each in an automation, judged by the simulator's own state."""

import asyncio
from datetime import datetime, timedelta, timezone
import pathlib
import re
import shutil

from home_assistant import until
from integration_base import URL, Base
import yaml

BLUEPRINTS = pathlib.Path(__file__).resolve().parents[2] / "config" / "home-assistant" / "blueprints"
DASHBOARDS = BLUEPRINTS.parent
CARDS = {
    "button", "conditional", "entities", "entity", "glance", "grid", "heading", "iframe", "markdown", "media-control",
    "media-player-volume-slider", "panel", "sections", "tile",
}
HELPERS = """
scene:
input_boolean:
  bell:
  call:
input_button:
  garden:
input_number:
  power:
    min: 0
    max: 3000
template:
  - light:
      - name: Lamp
        turn_on: []
        turn_off: []
        set_level: []
automation: !include automations.yaml
"""


class Blueprints(Base):
    HELPERS = HELPERS

    def use_no_blueprints(self):
        """Before the first start: the files are in their place, and no automation uses them yet."""
        shutil.copytree(BLUEPRINTS, self.folder / "hass" / "blueprints" / "automation" / "cast2mqtt")
        (self.folder / "hass" / "automations.yaml").write_text("[]\n")

    async def automates(self):
        """blueprints: doorbell, machine, quiet night, lights, calls, wake"""
        first, second = await self.player("sim-001"), await self.player("sim-002")
        speaker = (await self.entities_of("sim-002", "notify"))[0]["entity_id"]
        now = datetime.now(timezone.utc)
        wake = now + timedelta(seconds=45)
        inputs = {
            "doorbell": {"bell": "input_boolean.bell", "players": [second], "sound": f"{URL.replace('300', '2')}&doorbell", "volume": 35},
            "speak_when_done": {
                "power": "input_number.power", "running": 10, "rest": {"seconds": 1}, "speakers": [speaker], "text": "The machine is done"},
            "quiet_night": {
                "players": [await self.player("sim-003")], "limit": 20, "begins": f"{now - timedelta(hours=1):%H:%M:%S}",
                "ends": f"{now + timedelta(hours=1):%H:%M:%S}"},
            "lights_follow_film": {"player": first, "lights": ["light.lamp"], "dimmed": 5, "paused": 40, "shortest": 900},
            "pause_player_when_a_call_comes": {"call": "input_boolean.call", "players": [first, second]},
            "wake_with_radio": {
                "player": second, "time": f"{wake:%H:%M:%S}", "days": [f"{wake:%a}".lower()], "source": "Radio Two", "loudest": 30, "minutes": 0},
        }
        automations = [
            {"alias": name, "use_blueprint": {"path": f"cast2mqtt/{name}.yaml", "input": values}} for name, values in inputs.items()]
        garden = {**inputs["doorbell"], "bell": "input_button.garden", "sound": f"{URL.replace('300', '2')}&garden"}
        automations.append({"alias": "garden", "use_blueprint": {"path": "cast2mqtt/doorbell.yaml", "input": garden}})
        for alias, source in (("address", f"{URL}&alarm"), ("silent", "Orchard Radio")):
            alarm = {**inputs["wake_with_radio"], "player": first, "time": "00:00:00", "days": [], "source": source}
            automations.append({"alias": alias, "use_blueprint": {"path": "cast2mqtt/wake_with_radio.yaml", "input": alarm}})
        (self.folder / "hass" / "automations.yaml").write_text(yaml.safe_dump(automations))
        await self.assistant.service("automation", "reload", None)
        for name in (*inputs, "garden"):
            await self.assistant.state_is(f"automation.{name}", "on")
        await self.rings()
        await self.quiet()
        await self.dims(first)
        await self.wakes()
        await self.pauses()

    async def decorates(self):
        """the dashboards are taken by Home Assistant, name entities that there are, and only its own kinds of cards"""
        for path in sorted(DASHBOARDS.glob("dashboard-p*.yaml")):
            text = path.read_text()
            for name, device in (("living_room", "sim-001"), ("kitchen", "sim-002"), ("everywhere", "group-001")):
                text = text.replace(f".{name}", f".{(await self.player(device)).split('.')[1]}")
            dashboard = path.stem
            await self.assistant.call("lovelace/dashboards/create", url_path=dashboard, title=dashboard, mode="storage")
            await self.assistant.call("lovelace/config/save", url_path=dashboard, config=yaml.safe_load(text))
            shown = await self.assistant.call("lovelace/config", url_path=dashboard)
            assert shown["views"], shown
            entities = set(re.findall(r"\b(?:media_player|notify|sensor)\.\w+_simulated\w*", text))
            missing = entities - (await self.assistant.states()).keys()
            assert entities and not missing, missing
            kinds = set(re.findall(r"^ *-? ?type: ([\w-]+)$", text, re.MULTILINE))
            assert kinds <= CARDS, kinds - CARDS

    async def rings(self):
        assert (await self.assistant.states())["input_button.garden"]["state"] == "unknown", "nobody has pressed it yet"
        await self.assistant.service("input_button", "press", "input_button.garden")
        await self.is_so("sim-002", "rings at the first press", lambda state: state["content_id"].endswith("&garden"))
        await self.assistant.service("input_boolean", "turn_on", "input_boolean.bell")
        await self.is_so("sim-002", "rings", lambda state: state["content_id"].endswith("&doorbell") and abs(state["volume"] - 0.35) < 0.011)
        await self.assistant.service("input_boolean", "turn_off", "input_boolean.bell")
        for power in (1500, 2):
            await self.assistant.service("input_number", "set_value", "input_number.power", value=power)
            await asyncio.sleep(0.5)

        async def spoken():
            return self.received("text=The%20machine%20is%20done")

        await until("the machine is done", spoken)

    async def quiet(self):
        # Home Assistant shows no volume of a player that is off; it is loud when it begins.
        await self.house.control(device="sim-003", do="volume", level=0.7)
        await self.house.control(device="sim-003", do="play", url=URL, title="Loud")
        await self.is_so("sim-003", "is quiet", lambda state: abs(state["volume"] - 0.2) < 0.011)
        await self.house.control(device="sim-003", do="volume", level=0.6)
        await self.is_so("sim-003", "is quiet again", lambda state: abs(state["volume"] - 0.2) < 0.011)

    async def dims(self, player):
        await self.assistant.service("light", "turn_on", "light.lamp", brightness_pct=80)
        for url, kind in ((f"{URL}&song", "audio/mpeg"), (URL.replace("300", "5400"), "video/mp4")):
            await self.play_and_see(player, url, kind)
            await asyncio.sleep(1)
            if "song" in url:
                assert (await self.brightness()) == 80, "a song dims nothing"
        await until("the light is dimmed", lambda: self.is_bright(5))
        await self.assistant.service("media_player", "media_pause", player)
        await until("the light is brighter", lambda: self.is_bright(40))
        await self.assistant.service("media_player", "media_play", player)
        await until("the light is dimmed again", lambda: self.is_bright(5))
        # A song that follows without an end in between gives the light back, too.
        await self.play_and_see(player, f"{URL}&after", "audio/mpeg")
        await until("the light is what it was", lambda: self.is_bright(80))
        await self.play_and_see(player, URL.replace("300", "5400"), "video/mp4")
        await until("the light is dimmed for the next film", lambda: self.is_bright(5))
        await self.assistant.service("media_player", "media_stop", player)
        await until("the light is what it was", lambda: self.is_bright(80))

    async def play_and_see(self, player, url, kind):
        await self.assistant.service("media_player", "play_media", player, media_content_id=url, media_content_type=kind)
        await self.shows("sim-001", "playing", lambda seen: seen["state"] == "playing" and seen["media_content_id"] == url)

    async def brightness(self):
        return round(((await self.assistant.states())["light.lamp"]["attributes"].get("brightness") or 0) / 2.55)

    async def is_bright(self, percent):
        return abs(await self.brightness() - percent) <= 1

    async def pauses(self):
        await self.do("sim-001", "play_media", media_content_id=URL, media_content_type="music")
        await self.shows("sim-001", "playing", lambda seen: seen["state"] == "playing")
        await self.assistant.service("input_boolean", "turn_on", "input_boolean.call")
        await self.is_so("sim-001", "pauses", lambda state: state["player"] == "PAUSED")
        await self.shows("sim-001", "paused", lambda seen: seen["state"] == "paused")
        await self.assistant.service("input_boolean", "turn_off", "input_boolean.call")
        await self.is_so("sim-001", "goes on", lambda state: state["player"] == "PLAYING")
        # A call that is over before a frozen player was found not to pause.
        await self.shows("sim-001", "playing", lambda seen: seen["state"] == "playing")
        await self.shows("sim-002", "playing", lambda seen: seen["state"] == "playing")
        await self.house.control(device="sim-002", do="freeze")
        await self.assistant.service("input_boolean", "turn_on", "input_boolean.call")
        await self.is_so("sim-001", "pauses", lambda state: state["player"] == "PAUSED")
        await self.assistant.service("input_boolean", "turn_off", "input_boolean.call")
        await self.is_so("sim-001", "goes on", lambda state: state["player"] == "PLAYING", 60)
        await self.house.control(device="sim-002", do="thaw")
        await self.shows("sim-002", "a state", lambda seen: seen["state"] != "unavailable", 60)

    async def wakes(self):
        await self.is_so("sim-002", "plays the radio", lambda state: state.get("content_id") == f"{URL}&loud", 90)
        await self.is_so("sim-002", "is as loud as wanted", lambda state: abs(state["volume"] - 0.3) < 0.011, 60)
        await self.assistant.service("automation", "trigger", "automation.address")
        await self.is_so("sim-001", "plays the address", lambda state: state.get("content_id") == f"{URL}&alarm" and abs(state["volume"] - 0.3) < 0.011)
        # An application that plays nothing by itself.
        await self.do("sim-001", "volume_set", volume_level=0.5)
        await self.shows("sim-001", "its volume", lambda seen: abs(seen["volume_level"] - 0.5) < 0.006)
        await self.assistant.service("automation", "trigger", "automation.silent")
        await self.is_so("sim-001", "has its volume back", lambda state: state.get("app") == "Orchard Radio" and abs(state["volume"] - 0.5) < 0.011)
