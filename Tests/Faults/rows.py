"""The rows of the matrix: how each fault begins and ends, what must be seen meanwhile, and the bars."""

import dataclasses
import itertools
import json
import os
import resource
import signal
import time
from collections.abc import Callable

from hosts import call, until
from house import HOSTS, OTHER_BRIDGE, OTHER_BROKER, SPARE, TLS_PORT
from proxy import PHASES

# MARK: what must be seen meanwhile: the seconds from the beginning of the fault, or None


def nothing(_, __):
    return None


def offline(house, limit):
    """The chosen devices become offline."""
    return went_offline(house, house.chosen, limit)


def all_offline(house, limit):
    return went_offline(house, house.devices, limit)


def went_offline(house, devices, limit):
    slugs = house.slugs()
    topics = {f"cast2mqtt/{slugs[device]}/availability" for device in devices}

    def are_offline():
        times = {topic: at for at, topic, text, _ in house.changes if text == "offline" and at > house.began and topic in topics}
        return max(times.values()) if len(times) == len(topics) else None

    return until(are_offline, "the devices are offline", limit) - house.began


def broker_left(house, limit):
    """The bridge closes the link that is held: after the beginning, or after it was made if that was later."""
    event = until(lambda: house.to_broker.first("left", house.began), "the bridge closes the link", limit)
    return min(event[0] - house.began, event[3])


def link_ended(house, limit):
    """The bridge gives up the link that it had, by the kernel's table of its connections."""
    until(lambda: not house.links & house.broker_links(), "the bridge gives up the link", limit)
    return time.monotonic() - house.began


def shown(house, limit):
    """The broker shows the change all the same."""
    return house.wait_right(limit) - house.began


def some_offline(house, _):
    """A part of the devices stays out of reach; the broker does not."""
    time.sleep(10)
    slugs = house.slugs().values() if house.topics.get("cast2mqtt/bridge/state") == b"online" else ()
    online = sum(house.topics.get(f"cast2mqtt/{slug}/availability") == b"online" for slug in slugs)
    if not 0 < online < len(house.devices):
        raise AssertionError(f"{online} devices are shown online")
    house.note = f"{online} of {len(house.devices)} devices shown online"


TEXTS = {nothing: "", offline: "half of the devices offline, the others online", all_offline: "all devices offline", link_ended: "the bridge closes the link",
         broker_left: "the bridge closes the link", shown: "every change is shown", some_offline: "a part of the devices offline"}


@dataclasses.dataclass
class Row:
    link: str
    fault: str
    begin: Callable
    end: Callable
    seen: Callable = nothing
    lasts: float = 0.0
    found_bar: float | None = None
    heal_bar: float | None = None
    # When the devices change: "during" the fault from its beginning on, "late" at its end, "after" it.
    varies: str = "during"
    counts_from_change: bool = False
    # The other devices must not be touched.
    spares_others: bool = False
    needs_root: bool = False
    # The state directory must have all devices afterwards.
    remembers: bool = False

    @property
    def key(self):
        return f"{self.link}: {self.fault}"

    @property
    def is_quick(self):
        """Whether "make test" has it: each fault that no other test has."""
        return self.key in QUICK

    @property
    def seen_text(self):
        return TEXTS[self.seen]

    def is_impossible(self):
        if self.needs_root and not is_real_root():
            return "only root can do it"
        return None

    def problems(self, house):
        if self.remembers:
            remember(house)
        if not self.spares_others:
            return []
        slugs = house.slugs()
        spared = {f"cast2mqtt/{slugs[device]}/availability" for device in house.devices if device not in house.chosen}
        touched = {topic for at, topic, text, _ in house.changes if at > house.began and text != "online" and topic in spared}
        return [f"other devices were offline: {sorted(touched)}"] if touched else []


