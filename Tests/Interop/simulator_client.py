"""Uses every request of Examples/cast-simulator-client below "cast-simulator run", and compares with the schemas of config/schema/simulator.

Usage: cast-simulator run --devices 3 --groups 1 -- python3 simulator_client.py
"""

import inspect
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "Examples/cast-simulator-client"))
sys.dont_write_bytecode = True

import cast_simulator  # noqa: E402
from cast_simulator import Device, Simulator, SimulatorError, State  # noqa: E402

sent = set()
called = set()


def schema(name):
    return json.loads((ROOT / f"config/schema/simulator/{name}.json").read_text())


class Recorded(Simulator):
    """Notes what is sent."""

    def ask(self, do, **arguments):
        sent.add(do)
        return super().ask(do, **arguments)


def count_calls(kind):
    for name, function in inspect.getmembers(kind, inspect.isfunction):
        if not name.startswith("_"):
            setattr(kind, name, counted(kind, name, function))


def counted(kind, name, function):
    def call(*arguments, **named):
        called.add(f"{kind.__name__}.{name}")
        return function(*arguments, **named)
    return call


def check(what, holds):
    if not holds:
        sys.exit(f"not so: {what}")


def refused(code, action):
    try:
        action()
    except SimulatorError as error:
        check(f"{error} has the code {code}", error.code == code and error.detail)
    else:
        sys.exit(f"{code} was not raised")


def main():
    count_calls(Device)
    count_calls(Simulator)
    simulator = Recorded()
    devices = simulator.devices()
    check("the devices, then the groups", [one["device"] for one in devices] == ["sim-001", "sim-002", "sim-003", "group-001"])
    check("members of a device", set(devices[0]) == set(cast_simulator.Description.__annotations__))
    first, second, group = simulator["sim-001"], simulator["sim-002"], simulator["group-001"]
    check("its devices", [one.name for one in simulator] == [one["device"] for one in devices])

    first.play("http://media.invalid/a.mp4", "A film", duration=5400, position=60, metadata={"metadataType": 1}, content_type="video/mp4")
    playing = first.wait_for(lambda state: state.get("player") == "PLAYING")
    check("what plays", playing["title"] == "A film" and playing["duration"] == 5400 and playing["position"] >= 60)
    first.pause()
    first.seek(300.5)
    check("a pause and a seek", (first.state()["player"], first.state()["position"]) == ("PAUSED", 300.5))
    first.play()
    first.next(title="Another", duration=100)
    check("the next title", first.state()["title"] == "Another")
    first.transfer("sim-002")
    second.wait_for(lambda state: state.get("title") == "Another" and state["player"] == "PLAYING")
    second.media_stop()
    second.quit()
    first.volume(0.25, muted=True)
    check("the volume", (first.state()["volume"], first.state()["muted"]) == (0.25, True))
    first.volume_control("fixed")
    first.screen(stand_by=True, active_input=False)
    check("a screen", first.state()["stand_by"] and first.state()["volume_control"] == "fixed")
    first.ask_permission()
    refused("wrong_state", lambda: first.answer_permission(True))
    first.ask_permission(False)

    first.refuse()
    check("it refuses", first.state()["refusing"])
    first.refuse(False)
    first.reset()
    first.freeze(mid_frame=True)
    check("it is frozen", first.state()["frozen"])
    first.thaw()
    first.delay(0, 5)
    first.silence()
    check("it is silent", first.state()["silent"])
    first.silence(False)
    first.move(port=0)
    check("it moved", first.state()["port"] != 8009)
    first.stop(goodbye=False)
    check("it is off", first.state()["power"] == "off")
    first.start()
    first.reboot(0)
    first.wait_for(lambda state: state["power"] == "on")

    group.join("sim-001")
    members = len(group.state()["members"])
    group.leave("sim-001")
    check("it left", len(group.state()["members"]) == members - 1)
    party = first.group(["sim-002"], "Party")
    check("a temporary group", party.name == "dynamic-001" and party.state()["name"] == "Party")
    party.dissolve()
    refused("unknown_device", party.state)

    first.authentication("expired")
    first.habit("silent-stop")
    first.sabotage("no-pong")
    first.sabotage("no-pong", False)
    first.say("urn:x-cast:org.example.echo", {"hello": 1})
    first.distort("MEDIA_STATUS", set={"status.0.playerState": "DANCING"}, remove=["status.0.media"])
    first.undistort()
    first.ignore("LOAD")
    first.pretend("SET_VOLUME")
    refused("invalid_request", lambda: first.habit("nonsense"))
    refused("invalid_request", lambda: first.request("pause", now=True))

    outcome = simulator.every("state")
    check("all states", outcome["done"] == 4 and len(outcome["states"]) == 4)
    failures = simulator.every("thaw")
    check("none is frozen", failures["done"] == 0 and set(failures["failed"]) == {one["device"] for one in devices})
    check("a burst", simulator.burst(2) == 2)
    check("its journal", "freeze" in [entry["do"] for entry in first.journal("control")] and not second.journal("connect"))
    check("its journal as a file", first.journal()[0]["event"] == "start")
    try:
        first.wait_for(lambda state: state["volume"] > 2, 0.1)
    except TimeoutError as error:
        check("the last state", "sim-001 after 0.1 s" in str(error))
    else:
        sys.exit("waited for nothing")
    simulator.close()
    with Simulator() as other:
        other.devices()

    verbs = {part["properties"]["do"]["const"] for part in schema("request")["$defs"]["request"]["oneOf"]}
    check(f"every verb was sent: {sorted(verbs ^ sent)}", sent == verbs)
    methods = {f"{kind.__name__}.{name}" for kind in (Device, Simulator) for name, _ in inspect.getmembers(kind, inspect.isfunction) if name[0] != "_"}
    check(f"every method was called: {sorted(methods - called)}", methods <= called)
    check("the members of the state", set(State.__annotations__) == set(schema("answer")["$defs"]["device"]["properties"]))
    members = {name for part in schema("journal")["oneOf"] for name in part["properties"]}
    check("the members of the journal", set(cast_simulator.JournalEntry.__annotations__) == members)
    print("done")


main()
