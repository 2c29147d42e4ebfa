"""A broker, simulated devices and the bridge, as programs."""

import asyncio
import json
import os
import pathlib
import signal


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

    async def start_broker(self):
        configuration = self.folder / "mosquitto.conf"
        # Nothing survives it, so that a restart is the hard case; and a client that can't follow loses nothing.
        configuration.write_text("listener 1883 127.0.0.1\nallow_anonymous true\npersistence false\nmax_queued_messages 0\n")
        await self.start("mosquitto", "mosquitto", "-c", configuration, ready="running")

    async def start_devices(self, devices, groups):
        await self.start(
            "cast-simulator", self.programs / "cast-simulator", "--devices", devices, "--groups", groups, "--control", self.control_path,
            "--answer-delay", "1-20", ready="ready")

    async def start_bridge(self, **configuration):
        environment = {
            "CAST2MQTT_MQTT_HOST": "127.0.0.1", "CAST2MQTT_DISCOVERY_INTERFACES": "lo",
            "CAST2MQTT_STATE_DIRECTORY": str(self.folder / "state"), "CAST2MQTT_LOG_LEVEL": "debug",
            **{f"CAST2MQTT_{key.upper()}": str(value) for key, value in configuration.items()},
        }
        await self.start("cast2mqtt", self.programs / "cast2mqtt", "run", environment=environment, ready="bridge online")

    @property
    def control_path(self):
        return self.folder / "control"

    async def control(self, **request):
        """One request to the simulator's control socket."""
        reader, writer = await asyncio.open_unix_connection(str(self.control_path))
        writer.write(json.dumps(request).encode() + b"\n")
        answer = json.loads(await asyncio.wait_for(reader.readline(), 20))
        writer.close()
        assert answer.get("ok", True), (request, answer)
        return answer

    async def state(self, device):
        return (await self.control(device=device, do="state"))["state"]

    # MARK: MQTT

    async def publish(self, topic, payload):
        process = await asyncio.create_subprocess_exec("mosquitto_pub", "-p", "1883", "-q", "1", "-t", topic, "-m", payload)
        assert await process.wait() == 0

    async def retained(self, topic_filter):
        """Every retained message of a filter, as the broker has it now."""
        process = await asyncio.create_subprocess_exec(
            "mosquitto_sub", "-p", "1883", "-q", "1", "-t", topic_filter, "-F", "%r %t %p", "-W", "2", stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL)
        output, _ = await process.communicate()
        messages = [line.split(" ", 2) for line in output.decode().splitlines() if line.startswith("1 ")]
        return {message[1]: message[2] for message in messages if len(message) == 3}