QUICK = {
    "device: half-open: TLS", "device: half-open: first status", "broker: half-open: CONNACK", "broker: half-open: idle", "broker: half-open: mid-frame",
    "broker: slow", "device: slow", "broker: name server silent", "both: clock a day ahead, and back", "both: address of the bridge changed, and back",
    "both: disk full at the start", "both: state directory read-only", "both: descriptor limit, both links connect again",
}


def is_real_root():
    """Root of the machine, and not of a user namespace."""
    with open("/proc/self/uid_map", encoding="utf-8") as file:
        return os.geteuid() == 0 and file.read().split()[2] == "4294967295"


# MARK: links to devices


def hold_devices(phase):
    def begin(house):
        house.to_devices.hold(phase, house.addresses(house.chosen))

    return begin


def device_row(fault, begin, end, **options):
    return Row("device", fault, begin, end, **{"spares_others": True} | options)


def refuse(house):
    house.network.bypass("devices", True)
    house.each(house.chosen, do="refuse")
    house.each(house.chosen, do="reset")


def accept(house):
    house.each(house.chosen, do="refuse", on=False)
    house.network.bypass("devices", False)


def cut_power(house):
    house.swallowed = house.addresses(house.chosen)
    house.network.swallow(house.swallowed, True)
    house.each(house.chosen, do="stop", goodbye=False)


def restore_power(house):
    house.network.swallow(house.swallowed, False)
    # Each answers when it has announced itself, which takes a second.
    house.each(house.chosen, do="start")
    return time.monotonic()


def wait_for_power(house):
    """Until the devices announce themselves again."""
    until(lambda: all(house.states()[device]["power"] == "on" for device in house.chosen), "the devices are on")
    return time.monotonic()


def swallow_devices(is_on):
    def act(house):
        if is_on:
            house.swallowed = house.addresses(house.chosen)
        house.network.swallow(house.swallowed, is_on)

    return act


def move(house):
    for number, device in enumerate(house.chosen):
        there = SPARE.format(number + 1)
        if house.addresses([device]) == {there}:
            there = f"10.79.{1 + number // 250}.{1 + number % 250}"
        house.send(device=device, do="move", address=there, port=8009)


DEVICE = [
    device_row("refused", refuse, accept, seen=offline, lasts=8, found_bar=5, heal_bar=30),
    device_row("reset", lambda house: house.to_devices.reset(house.addresses(house.chosen)), lambda _: None, heal_bar=30),
    *[device_row(f"half-open: {name}", hold_devices(phase), lambda house: house.to_devices.let_go(), seen=offline, lasts=20, found_bar=15, heal_bar=30)
      for phase, name in zip(PHASES, ("TCP", "TLS", "first status", "idle", "mid-frame"), strict=True)],
    device_row("half-open: packets lost", swallow_devices(True), swallow_devices(False), seen=offline, lasts=20, found_bar=15, heal_bar=30),
    Row("device", "slow", lambda house: house.to_devices.slow(True), lambda house: house.to_devices.slow(False), seen=shown, lasts=15, heal_bar=30),
    Row("device", "reset and slow", lambda house: (house.to_devices.slow(True), house.to_devices.reset()), lambda house: house.to_devices.slow(False),
        seen=shown, lasts=15, heal_bar=30),
    device_row("address changed", move, lambda _: None, heal_bar=2),
    device_row("power lost", cut_power, restore_power, seen=offline, lasts=10, found_bar=15, heal_bar=2, varies="after"),
    device_row("rebooted", lambda house: house.each(house.chosen, do="reboot", seconds=5), wait_for_power, heal_bar=2, varies="late"),
    Row("device", "interface down and up", lambda house: house.network.interface("devices", False), lambda house: house.network.interface("devices", True),
        seen=all_offline, lasts=20, found_bar=15, heal_bar=30),
    Row("device", "SIGSTOP and SIGCONT", lambda house: house.processes["devices"].send_signal(signal.SIGSTOP),
        lambda house: house.processes["devices"].send_signal(signal.SIGCONT), seen=all_offline, lasts=20, found_bar=15, heal_bar=30, varies="after"),
]


