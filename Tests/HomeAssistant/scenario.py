"""A real Home Assistant, mosquitto, simulated devices and the bridge: what a user would see, step by step.

Run by scripts/test-home-assistant in a network of its own.
"""

import asyncio
import json
import os
import pathlib
import shutil
import subprocess

import yaml

from home_assistant import HomeAssistant, until
from house import House, carry_out

BLUEPRINTS = pathlib.Path(__file__).resolve().parents[2] / "config" / "home-assistant" / "blueprints"
URL = "http://media.invalid/harbour.mp3?duration=300"


def step(text):
    print(f"home-assistant: {text}", flush=True)


class Scenario:
    def __init__(self, arguments, folder):
        self.mode = arguments.mode
        self.subject = f"{self.mode} mode"
        self.programs = arguments.programs
        self.house = House(arguments.programs, folder / "house")
        self.folder = folder
        self.environment = arguments.environment
        self.assistant = None
        self.slugs = {}
        self.ids = {}

    async def run(self):
        for part in (self.set_up, self.appear, self.follow, self.obey, self.restart_assistant, self.restart_broker, self.take_back,
                     self.migrate, self.log_is_clean, self.remove):
            step(part.__doc__)
            await part()

    # MARK: Steps

    async def set_up(self):
        """broker, devices and bridge start; Home Assistant is set up as a new user does it"""
        await self.house.start_broker()
        await self.house.start_devices(3, 1)
        await self.house.start_bridge(home_assistant_mode=self.mode)
        listed = (await self.house.control(do="list"))["devices"]
        self.ids = {device["device"]: device["id"] for device in listed}

        async def all_known():
            devices = json.loads((await self.house.retained("cast2mqtt/bridge/devices")).get("cast2mqtt/bridge/devices", "[]"))
            self.slugs = {name: next((d["slug"] for d in devices if d["id"] == id), None) for name, id in self.ids.items()}
            return all(self.slugs.values()) and all(d["online"] for d in devices)

        await until("the bridge knows every device", all_known)
        self.assistant = HomeAssistant(self.environment, self.folder / "hass", self.configuration(), ["cast2mqtt_universal"])
        await self.assistant.start()
        await self.assistant.add_mqtt("127.0.0.1", 1883)

    def media_player(self, *arguments):
        printed = subprocess.run(
            [f"{self.programs}/cast2mqtt", "home-assistant", "media-player", *arguments], capture_output=True, text=True, check=True,
            env={**os.environ, "CAST2MQTT_STATE_DIRECTORY": str(self.house.folder / "state")})
        return printed.stdout

    def template_player(self):
        """The template media player comes with a later release than any that runs here. What it is made of does not: its values become
        sensors beside the one that it asks, and its actions scripts."""
        memory, block = yaml.safe_load(self.media_player("--device", self.slugs["sim-001"]))
        player = block["media_player"][0]
        values = {key: value for key, value in player.items() if isinstance(value, str) and "{" in value}
        actions = {key: value for key, value in player.items() if isinstance(value, list)}
        assert len(values) > 20 and len(actions) > 10, player
        sensors = [{"name": f"Template {key}", "state": value} for key, value in values.items()]
        scripts = {f"template_{key}": {"sequence": sequence} for key, sequence in actions.items()}
        # Under the key's name of before that release.
        memory["trigger"] = memory.pop("triggers")
        return [memory, {"sensor": sensors}], scripts

    def configuration(self):
        """The files that the bridge prints for this Home Assistant, included as their comments say."""
        hass = self.folder / "hass"
        hass.mkdir(parents=True, exist_ok=True)
        (hass / "cast2mqtt_universal.yaml").write_text(self.media_player("--kind", "universal"))
        if self.mode == "components":
            return ""
        # Filled once MQTT is set up.
        (hass / "cast2mqtt.yaml").write_text("[]\n")
        # Blueprints of ours, as a user imports them.
        shutil.copytree(BLUEPRINTS, self.folder / "hass" / "blueprints" / "automation" / "cast2mqtt")
        inputs = {
            "pause_when_a_call_comes": {
                "call": "input_boolean.call", "player": self.entity("sim-001", "sensor"), "pause": self.entity("sim-001", "button", "_pause"),
                "play": self.entity("sim-001", "button", "_play"),
            },
            "follow_me": {
                "presence": "input_boolean.somebody", "device": self.slugs["sim-002"], "others": [self.entity("sim-001", "sensor")],
                "patience": {"seconds": 1},
            },
        }
        automations = [
            {"alias": name, "use_blueprint": {"path": f"cast2mqtt/{name}.yaml", "input": values}} for name, values in inputs.items()]
        return (f"template: !include cast2mqtt.yaml\nscript: {json.dumps(self.template_player()[1])}\n"
                f"input_boolean:\n  call:\n  somebody:\nautomation: {json.dumps(automations)}\n")

    def paste_template(self):
        """Into its file, once MQTT is set up."""
        (self.folder / "hass" / "cast2mqtt.yaml").write_text(json.dumps(self.template_player()[0]))

    def entity(self, device, platform, suffix=""):
        return f"{platform}.{self.slugs[device].replace('-', '_')}{suffix}"

    async def appear(self):
        """every device appears with its entities, and the bridge with its own"""
        wanted = {f"cast2mqtt_{id}" for id in self.ids.values()} | {"cast2mqtt_bridge_home"}

        async def appeared():
            devices = await self.assistant.devices()
            return wanted <= devices.keys() and devices

        devices = await until("every device is there", appeared, 60)
        announced = await self.announced()

        async def complete():
            return announced.keys() <= (await self.assistant.entities()).keys()

        await until("every announced entity is there", complete, 60)
        entities = await self.assistant.entities()
        assert entities.keys() == announced.keys(), entities.keys() ^ announced.keys()
        for unique_id, (name, entity_id) in announced.items():
            assert entities[unique_id]["entity_id"] == entity_id, (entities[unique_id]["entity_id"], entity_id)
            assert entities[unique_id]["original_name"] == name, entities[unique_id]
        bridge = devices["cast2mqtt_bridge_home"]
        for identifier in wanted - {"cast2mqtt_bridge_home"}:
            assert devices[identifier]["via_device_id"] == bridge["id"], devices[identifier]
        await self.enable(entities)
        for device in self.ids:
            # Home Assistant sets up what was enabled after half a minute.
            await self.assistant.state_is(self.entity(device, "binary_sensor", "_connection"), "on", 60)
        await self.assistant.state_is("binary_sensor.cast2mqtt_home_connection", "on")
        await self.assistant.state_is("select.cast2mqtt_home_log_level", "debug")
        await self.assistant.state_is("sensor.cast2mqtt_home_started", lambda state: state.startswith("20"))
        triggers = await self.assistant.call("device_automation/trigger/list", device_id=devices[f"cast2mqtt_{self.ids['sim-001']}"]["id"])
        types = {trigger["type"] for trigger in triggers if trigger["domain"] == "mqtt"}
        assert {"media_started", "media_ended", "ad_started"} <= types, types

    async def enable(self, entities):
        """Enables entities that are disabled at first, as a user does."""
        used = ("connection", "app", "artist", "playing", "duration", "mute", "pause", "play", "stop", "quit_app", "event")
        for unique_id, entity in entities.items():
            if entity["disabled_by"] is not None and unique_id.split("_", 2)[2] in used:
                await self.assistant.call("config/entity_registry/update", entity_id=entity["entity_id"], disabled_by=None)

    async def announced(self):
        """unique_id to name and entity id of what the broker holds."""
        found = {}
        for topic, payload in (await self.house.retained("homeassistant/#")).items():
            document = json.loads(payload)
            components = document.get("components", {topic: {**document, "platform": topic.split("/")[1]}})
            for component in components.values():
                if "unique_id" in component:
                    name = component["name"] if component["name"] is not None else document["device"]["name"]
                    found[component["unique_id"]] = (component["name"], component["default_entity_id"])
        return found

    async def follow(self):
        """states follow what a device plays"""
        assistant = self.assistant
        await self.house.control(
            device="sim-001", do="play", title="Harbour Lights", url=URL, duration=300, content_type="audio/mpeg",
            metadata={"metadataType": 3, "artist": "Example Trio", "images": [{"url": "http://media.invalid/harbour.jpg"}]})
        player = self.entity("sim-001", "sensor")
        await assistant.state_is(player, "playing")
        await assistant.state_is(self.entity("sim-001", "sensor", "_media_title"), "Harbour Lights")
        await assistant.state_is(self.entity("sim-001", "sensor", "_media_artist"), "Example Trio")
        await assistant.state_is(self.entity("sim-001", "sensor", "_app"), "Default Media Receiver")
        await assistant.state_is(self.entity("sim-001", "select", "_source"), "Default Media Receiver")
        await assistant.state_is(self.entity("sim-001", "binary_sensor", "_playing"), "on")
        await assistant.state_is(self.entity("sim-001", "sensor", "_media_duration"), lambda state: float(state) == 300)
        attributes = (await assistant.states())[player]["attributes"]
        assert attributes["content_id"] == URL and attributes["artist"] == "Example Trio", attributes
        event = self.entity("sim-001", "event", "_playback")
        await assistant.state_is(event, lambda state: state.startswith("20"))
        await self.house.control(device="sim-001", do="volume", level=0.25, muted=True)
        await assistant.state_is(self.entity("sim-001", "number", "_volume"), lambda state: float(state) == 25)
        await assistant.state_is(self.entity("sim-001", "switch", "_mute"), "on")
        image = self.entity("sim-001", "image", "_artwork")
        await assistant.state_is(image, lambda state: state.startswith("20"))
        media_player = self.entity("sim-001", "media_player")
        await assistant.state_is(media_player, "playing")

        async def shows():
            shown = (await assistant.states())[media_player]["attributes"]
            return shown.get("volume_level") == 0.25 and shown.get("is_volume_muted") and shown.get("source") == "Default Media Receiver"

        await until("the media player shows volume and source", shows)
        if self.mode == "device":
            self.paste_template()
            await assistant.service("template", "reload", None)
            for name, wanted in (
                ("availability", "True"), ("state", "playing"), ("media_title", "Harbour Lights"), ("media_artist", "Example Trio"),
                ("media_content_type", "music"), ("is_volume_muted", "True"), ("source", "Default Media Receiver"), ("repeat", "off"),
                ("media_image_url", "http://media.invalid/harbour.jpg"), ("media_season", "unknown"),
            ):
                await assistant.state_is(f"sensor.template_{name}", wanted)
            await assistant.state_is("sensor.template_volume_level", lambda state: float(state) == 0.25)
            await assistant.state_is("sensor.template_media_position", lambda state: 0 <= float(state) < 300)
            sources = json.loads((await assistant.states())["sensor.template_source_list"]["state"].replace("'", '"'))
            assert "YouTube" in sources, sources
        # An application that is not configured is offered after a moment, and shown without a complaint before.
        await self.house.control(device="sim-002", do="play", app="5A1D0001", title="Song", url=URL, duration=300)
        await assistant.state_is(self.entity("sim-002", "sensor", "_app"), "Orchard Radio")
        await assistant.state_is(self.entity("sim-002", "select", "_source"), "Orchard Radio")

    async def obey(self):
        """services reach the devices, and the states follow"""
        assistant = self.assistant

        async def device_is(device, what, condition):
            async def holds():
                return condition(await self.house.state(device))
            await until(f"{device}: {what}", holds)

        await assistant.service("number", "set_value", self.entity("sim-001", "number", "_volume"), value=40)
        await device_is("sim-001", "volume 40 %", lambda state: abs(state["volume"] - 0.4) < 0.005)
        await assistant.state_is(self.entity("sim-001", "number", "_volume"), lambda state: float(state) == 40)
        await assistant.service("switch", "turn_off", self.entity("sim-001", "switch", "_mute"))
        await device_is("sim-001", "not muted", lambda state: not state["muted"])
        await assistant.service("button", "press", self.entity("sim-001", "button", "_pause"))
        await assistant.state_is(self.entity("sim-001", "sensor"), "paused")
        await assistant.service("button", "press", self.entity("sim-001", "button", "_play"))
        await assistant.state_is(self.entity("sim-001", "sensor"), "playing")
        await assistant.service("media_player", "volume_set", self.entity("sim-001", "media_player"), volume_level=0.6)
        await device_is("sim-001", "volume 60 %", lambda state: abs(state["volume"] - 0.6) < 0.005)
        await assistant.service("media_player", "media_pause", self.entity("sim-001", "media_player"))
        await assistant.state_is(self.entity("sim-001", "sensor"), "paused")
        await assistant.service("media_player", "media_play", self.entity("sim-001", "media_player"))
        await assistant.state_is(self.entity("sim-001", "sensor"), "playing")
        if self.mode == "device":
            await assistant.service("input_boolean", "turn_on", "input_boolean.call")
            await assistant.state_is(self.entity("sim-001", "sensor"), "paused")
            await assistant.service("input_boolean", "turn_off", "input_boolean.call")
            await assistant.state_is(self.entity("sim-001", "sensor"), "playing")
            # The actions of the template media player, with the variables that Home Assistant gives them.
            for action, variables, what, condition in (
                ("volume_set", {"volume_level": 0.35}, "volume 35 %", lambda state: abs(state["volume"] - 0.35) < 0.005),
                ("volume_mute", {"is_volume_muted": True}, "muted", lambda state: state["muted"]),
                ("volume_mute", {"is_volume_muted": False}, "not muted", lambda state: not state["muted"]),
                ("media_seek", {"seek_position": 123.4}, "sought", lambda state: 123 <= state["position"] < 200),
                ("media_pause", {}, "paused", lambda state: state["player"] == "PAUSED"),
                ("media_play", {}, "playing", lambda state: state["player"] == "PLAYING"),
                ("repeat_set", {"repeat": "one"}, "repeats one", lambda state: state["repeat_mode"] == "REPEAT_SINGLE"),
                ("repeat_set", {"repeat": "off"}, "repeats nothing", lambda state: state["repeat_mode"] == "REPEAT_OFF"),
                ("play_media", {"media_content_id": URL + "&played", "media_content_type": "music"}, "plays that",
                 lambda state: state["content_id"].endswith("&played")),
            ):
                await assistant.service("script", f"template_{action}", None, **variables)
                await device_is("sim-001", what, condition)
            await assistant.state_is(self.entity("sim-001", "sensor"), "playing")
        await assistant.service("button", "press", self.entity("sim-001", "button", "_stop"))
        await assistant.state_is(self.entity("sim-001", "sensor"), "idle")
        await assistant.service("button", "press", self.entity("sim-001", "button", "_quit_app"))
        await assistant.state_is(self.entity("sim-001", "sensor"), "off")
        await assistant.service("select", "select_option", self.entity("sim-001", "select", "_source"), option="Default Media Receiver")
        await assistant.state_is(self.entity("sim-001", "sensor", "_app"), "Default Media Receiver")
        # As Home Assistant's own media players get what to play.
        await assistant.service(
            "media_player", "play_media", self.entity("sim-001", "media_player"), media_content_id=URL, media_content_type="music")
        await assistant.state_is(self.entity("sim-001", "sensor"), "playing")
        await assistant.service(
            "mqtt", "publish", None, topic=f"cast2mqtt/{self.slugs['sim-001']}/cmd/load",
            payload=json.dumps({"url": URL, "content_type": "music", "metadata": {"title": "By service"}}))
        await assistant.state_is(self.entity("sim-001", "sensor", "_media_title"), "By service")
        if self.mode == "device":
            # Somebody comes into the room of the other device, and what plays follows.
            await assistant.state_is(self.entity("sim-001", "sensor"), "playing")
            await assistant.service("input_boolean", "turn_on", "input_boolean.somebody")
            await device_is(
                "sim-002", "goes on with it", lambda state: state["player"] == "PLAYING" and state.get("title") == "By service")
            await assistant.state_is(self.entity("sim-002", "sensor", "_media_title"), "By service")
            await device_is("sim-001", "plays no more", lambda state: state.get("content_id") is None)
            await assistant.service("input_boolean", "turn_off", "input_boolean.somebody")
            await assistant.service(
                "mqtt", "publish", None, topic=f"cast2mqtt/{self.slugs['sim-002']}/cmd/transfer", payload=self.slugs["sim-001"])
            await assistant.state_is(self.entity("sim-001", "sensor", "_media_title"), "By service")
        await assistant.service("select", "select_option", "select.cast2mqtt_home_log_level", option="info")
        await assistant.state_is("select.cast2mqtt_home_log_level", "info")

    async def restart_assistant(self):
        """Home Assistant restarts and has everything again"""
        await self.assistant.stop()
        await self.house.control(device="sim-001", do="volume", level=0.3)
        await self.assistant.start()
        await self.everything_is_back()
        await self.assistant.state_is(self.entity("sim-001", "number", "_volume"), lambda state: float(state) == 30)

    async def everything_is_back(self):
        for device in self.ids:
            await self.assistant.state_is(self.entity(device, "binary_sensor", "_connection"), "on", 60)
        await self.assistant.state_is(self.entity("sim-001", "sensor"), "playing", 60)
        await self.assistant.state_is("binary_sensor.cast2mqtt_home_connection", "on")

    async def restart_broker(self):
        """the broker loses everything, and all comes back"""
        await self.house.end("mosquitto")
        await self.assistant.state_is(self.entity("sim-001", "sensor"), "unavailable", 60)
        await self.house.start_broker()
        await self.everything_is_back()

        async def announced_again():
            return (await self.assistant.entities()).keys() == (await self.announced()).keys()

        await until("every announcement is on the broker again", announced_again, 60)

    async def take_back(self):
        """a restart with a configuration that has fewer entities takes the others back, and brings them again"""
        entities = await self.assistant.entities()
        everything = set(entities)
        plain = {name for name in everything if name.rsplit("_", 1)[1] in ("artwork", "position", "seek")}
        assert len(plain) == 4 * len(self.ids), plain
        # It keeps disabled ones in its list until they are deleted there: it never set them up, so it has nothing to take back.
        gone = {name for name in plain if entities[name]["disabled_by"] is None}
        assert len(gone) == len(self.ids), gone
        connection = self.entity("sim-001", "binary_sensor", "_connection")
        since = (await self.assistant.states())[connection]["last_changed"]
        for split in ("none", "basic"):
            await self.house.end("cast2mqtt")
            await self.house.start_bridge(home_assistant_mode=self.mode, status_split=split)
            less = (plain, gone) if split == "none" else (set(), set())

            async def as_wanted():
                announced, listed = (await self.announced()).keys(), (await self.assistant.entities()).keys()
                return announced == everything - less[0] and listed == everything - less[1]

            await until(f"the entities are those of split {split}", as_wanted, 60)
            await self.everything_is_back()
        # No automation has anything to fire for.
        assert (await self.assistant.states())[connection]["last_changed"] == since, "Connection changed while the bridge restarted"

    async def migrate(self):
        """the other form of announcement and back leave every entity what it was"""
        if self.mode == "components":
            # The device form is for Home Assistant 2024.11 and later.
            return
        volume = self.entity("sim-001", "number", "_volume")
        entity = next(e for e in (await self.assistant.entities()).values() if e["entity_id"] == volume)
        await self.assistant.call("config/entity_registry/update", entity_id=volume, name="Loudness", new_entity_id="number.loudness")
        before = await self.assistant.entities()
        for mode in ("components", "device"):
            await self.house.end("cast2mqtt")
            await self.house.start_bridge(home_assistant_mode=mode)

            async def migrated():
                topics = await self.house.retained("homeassistant/#")
                form = {topic.split("/")[1] == "device" for topic in topics}
                return form == {mode == "device"} and not any("migrate_discovery" in payload for payload in topics.values())

            await until(f"only the {mode} form is on the broker", migrated, 90)
            await self.everything_is_back()
            after = await self.assistant.entities()
            assert after.keys() == before.keys(), after.keys() ^ before.keys()
            assert after[entity["unique_id"]]["entity_id"] == "number.loudness", after[entity["unique_id"]]
            assert after[entity["unique_id"]]["name"] == "Loudness"
        await self.house.control(device="sim-001", do="volume", level=0.55)
        await self.assistant.state_is("number.loudness", lambda state: float(state) == 55)

    async def remove(self):
        """announcing is switched off, and nothing is left, neither on the broker nor in Home Assistant"""
        await self.house.end("cast2mqtt")
        await self.house.start_bridge(home_assistant_mode="off")

        async def gone():
            return not await self.house.retained("homeassistant/#") and not await self.assistant.entities()

        await until("nothing is announced any more", gone, 90)
        left = [identifier for identifier in await self.assistant.devices() if identifier.startswith("cast2mqtt_")]
        assert not left, left
        complaints = self.assistant.complaints(removed=True)
        assert not complaints, "\n".join(complaints)

    async def log_is_clean(self):
        """Home Assistant's log has no warning about us"""
        complaints = self.assistant.complaints()
        # Of the empty message that ends the device form it says, once for each device, that nothing is left to remove: so it was meant.
        ends = [line for line in complaints if "No device components to cleanup" in line]
        assert len(ends) <= len(self.ids) + 1, "\n".join(ends)
        complaints = [line for line in complaints if line not in ends]
        assert not complaints, "\n".join(complaints)


asyncio.run(carry_out(__doc__, Scenario, mode={"choices": ["device", "components"], "required": True}))
