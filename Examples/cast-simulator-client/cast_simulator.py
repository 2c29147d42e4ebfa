"""A client of the control socket of cast-simulator, the simulated Google Cast devices of cast2mqtt.

One file without dependencies, for Python 3.10 and later: copy it beside your tests. docs/SIMULATOR.md describes each verb.

    with Simulator() as simulator:              # below "cast-simulator run -- …"
        device = simulator["sim-001"]
        device.play(title="A film", duration=5400)
        device.wait_for(lambda state: state.get("player") == "PLAYING")
        device.freeze()                          # what does your sender do now?
"""

from __future__ import annotations

import json
import os
import socket
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, TypedDict, cast

__all__ = ["Connection", "Description", "Device", "Every", "Item", "JournalEntry", "Simulator", "SimulatorError", "State"]

Power = Literal["on", "off", "rebooting"]
Player = Literal["NONE", "LOADING", "BUFFERING", "PLAYING", "PAUSED", "IDLE"]
VolumeControl = Literal["attenuation", "master", "fixed"]


class Description(TypedDict):
    """A device in the answer to `list`."""

    device: str
    id: str
    name: str
    model: str
    address: str
    port: int
    group: bool


class Connection(TypedDict):
    """A virtual connection of a sender."""

    socket: int
    source: str
    destination: str
    type: Literal["strong", "weak", "invisible"]


class Item(TypedDict, total=False):
    """An item of a queue."""

    item_id: int
    content_id: str
    autoplay: bool
    start_time: float
    preload_time: float
    active_tracks: list[int]


class Mirrored(TypedDict):
    """A stream of a mirrored screen."""

    type: str
    codec: str
    frames: int
    bytes: int


class State(TypedDict, total=False):
    """The simulator's own state of a device, not what it reports to senders. What does not apply is absent."""

    device: str
    id: str
    name: str
    model: str
    address: str
    port: int
    power: Power
    frozen: bool
    refusing: bool
    silent: bool
    volume: float
    muted: bool
    volume_control: VolumeControl
    sockets: int
    connections: list[Connection]
    members: list[dict[str, Any]]
    app_id: str
    app: str
    status_text: str
    is_idle_screen: bool
    session_id: str
    transport_id: str
    page: dict[str, Any]
    mirrored: list[Mirrored]
    waits_for_permission: bool
    stand_by: bool
    active_input: bool
    player: Player
    idle_reason: Literal["CANCELLED", "INTERRUPTED", "FINISHED", "ERROR"]
    media_session_id: int
    content_id: str
    title: str
    position: float
    duration: float
    rate: float
    item_id: int
    queue_length: int
    queue: list[int]
    items: list[Item]
    preloaded_item_id: int
    repeat_mode: str
    shuffled: bool
    active_tracks: list[int]
    text_style: dict[str, Any]
    stream_volume: float
    stream_muted: bool
    media: dict[str, Any]
    ad_clip: str


class Every(TypedDict, total=False):
    """The outcome of a request to every device: how many carried it out, and why others did not."""

    done: int
    failed: dict[str, str]
    states: list[State]


class JournalEntry(TypedDict, total=False):
    """A line of the journal; further members follow from `event`."""

    t_ns: int
    device: str
    event: str
    socket: int
    source: str
    destination: str
    namespace: str
    payload: Any
    detail: str
    port: int
    method: str
    uri: str
    url: str
    finding: dict[str, Any]
    seconds: float
    do: str
    address: str
    goodbye: bool