# MARK: the link to the broker


def broker_row(fault, begin, end, **options):
    return Row("broker", fault, begin, end, **options)


def restart_broker(is_empty):
    def act(house):
        house.start_broker(is_empty)
        house.network.bypass("broker", False)
        return house.listened

    return act


def kill_broker(house):
    # It writes its store, which it otherwise does every half an hour.
    house.processes["broker"].send_signal(signal.SIGUSR1)
    store = house.path("store/mosquitto.db")
    until(lambda: os.path.exists(store), "the broker writes its store")
    house.network.bypass("broker", True)
    house.stop("broker", signal.SIGKILL)


def hold_broker(phase):
    def begin(house):
        house.to_broker.hold(phase)
        if phase == "mid-frame":
            # Its answer is the frame that is cut.
            house.client.publish("cast2mqtt/bridge/request/health_check", "")

    return begin


def move_host(host, former, address):
    """The host gets another address in place of the former one, to which connections then lead nowhere."""

    def act(house):
        house.network.on(host, "addr", "del", f"{former}/16", "dev", "lan0")
        house.network.on(host, "addr", "add", f"{address}/16", "dev", "lan0")
        if host == "broker":
            house.names.address = address

    return act


def name_server(**members):
    """The name server gets these members, and the link is reset, so that the name is looked up."""

    def act(house):
        set_names(house, members)
        house.to_broker.reset()

    return act


def set_names(house, members):
    for name, value in members.items():
        setattr(house.names, name, value)


def start_without_names(house):
    house.stop("bridge")
    house.names.is_silent = True
    house.start_bridge()


def plug(host):
    return lambda house: house.network.cable(host, False), lambda house: house.network.cable(host, True)


BROKER = [
    broker_row("refused, back with an empty store", kill_broker, restart_broker(True), lasts=8, heal_bar=3),
    broker_row("refused, back with its store", kill_broker, restart_broker(False), lasts=8, heal_bar=3),
    broker_row("reset", lambda house: house.to_broker.reset(), lambda _: None, heal_bar=3),
    *[broker_row(f"half-open: {name}", hold_broker(phase), lambda house: house.to_broker.let_go(), seen=broker_left, lasts=18, found_bar=15, heal_bar=30)
      for phase, name in zip(PHASES, ("TCP", "TLS", "CONNACK", "idle", "mid-frame"), strict=True)],
    broker_row("half-open: packets lost", lambda house: house.network.swallow([HOSTS["broker"]], True),
               lambda house: house.network.swallow([HOSTS["broker"]], False), seen=link_ended, lasts=18, found_bar=15, heal_bar=30),
    broker_row("slow", lambda house: house.to_broker.slow(True), lambda house: house.to_broker.slow(False), seen=shown, lasts=15, heal_bar=3),
    broker_row("reset and slow", lambda house: (house.to_broker.slow(True), house.to_broker.reset()), lambda house: house.to_broker.slow(False),
               lasts=15, heal_bar=3),
    broker_row("address changed, and back", move_host("broker", HOSTS["broker"], OTHER_BROKER), move_host("broker", OTHER_BROKER, HOSTS["broker"]),
               seen=shown, found_bar=30, heal_bar=30),
    broker_row("interface down and up", lambda house: house.network.interface("broker", False), lambda house: house.network.interface("broker", True),
               seen=link_ended, lasts=20, found_bar=15, heal_bar=30),
    broker_row("name server gone", name_server(is_gone=True), lambda house: set_names(house, {"is_gone": False}),
               seen=shown, lasts=15, found_bar=30, heal_bar=30),
    broker_row("name server silent", name_server(is_silent=True), lambda house: set_names(house, {"is_silent": False}),
               seen=shown, lasts=15, found_bar=30, heal_bar=30),
    broker_row("name server 8 s late", name_server(delay=8.0), lambda house: set_names(house, {"delay": 0.0}), seen=shown, lasts=25, found_bar=30,
               heal_bar=30),
    broker_row("name server silent at the start", start_without_names, lambda house: set_names(house, {"is_silent": False}), lasts=15, heal_bar=30),
    broker_row("SIGSTOP and SIGCONT", lambda house: house.processes["broker"].send_signal(signal.SIGSTOP),
               lambda house: house.processes["broker"].send_signal(signal.SIGCONT), seen=link_ended, lasts=25, found_bar=15, heal_bar=30),
]


