"""What all steps of the integration's test use: the programs, the entities, and the way to wait for a device."""

import json
import pathlib
import wave

from home_assistant import HomeAssistant, until
from house import House

COMPONENT = pathlib.Path(__file__).resolve().parents[2] / "custom_components"
URL = "http://media.invalid/harbour.mp3?duration=300"
DEFAULT_RECEIVER = "Default Media Receiver"
CONFIGURATION = """\
  logs:
    custom_components.cast2mqtt: info
lovelace:
media_source:
diagnostics:
repairs:
recorder:
  commit_interval: 1
tts:
  - platform: demo
"""


def fulfils(values, condition):
    """Values that are absent fulfil nothing."""
    try:
        return condition(values)
    except (KeyError, TypeError):
        return False


class Base:
    def __init__(self, arguments, folder):
        self.house = House(arguments.programs, folder / "house")
        self.folder = folder
        self.environment = arguments.environment
        self.only = arguments.only
        self.older = arguments.older
        self.assistant = None
        self.ids = {}
        self.entry = None

    async def set_up(self):
        """broker, devices and bridge start; Home Assistant is set up as a new user does it, with the integration's folder"""
        songs = self.folder / "media" / "songs"
        songs.mkdir(parents=True)
        for name in ("harbour", "lantern"):
            with wave.open(str(songs / f"{name}.wav"), "wb") as sound:
                sound.setparams((1, 2, 8000, 0, "NONE", ""))
                sound.writeframes(b"\0\0" * 16000)
        self.options = self.folder / "cast2mqtt.yaml"
        self.options.write_text(json.dumps({
            "media": {"listen": ["127.0.0.1:8097"], "folders": {"songs": str(songs)}},
            "presets": {
                "Radio One": {"url": f"{URL}&preset", "content_type": "audio/mpeg"},
                "Radio Two": {"url": f"{URL}&loud", "content_type": "audio/mpeg", "volume": 60},
            },
            "commands": {"applications": [{"name": "Orchard Radio", "id": "5A1D0001"}]},
            "status": {"dynamic_groups": True},
            "speech": {"url": "http://media.invalid/speech.mp3?duration=1&text={text}"},
        }))
        await self.house.start_broker()
        await self.house.start_devices(3, 1, "--journal", self.folder / "journal")
        # What is no bridge is not offered, and keeps none from being offered.
        await self.house.publish("cast2mqtt/bridge/info", "{}", "-r")
        self.ids = {device["device"]: device["id"] for device in (await self.house.control(do="list"))["devices"]}
        hass = self.folder / "hass"
        hass.mkdir()
        (hass / "custom_components").symlink_to(COMPONENT)
        core = f"  internal_url: http://127.0.0.1:8123\n  media_dirs:\n    local: {self.folder / 'media'}\n"
        self.use_no_blueprints()
        self.assistant = HomeAssistant(self.environment, hass, CONFIGURATION + self.HELPERS, core=core)
        await self.assistant.start()
        await self.assistant.service("logger", "set_level", None, **{"homeassistant.components.mqtt.client": "debug"})
        if self.older:
            await self.house.open_older_port(1884)
            await self.assistant.add_mqtt("127.0.0.1", 1884, protocol="3.1.1")
        else:
            await self.assistant.add_mqtt("127.0.0.1", 1883)

        async def follows():
            return "cast2mqtt/bridge/info" in self.assistant.output.read_text(errors="replace")

        await until("Home Assistant has seen what is no bridge", follows)
        await self.assistant.service("logger", "set_level", None, **{"homeassistant.components.mqtt.client": "warning"})
        await self.start_bridge()

    async def start_bridge(self, **configuration):
        await self.house.start_bridge(options=("--config", self.options), **configuration)

    async def entities_of(self, device, domain="media_player"):
        """Entities of the integration for a simulated device."""
        listed = await self.assistant.call("config/entity_registry/list")
        return [
            entity for entity in listed
            if entity["platform"] == "cast2mqtt" and entity["entity_id"].startswith(f"{domain}.")
            and self.ids.get(device, device) in entity["unique_id"]
        ]

    async def player(self, device):
        return (await self.entities_of(device))[0]["entity_id"]

    async def attributes(self, device):
        state = (await self.assistant.states())[await self.player(device)]
        return {"state": state["state"], **state["attributes"]}

    async def shows(self, device, what, condition, seconds=20):
        """Waits until the attributes of a player fulfil a condition."""
        seen = {}

        async def holds():
            seen.clear()
            seen.update(await self.attributes(device))
            return fulfils(seen, condition)

        try:
            await until(f"the player of {device} shows {what}", holds, seconds)
        except AssertionError as error:
            raise AssertionError(f"{error}; it shows {seen}") from None
        return dict(seen)

    async def is_so(self, device, what, condition, seconds=20):
        """Waits until the simulator's own state fulfils a condition."""
        seen = {}

        async def holds():
            seen.clear()
            seen.update(await self.house.state(device))
            return fulfils(seen, condition)

        try:
            await until(f"{device}: {what}", holds, seconds)
        except AssertionError as error:
            raise AssertionError(f"{error}; its state: {seen}") from None

    async def do(self, device, service, _domain="media_player", /, **data):
        return await self.assistant.service(_domain, service, await self.player(device), **data)

    async def issues(self):
        """What is shown under repairs about us."""
        return [issue for issue in (await self.assistant.call("repairs/list_issues"))["issues"] if issue["domain"] == "cast2mqtt"]

    async def members(self, group):
        """Simulated devices that belong to a group."""
        listed = {member["deviceId"].replace("-", "").lower() for member in (await self.house.state(group))["members"]}
        return [device for device, identifier in self.ids.items() if identifier in listed]

    def received(self, text):
        """Whether any device received a message with this text."""
        return text in (self.folder / "journal").read_text(errors="replace")