class SimulatorError(Exception):
    """A request was refused: `code` is `invalid_request`, `unknown_device`, `wrong_state`, `resource` or `stopped`."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(f"{code}: {detail}")
        self.code = code
        self.detail = detail


class Simulator:
    """A connection to the control socket. Not for several threads at a time."""

    def __init__(self, path: str | None = None, timeout: float = 30) -> None:
        """Connects to `path`, or to the socket that `cast-simulator run` names in the environment."""
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.settimeout(timeout)
        try:
            self._socket.connect(path or os.environ["CAST_SIMULATOR_CONTROL"])
        except BaseException:
            self._socket.close()
            raise
        self._answers = self._socket.makefile("rb")

    def __enter__(self) -> Simulator:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Ends the connection. The devices stay as they are."""
        self._answers.close()
        self._socket.close()

    def ask(self, do: str, **arguments: Any) -> dict[str, Any]:
        """Sends one request and returns its answer as it is. Arguments that are None are left out."""
        request = {"do": do, **{name: value for name, value in arguments.items() if value is not None}}
        self._socket.sendall(json.dumps(request).encode() + b"\n")
        line = self._answers.readline()
        if not line:
            raise ConnectionError("the simulator ended the connection")
        return cast("dict[str, Any]", json.loads(line))

    def request(self, do: str, **arguments: Any) -> dict[str, Any]:
        """Like `ask`, but a refusal is raised as a SimulatorError."""
        answer = self.ask(do, **arguments)
        if not answer["ok"] and "error" in answer:
            raise SimulatorError(answer["error"], answer["detail"])
        return answer

    def __getitem__(self, name: str) -> Device:
        """The device or group with this control name, such as `sim-001`."""
        return Device(self, name)

    def __iter__(self) -> Iterator[Device]:
        return (self[one["device"]] for one in self.devices())

    def devices(self) -> list[Description]:
        """The devices, then the groups."""
        return cast("list[Description]", self.request("list")["devices"])

    def every(self, do: str, **arguments: Any) -> Every:
        """Sends a request to every device and group."""
        return cast("Every", self.request(do, device="*", **arguments))

    def burst(self, count: int | None = None, change: Literal["volume", "playback", "item"] = "volume", **item: Any) -> int:
        """Changes the status of `count` devices at once; returns how many changed. `item` takes the arguments of `Device.next`."""
        return cast("int", self.request("burst", count=count, change=change, **item)["done"])