# MARK: what both links stand on


def both_row(fault, begin, end, **options):
    return Row("both", fault, begin, end, **options)


def start_in(order):
    """Ends everything and starts it again, two seconds apart; the last one begins what heals."""

    def begin(house):
        house.network.bypass("broker", True)
        for program in ("bridge", "devices", "broker"):
            house.stop(program)
        for program in order[:-1]:
            start(house, program)
            time.sleep(2)

    def end(house):
        return start(house, order[-1])

    return begin, end


def start(house, program):
    if program == "bridge":
        house.start_bridge()
        return time.monotonic()
    if program == "broker":
        return restart_broker(is_empty=True)(house)
    house.start_devices()
    return time.monotonic()


def step_clock(seconds):
    """Both links are made again while the clock of the bridge is wrong, and once more when it is right."""

    def begin(house):
        house.stop("bridge")
        house.environment = house.preloaded()
        house.start_bridge()
        house.wait_right(60)
        step(house, seconds)

    def step(house, value):
        house.set_clock(value)
        house.to_broker.reset()
        house.to_devices.reset()

    return begin, lambda house: step(house, 0)


def fill_up(house):
    with open(f"{house.state}/filler", "wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(4096))
        except OSError:
            pass


def fill(house):
    """A full disk from the start of the bridge on, that has forgotten its devices: every file that it wants to write has no room."""
    house.stop("bridge")
    os.remove(f"{house.state}/devices.jsonl")
    fill_up(house)
    house.start_bridge()


def make_room(house):
    os.remove(f"{house.state}/filler")


def fill_running(house):
    fill_up(house)
    set_areas(house)


def set_areas(house):
    """Requests whose effect the bridge keeps in its state directory."""
    for device, slug in house.slugs().items():
        house.client.publish("cast2mqtt/bridge/request/device/options", json.dumps({"device": slug, "area": f"Room {house.round} of {device}"}))


def lock_state(house):
    house.stop("bridge")
    os.remove(f"{house.state}/devices.jsonl")
    call("mount", "-o", "remount,ro", house.state)
    house.start_bridge()


def unlock_state(house):
    call("mount", "-o", "remount,rw", house.state)


def remember(house, limit=120):
    """The state directory has every device."""
    path = f"{house.state}/devices.jsonl"
    ids = [entry["id"] for entry in house.listing]

    def has_all():
        if not os.path.exists(path):
            return False
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read()
        return all(identity in text for identity in ids)

    until(has_all, "the state directory has every device", limit)


def damage(change):
    def begin(house):
        house.stop("bridge")
        path = f"{house.state}/devices.jsonl"
        with open(path, "rb") as file:
            content = file.read()
        with open(path, "wb") as file:
            file.write(change(content))

    return begin


def start_again(house):
    house.start_bridge()


def garble(content):
    """Every seventh byte is another one, line ends and the bytes of characters too."""
    return bytes(byte ^ 0x55 if number % 7 == 3 else byte for number, byte in enumerate(content))


def freeze_disk(house):
    """The state directory is on a disk of its own that no longer answers."""
    house.stop("bridge")
    image, folder = house.path("image"), house.path("frozen")
    if not os.path.exists(image):
        with open(image, "wb") as file:
            file.truncate(16 << 20)
        call("mkfs.ext4", "-q", "-m", "0", image)
        os.makedirs(folder, exist_ok=True)
    call("mount", "-o", "loop", image, folder)
    call("cp", "-a", f"{house.state}/.", folder)
    house.state = folder
    house.start_bridge()
    house.wait_right(60)
    call("fsfreeze", "-f", folder)
    set_areas(house)


def thaw_disk(house):
    call("fsfreeze", "-u", house.path("frozen"))


# `SpareDescriptors` of CastTransport.
SPARE_DESCRIPTORS = 16


def limit_descriptors(resets_broker):
    """So few descriptors that half of the devices can't be connected to again; links to devices leave some to others."""

    def begin(house):
        process = house.processes["bridge"].pid
        folder = f"/proc/{process}/fd"
        links = {f"socket:[{inode}]" for inode in house.links_to(8009, *([TLS_PORT] if resets_broker else []))}
        kept = {int(name) for name in os.listdir(folder) if os.readlink(f"{folder}/{name}") not in links}
        free = [number for number in range(len(kept) + len(links) + 1) if number not in kept]
        house.limit_of = str(process)
        # The limit is one of numbers: those below it that are in use stay so.
        call("prlimit", "--pid", house.limit_of, f"--nofile={free[len(house.devices) // 2] + SPARE_DESCRIPTORS}:")
        house.to_devices.reset()
        if resets_broker:
            house.to_broker.reset()

    return begin


def lift_limit(house):
    call("prlimit", "--pid", house.limit_of, f"--nofile={resource.getrlimit(resource.RLIMIT_NOFILE)[1]}:")


BOTH = [
    *[both_row(f"start order: {', '.join(order)}", *start_in(order), varies="after", heal_bar=3, counts_from_change=True)
      for order in itertools.permutations(("broker", "devices", "bridge"))],
    both_row("clock a day ahead, and back", *step_clock(86_400), seen=shown, lasts=10, heal_bar=30),
    both_row("clock a day behind, and back", *step_clock(-86_400), seen=shown, lasts=10, heal_bar=30),
    both_row("address of the bridge changed, and back", move_host("bridge", HOSTS["bridge"], OTHER_BRIDGE),
             move_host("bridge", OTHER_BRIDGE, HOSTS["bridge"]), seen=shown, found_bar=30, heal_bar=30),
    both_row("interface of the bridge down and up", lambda house: house.network.interface("bridge", False),
             lambda house: house.network.interface("bridge", True), seen=link_ended, lasts=25, found_bar=15, heal_bar=30),
    both_row("cable of the bridge unplugged", *plug("bridge"), seen=link_ended, lasts=25, found_bar=15, heal_bar=30),
    both_row("SIGSTOP and SIGCONT of the bridge", lambda house: house.processes["bridge"].send_signal(signal.SIGSTOP),
             lambda house: house.processes["bridge"].send_signal(signal.SIGCONT), lasts=50, heal_bar=30),
    both_row("descriptor limit, devices connect again", limit_descriptors(False), lift_limit, seen=some_offline, lasts=15, heal_bar=30),
    both_row("descriptor limit, both links connect again", limit_descriptors(True), lift_limit, seen=some_offline, lasts=15, heal_bar=30),
    both_row("disk full at the start", fill, make_room, seen=shown, lasts=10, heal_bar=30, remembers=True),
    both_row("disk full", fill_running, make_room, seen=shown, lasts=10, heal_bar=30, remembers=True),
    both_row("disk hung", freeze_disk, thaw_disk, seen=shown, lasts=15, heal_bar=30, needs_root=True, remembers=True),
    both_row("state directory read-only", lock_state, unlock_state, seen=shown, lasts=10, heal_bar=30),
    both_row("state file damaged", damage(garble), start_again, heal_bar=30, remembers=True),
    both_row("state file cut in the middle", damage(lambda content: content[: len(content) // 2]), start_again, heal_bar=30, remembers=True),
    both_row("state file empty", damage(lambda _: b""), start_again, heal_bar=30, remembers=True),
]

ROWS = [*BROKER, *DEVICE, *BOTH]
