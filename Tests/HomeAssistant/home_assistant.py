"""One real Home Assistant as a program of its own, set up and used the way its web page does it."""

import asyncio
import json
import pathlib
import re
import time

import aiohttp

CLIENT = "http://127.0.0.1:8123/"
# Limits end what hangs. On a machine that builds beside, all takes several times as long.
PATIENCE = 5


async def until(what, condition, seconds=30):
    """Waits until the condition holds, and returns its value."""
    end = time.monotonic() + seconds * PATIENCE
    while time.monotonic() < end:
        if value := await condition():
            return value
        await asyncio.sleep(0.2)
    raise AssertionError(f"not within {seconds * PATIENCE} s: {what}")


def as_shown(fields):
    """What a form has when a person changes nothing."""
    values = {}
    for field in fields:
        if field.get("type") == "expandable":
            values[field["name"]] = as_shown(field["schema"])
        elif "default" in field:
            values[field["name"]] = field["default"]
        elif (field.get("description") or {}).get("suggested_value") is not None:
            values[field["name"]] = field["description"]["suggested_value"]
        elif field.get("required") and (selector := field.get("selector", {})).keys() & {"boolean", "select"}:
            values[field["name"]] = selector["select"]["options"][0] if "select" in selector else False
    return values


class HomeAssistant:
    """Started in `folder`; `configuration` is the text of configuration.yaml beyond what every test needs, `packages` are files to include, `core` are
    lines of the section homeassistant."""

    def __init__(self, environment, folder, configuration="", packages=(), core=""):
        self.program = pathlib.Path(environment).resolve() / "bin" / "hass"
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.session = None
        self.process = None
        self.token = None
        self.socket = None
        self.next_id = 1
        # What its log says of services that failed as they were meant to.
        self.refusals = []
        self.output = self.folder / "output.log"
        included = "".join(f"    {name}: !include {name}.yaml\n" for name in packages)
        (self.folder / "configuration.yaml").write_text(
            f"homeassistant:\n  name: Test\n  unit_system: metric\n  time_zone: UTC\n{core}{included and '  packages:'}\n{included}"
            "http:\n  server_host: 127.0.0.1\n  server_port: 8123\nfrontend:\nconfig:\napi:\nwebsocket_api:\n"
            "logger:\n  default: warning\n" + configuration
        )

    async def start(self):
        with self.output.open("ab") as output:
            self.process = await asyncio.create_subprocess_exec(
                str(self.program), "--config", str(self.folder), "--skip-pip", stdout=output, stderr=output)
        self.session = self.session or aiohttp.ClientSession()
        await until("its web server answers", self.answers, 180)
        if self.token is None:
            await self.onboard()
        await self.connect()
        await until("it is running", self.is_running, 180)

    async def answers(self):
        if self.process.returncode is not None:
            raise AssertionError(f"Home Assistant ended with {self.process.returncode}: {self.output.read_text()[-3000:]}")
        try:
            async with self.session.get(CLIENT + "api/onboarding") as answer:
                return answer.status in (200, 401)
        except aiohttp.ClientError:
            return False

    async def onboard(self):
        """What a new user does first: a name and a password."""
        user = {"client_id": CLIENT, "name": "Test", "username": "test", "password": "test", "language": "en"}
        async with self.session.post(CLIENT + "api/onboarding/users", json=user) as answer:
            assert answer.status == 200, await answer.text()
            code = (await answer.json())["auth_code"]
        form = {"client_id": CLIENT, "grant_type": "authorization_code", "code": code}
        async with self.session.post(CLIENT + "auth/token", data=form) as answer:
            tokens = await answer.json()
        # Access tokens last half an hour: longer than a test.
        self.token = tokens["access_token"]

    async def connect(self):
        self.socket = await self.session.ws_connect(CLIENT + "api/websocket", max_msg_size=0)
        assert (await self.socket.receive_json())["type"] == "auth_required"
        await self.socket.send_json({"type": "auth", "access_token": self.token})
        answer = await self.socket.receive_json()
        assert answer["type"] == "auth_ok", answer

    async def stop(self):
        if self.process and self.process.returncode is None:
            self.process.terminate()
            await asyncio.wait_for(self.process.wait(), 60)
        if self.socket:
            await self.socket.close()
        self.socket = None

    async def close(self):
        """The end, of which nothing is judged: a release that takes minutes to end on a busy machine is killed."""
        try:
            await self.stop()
        except TimeoutError:
            self.process.kill()
            await self.process.wait()
        if self.session:
            await self.session.close()

    # MARK: Requests

    async def call(self, kind, **members):
        self.next_id += 1
        await self.socket.send_json({"id": self.next_id, "type": kind, **members})
        while True:
            answer = await asyncio.wait_for(self.socket.receive_json(), 60 * PATIENCE)
            if answer.get("id") == self.next_id and answer["type"] == "result":
                assert answer["success"], answer
                return answer["result"]

    async def is_running(self):
        return (await self.call("get_config"))["state"] == "RUNNING"

    async def add_mqtt(self, host, port, **settings):
        """Settings, devices and services, add integration, MQTT; settings are further fields of its form."""
        headers = {"Authorization": f"Bearer {self.token}"}
        url = CLIENT + "api/config/config_entries/flow"
        async with self.session.post(url, json={"handler": "mqtt"}, headers=headers) as answer:
            flow = await answer.json()
        form = as_shown(flow["data_schema"]) | {"broker": host, "port": port, **settings}
        async with self.session.post(f"{url}/{flow['flow_id']}", json=form, headers=headers) as answer:
            result = await answer.json()
        assert result.get("type") == "create_entry", (flow, result)

    async def states(self):
        return {state["entity_id"]: state for state in await self.call("get_states")}

    async def devices(self):
        """Devices of MQTT, by their identifier."""
        devices = await self.call("config/device_registry/list")
        return {identifier: device for device in devices for domain, identifier in device["identifiers"] if domain == "mqtt"}

    async def entities(self):
        """Entities of MQTT, by their unique id."""
        entities = await self.call("config/entity_registry/list")
        listed = {}
        for entity in entities:
            if entity["platform"] == "mqtt":
                try:
                    whole = await self.call("config/entity_registry/get", entity_id=entity["entity_id"])
                except AssertionError as error:
                    # Removed since the list was made.
                    if "not_found" not in str(error):
                        raise
                    continue
                listed[whole["unique_id"]] = whole
        return listed

    async def service(self, domain, service, entity, **data):
        target = {"target": {"entity_id": entity}} if entity else {}
        return await self.call("call_service", domain=domain, service=service, service_data=data, **target)

    async def refused(self, domain, service, entity, **data):
        """The text that a person sees when a service fails."""
        try:
            await self.service(domain, service, entity, **data)
        except AssertionError as error:
            failure = error.args[0]["error"]
            # Anything else is an exception that nobody meant to raise.
            assert failure["code"] in ("home_assistant_error", "service_validation_error"), failure
            said = failure["message"].removeprefix("Validation error: ")
            self.refusals.append("Unexpected exception" if failure["code"] == "home_assistant_error" else said)
            return failure["message"]
        raise AssertionError(f"{domain}.{service} of {entity} did not fail")

    async def flow(self, path="", **members):
        """A step of a config flow, as the dialogue of the web page sends it; members with which the first begins, or those of its form."""
        url = f"{CLIENT}api/config/config_entries/flow{path}"
        async with self.session.post(url, json=members, headers={"Authorization": f"Bearer {self.token}"}) as answer:
            return await answer.json()

    async def repair(self, issue, path=""):
        """A step of the dialogue of a repair: opened, or confirmed."""
        url = f"{CLIENT}api/repairs/issues/fix{path}"
        form = {} if path else {"handler": issue["domain"], "issue_id": issue["issue_id"]}
        async with self.session.post(url, json=form, headers={"Authorization": f"Bearer {self.token}"}) as answer:
            return await answer.json()

    async def remove_device(self, device, entry):
        """What a person does on the page of a device; returns whether it was allowed."""
        for kind, members in (("remove", {}), ("remove_config_entry", {"config_entry_id": entry})):
            try:
                await self.call(f"config/device_registry/{kind}", device_id=device, **members)
            except AssertionError as error:
                failure = error.args[0]["error"]
                # Releases before 2026.8 know only the second command.
                if failure["code"] == "unknown_command":
                    continue
                self.refusals.append(failure["message"])
                return False
            return True

    async def fetch_bytes(self, path):
        """What the web interface gets from an address."""
        async with self.session.get(CLIENT + path, headers={"Authorization": f"Bearer {self.token}"}) as answer:
            assert answer.status == 200, await answer.text()
            return await answer.read()

    async def fetch(self, path):
        return json.loads(await self.fetch_bytes(path))

    # MARK: Waiting

    async def state_is(self, entity, wanted, seconds=30):
        seen = []

        async def matches():
            state = (await self.states()).get(entity)
            seen[:] = [state and state["state"]]
            return wanted(state["state"]) if state and callable(wanted) else state is not None and state["state"] == wanted

        try:
            await until(f"{entity} is {wanted}", matches, seconds)
        except AssertionError as error:
            raise AssertionError(f"{error}; it is {seen[0]!r}") from None

    # What Home Assistant itself does when a device goes: it clears the topic once more for each of its entities and is surprised by its own
    # messages, and it forgets device triggers twice.
    OWN_DOING = ("No device components to cleanup", "helpers.dispatcher] Unable to remove unknown dispatcher")

    def complaints(self, removed=False):
        """Lines of its log about MQTT or about us, of warnings and errors; without what it says of itself when devices were removed."""
        text = re.sub(r"\x1b\[[0-9;]*m", "", self.output.read_text(errors="replace"))
        lines = [line for line in text.splitlines() if re.search(r" (WARNING|ERROR|CRITICAL) ", line)]
        # That the broker went away is true, and the test's doing.
        lines = [line for line in lines if "components.mqtt.client]" not in line and "[paho.mqtt.client] failed to receive on socket" not in line]
        if removed:
            lines = [line for line in lines if not any(own in line for own in self.OWN_DOING)]
        return [line for line in lines if re.search(r"mqtt|cast|template|blueprint|universal", line, re.IGNORECASE)]