class Device:
    """A device or a group of the simulator."""

    def __init__(self, simulator: Simulator, name: str) -> None:
        self.simulator = simulator
        self.name = name

    def request(self, do: str, **arguments: Any) -> dict[str, Any]:
        """Sends a request for this device."""
        return self.simulator.request(do, device=self.name, **arguments)

    def state(self) -> State:
        """The simulator's own state of it."""
        return cast("State", self.request("state")["state"])

    def wait_for(self, holds: Callable[[State], object], seconds: float = 30) -> State:
        """Returns the first state for which `holds` is true. Raises TimeoutError with the last one."""
        end = time.monotonic() + seconds
        while not holds(state := self.state()):
            if time.monotonic() > end:
                raise TimeoutError(f"{self.name} after {seconds} s: {state}")
            time.sleep(0.02)
        return state

    # What another sender or a remote control does.

    def play(
        self, url: str | None = None, title: str | None = None, *, duration: float | None = None, position: float | None = None,
        metadata: Mapping[str, Any] | None = None, content_type: str | None = None, stream_type: str | None = None,
        autoplay: bool | None = None, app: str | None = None,
    ) -> None:
        """Loads an item; without `url`, `title` and `metadata` plays on after a pause."""
        self.request("play", url=url, title=title, duration=duration, position=position, metadata=metadata, content_type=content_type,
                     stream_type=stream_type, autoplay=autoplay, app=app)

    def next(
        self, url: str | None = None, title: str | None = None, *, duration: float | None = None, position: float | None = None,
        metadata: Mapping[str, Any] | None = None, content_type: str | None = None, stream_type: str | None = None,
    ) -> None:
        """The next title begins without a gap, in the same session."""
        self.request("next", url=url, title=title, duration=duration, position=position, metadata=metadata, content_type=content_type,
                     stream_type=stream_type)

    def pause(self) -> None:
        """Pauses."""
        self.request("pause")

    def seek(self, position: float) -> None:
        """Seeks to a position in seconds."""
        self.request("seek", position=position)

    def media_stop(self) -> None:
        """Ends the media, not the application."""
        self.request("media_stop")

    def quit(self) -> None:
        """Ends the application."""
        self.request("quit")

    def transfer(self, to: str) -> None:
        """The device with this control name continues what plays."""
        self.request("transfer", to=to)

    def volume(self, level: float | None = None, *, muted: bool | None = None) -> None:
        """Sets the volume, 0 to 1, or mutes."""
        self.request("volume", level=level, muted=muted)

    def volume_control(self, control: VolumeControl) -> None:
        """Sets the kind of volume control; with `fixed` the device answers SET_VOLUME without a change."""
        self.request("volume", control=control)

    def screen(self, *, stand_by: bool | None = None, active_input: bool | None = None) -> None:
        """What the television reports by CEC."""
        self.request("screen", stand_by=stand_by, active_input=active_input)

    def ask_permission(self, ask: bool = True) -> None:
        """Launches wait for the user from now on, or no longer."""
        self.request("permission", ask=ask)

    def answer_permission(self, allow: bool) -> None:
        """The user allows or refuses the launch that waits."""
        self.request("permission", allow=allow)

    # What breaks.

    def refuse(self, on: bool = True) -> None:
        """Connections are refused; existing ones stay."""
        self.request("refuse", on=on)

    def reset(self) -> None:
        """Every connection is reset."""
        self.request("reset")

    def freeze(self, *, mid_frame: bool = False) -> None:
        """Half-open: nothing is read or written; half a frame may be sent first."""
        self.request("freeze", mid_frame=mid_frame)

    def thaw(self) -> None:
        """Continues after `freeze`."""
        self.request("thaw")

    def delay(self, min_ms: float, max_ms: float | None = None) -> None:
        """How long answers take from now on."""
        self.request("delay", min_ms=min_ms, max_ms=max_ms)

    def reboot(self, seconds: float = 5) -> None:
        """Offline without goodbye for this long, then online without application."""
        self.request("reboot", seconds=seconds)

    def move(self, address: str | None = None, port: int | None = None, *, leader: str | None = None) -> None:
        """A new endpoint; `leader` is for groups and names the device whose address they take."""
        self.request("move", address=address, port=port, leader=leader)

    def stop(self, *, goodbye: bool = True) -> None:
        """Switched off; without goodbye as if the power failed."""
        self.request("stop", goodbye=goodbye)

    def start(self) -> None:
        """Switched on again."""
        self.request("start")

    def silence(self, on: bool = True) -> None:
        """No answers in multicast DNS; the device stays reachable."""
        self.request("silence", on=on)

    # Groups.

    def join(self, member: str) -> None:
        """For groups: a device becomes a member."""
        self.request("join", member=member)

    def leave(self, member: str) -> None:
        """For groups: a device is no longer a member."""
        self.request("leave", member=member)

    def group(self, members: Sequence[str], name: str | None = None) -> Device:
        """Makes a temporary group that this device leads."""
        return Device(self.simulator, self.request("group", members=list(members), name=name)["device"])

    def dissolve(self) -> None:
        """Ends a temporary group."""
        self.request("dissolve")

    # Messages and behaviour.

    def authentication(self, manner: str) -> None:
        """How authentication challenges are answered from now on."""
        self.request("authentication", **{"as": manner})

    def habit(self, name: str, on: bool = True) -> None:
        """Switches a habit of some real devices on or off."""
        self.request("habit", name=name, on=on)

    def sabotage(self, name: str, on: bool = True) -> None:
        """Breaks one behaviour, or no longer."""
        self.request("sabotage", name=name, on=on)

    def say(self, namespace: str, message: Mapping[str, Any]) -> None:
        """Every sender receives that message."""
        self.request("say", namespace=namespace, message=message)

    def distort(self, type: str, *, set: Mapping[str, Any] | None = None, remove: Sequence[str] | None = None) -> None:
        """Outgoing messages of that type get other members and lose some: `set={"status.0.playerState": "DANCING"}`."""
        self.request("distort", type=type, set=set, remove=remove)

    def undistort(self) -> None:
        """Ends all distortions."""
        self.request("undistort")

    def ignore(self, type: str, on: bool = True) -> None:
        """Requests of that type get no answer and change nothing."""
        self.request("ignore", type=type, on=on)

    def pretend(self, type: str, on: bool = True) -> None:
        """Requests of that type are answered and change nothing."""
        self.request("pretend", type=type, on=on)

    def journal(self, event: str | None = None, path: str | None = None) -> list[JournalEntry]:
        """What reached this device so far, of the file that `cast-simulator run` names in the environment."""
        text = Path(path or os.environ["CAST_SIMULATOR_JOURNAL"]).read_text(encoding="utf-8")
        # The last line may be half written.
        entries: list[JournalEntry] = [json.loads(line) for line in text.splitlines(keepends=True) if line.endswith("\n")]
        return [one for one in entries if one["device"] == self.name and event in (None, one["event"])]
