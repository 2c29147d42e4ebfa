"""The custom integration inside a real Home Assistant, with mosquitto, simulated devices and the bridge.

Run by scripts/test-home-assistant in a network of its own. Every command is judged by the simulator's own state.
"""

import asyncio

from house import carry_out
from integration_blueprints import Blueprints
from integration_life import Life
from integration_media import Media
from integration_services import Services


class Integration(Services, Media, Blueprints, Life):
    subject = "the integration"
    STEPS = (
        "set_up", "offered", "appears", "follows", "obeys", "accompanies", "plays", "browses", "own_services", "fails", "automates", "decorates", "rooms",
        "groups", "records", "reloads", "restarts_assistant", "restarts_bridge", "restarts_broker", "renames", "removes", "resets", "diagnoses",
        "repairs", "second_bridge", "log_is_clean", "goes",
    )

    async def run(self):
        for name in self.STEPS:
            if self.only and name not in (*self.only, "set_up", "offered", "appears"):
                continue
            part = getattr(self, name)
            print(f"home-assistant: {part.__doc__}", flush=True)
            await part()


asyncio.run(carry_out(
    __doc__, Integration, only={"nargs": "*", "default": (), "help": "steps to take after the first three"},
    older={"action": "store_true", "help": "Home Assistant speaks MQTT 3.1.1, to a port that takes no other version"}))
