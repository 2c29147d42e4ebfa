"""A broker, simulated devices and the bridge, as programs."""

import argparse
import asyncio
import json
import os
import pathlib
import signal
import subprocess
import tempfile


async def carry_out(description, make, **options):
    """Reads the command line, and carries out the test that `make` returns for its arguments and an empty folder; options are those of arguments."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--environment", required=True, help="virtual environment with Home Assistant")
    parser.add_argument("--programs", required=True, help="folder of cast2mqtt and cast-simulator")
    parser.add_argument("--keep", action="store_true", help="leave logs and configuration where they are")
    for name, option in options.items():
        parser.add_argument(f"--{name}", **option)
    arguments = parser.parse_args()
    version = subprocess.run([f"{arguments.environment}/bin/hass", "--version"], capture_output=True, text=True, check=True).stdout.strip()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="cast2mqtt-home-assistant-"))
    test = make(arguments, folder)
    print(f"home-assistant: {test.subject} with Home Assistant {version}", flush=True)
    try:
        await test.run()
    except BaseException:
        print(f"home-assistant: its folder stays: {folder}")
        if test.assistant:
            print("\n".join(test.assistant.complaints()[-20:]))
        raise
    else:
        print(f"home-assistant: {test.subject} passed", flush=True)
        if not arguments.keep:
            subprocess.run(["rm", "-r", str(folder)], check=True)
    finally:
        if test.assistant:
            await test.assistant.close()
        await test.house.end_all()


class House:
    def __init__(self, programs, folder):
        self.programs = pathlib.Path(programs)
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True)
        self.running = {}

    async def start(self, name, *command, environment=None, ready=None):
        log = self.folder / f"{name}.log"
        with log.open("ab") as output:
            start = log.stat().st_size
            process = await asyncio.create_subprocess_exec(
                *map(str, command), stdout=output, stderr=output, env={**os.environ, **(environment or {})})
        self.running[name] = process
        while ready and ready.encode() not in log.read_bytes()[start:]:
            if process.returncode is not None:
                raise AssertionError(f"{name} ended with {process.returncode}: {log.read_text()[-2000:]}")
            await asyncio.sleep(0.05)

    async def end(self, name, how=signal.SIGTERM):
        process = self.running.pop(name, None)
        if process and process.returncode is None:
            process.send_signal(how)
            await asyncio.wait_for(process.wait(), 30)

    async def end_all(self):
        for name in reversed(list(self.running)):
            await self.end(name)

    async def start_broker(self, store=False):
        configuration = self.folder / "mosquitto.conf"
        # Without a store nothing survives it, so that a restart is the hard case; and a client that can't follow loses nothing.
        kept = f"persistence true\npersistence_location {self.folder}/\nuser root\n" if store else "persistence false\n"
        configuration.write_text(f"listener 1883 127.0.0.1\nallow_anonymous true\n{kept}max_queued_messages 0\n")
        await self.start("mosquitto", "mosquitto", "-c", configuration, ready="running")

    async def open_older_port(self, port):
        """A port of the broker that takes no MQTT 5, as an old one: Home Assistant 2026.11 goes over to version 5 by itself wherever it can."""
        async def pass_on(source, target):
            while data := await source.read(65536):
                target.write(data)
                await target.drain()
            target.close()

        async def serve(reader, writer):
            first = await reader.read(4096)
            if b"MQTT\x04" not in first[:16]:
                return writer.close()
            answers, broker = await asyncio.open_connection("127.0.0.1", 1883)
            broker.write(first)
            await asyncio.gather(pass_on(reader, broker), pass_on(answers, writer), return_exceptions=True)

        await asyncio.start_server(serve, "127.0.0.1", port)

    async def start_devices(self, devices, groups, *options):
        await self.start(
            "cast-simulator", self.programs / "cast-simulator", "--devices", devices, "--groups", groups, "--control", self.control_path,
            "--answer-delay", "1-20", *options, ready="ready")

    async def start_bridge(self, name="cast2mqtt", options=(), **configuration):
        environment = {
            "CAST2MQTT_MQTT_HOST": "127.0.0.1", "CAST2MQTT_DISCOVERY_INTERFACES": "lo",
            "CAST2MQTT_STATE_DIRECTORY": str(self.folder / ("state" if name == "cast2mqtt" else name)), "CAST2MQTT_LOG_LEVEL": "debug",
            **{f"CAST2MQTT_{key.upper()}": str(value) for key, value in configuration.items()},
        }
        await self.start(name, self.programs / "cast2mqtt", "run", *options, environment=environment, ready="bridge online")

    async def start_reset_device(self, device):
        """Another simulator with the same device as it is after a reset to factory settings: with another id."""
        scenario = self.folder / "reset.yaml"
        fleet = {"seed": 9, "address_base": device["address"], "devices": [{"model": device["model"], "name": device["name"]}]}
        scenario.write_text(json.dumps({"fleet": fleet}))
        await self.start(
            "reset", self.programs / "cast-simulator", "--scenario", scenario, "--control", self.folder / "reset-control", ready="ready")
        return (await self.control("reset-control", do="list"))["devices"][0]["id"]

    @property
    def control_path(self):
        return self.folder / "control"

    async def control(self, socket="control", /, **request):
        """One request to a simulator's control socket."""
        reader, writer = await asyncio.open_unix_connection(str(self.folder / socket))
        writer.write(json.dumps(request).encode() + b"\n")
        answer = json.loads(await asyncio.wait_for(reader.readline(), 20))
        writer.close()
        assert answer.get("ok", True), (request, answer)
        return answer

    async def state(self, device):
        return (await self.control(device=device, do="state"))["state"]

    # MARK: MQTT

    async def publish(self, topic, payload, *options):
        process = await asyncio.create_subprocess_exec("mosquitto_pub", "-p", "1883", "-q", "1", "-t", topic, "-m", payload, *options)
        assert await process.wait() == 0

    async def publish_bytes(self, topic, content):
        """Publishes a retained message of bytes."""
        process = await asyncio.create_subprocess_exec(
            "mosquitto_pub", "-p", "1883", "-q", "1", "-r", "-t", topic, "-s", stdin=asyncio.subprocess.PIPE)
        await process.communicate(content)
        assert process.returncode == 0

    async def retained(self, topic_filter):
        """Every retained message of a filter, as the broker has it now."""
        process = await asyncio.create_subprocess_exec(
            "mosquitto_sub", "-p", "1883", "-q", "1", "-t", topic_filter, "-F", "%r %t %p", "-W", "2", stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL)
        output, _ = await process.communicate()
        messages = [line.split(" ", 2) for line in output.decode().splitlines() if line.startswith("1 ")]
        return {message[1]: message[2] for message in messages if len(message) == 3}
