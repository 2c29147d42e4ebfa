"""A real Home Assistant whose registries are counted: assistant.py ENVIRONMENT FOLDER BROKER

Prints "running" when MQTT is set up, then each five seconds a line of JSON: how many devices and enabled entities of MQTT there are, and how many
devices of which bridge have nothing that is available. After SIGTERM it prints "end" and what its registries on disk have."""

import asyncio
import collections
import json
import pathlib
import signal
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "HomeAssistant"))
from home_assistant import HomeAssistant


def of_mqtt(identifiers):
    return any(domain == "mqtt" for domain, *_ in identifiers)


async def count(assistant):
    devices = {device["id"]: device for device in await assistant.call("config/device_registry/list") if of_mqtt(device["identifiers"])}
    entities = [entity for entity in await assistant.call("config/entity_registry/list") if entity["platform"] == "mqtt"]
    states = await assistant.states()
    seen = collections.defaultdict(set)
    for entity in entities:
        if state := states.get(entity["entity_id"]):
            seen[entity["device_id"]].add(state["state"] == "unavailable")
    bridges = {device["via_device_id"] for device in devices.values()} - {None}
    unavailable = collections.Counter(
        devices[device["via_device_id"]]["name"] for key, device in devices.items() if device["via_device_id"] and seen[key] in (set(), {True}))
    return {
        "at": time.monotonic(), "bridges": len(bridges), "devices": len(devices) - len(bridges), "entities": len(entities),
        "enabled": sum(entity["entity_id"] in states for entity in entities), "unavailable": unavailable}


def on_disk(folder):
    registry = json.loads((folder / ".storage/core.entity_registry").read_text())["data"]["entities"]
    ids = collections.Counter(entity["unique_id"] for entity in registry if entity["platform"] == "mqtt")
    devices = json.loads((folder / ".storage/core.device_registry").read_text())["data"]["devices"]
    return {"devices": sum(of_mqtt(device["identifiers"]) for device in devices), "entities": ids.total(), "unique ids": len(ids)}


async def main():
    environment, folder, broker = sys.argv[1:]
    ended = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, ended.set)
    assistant = HomeAssistant(environment, folder)
    try:
        await assistant.start()
        await assistant.add_mqtt(broker, 1883, username="homeassistant", password="secret")
        print("running", flush=True)
        while not ended.is_set():
            print(json.dumps(await count(assistant)), flush=True)
            await asyncio.wait([asyncio.ensure_future(ended.wait())], timeout=5)
        # What it writes late, it writes at its end.
        assistant.process.terminate()
        await asyncio.wait_for(assistant.process.wait(), 280)
        collisions = [line for line in assistant.complaints() if "unique" in line]
        print("end " + json.dumps(on_disk(assistant.folder) | {"collisions": collisions[:5]}), flush=True)
    finally:
        await assistant.close()


asyncio.run(main())
