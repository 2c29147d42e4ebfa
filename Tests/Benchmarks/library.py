"""The library CastSender beside pychromecast: what an idle session costs, and how long a request takes."""

import os
import sys
import time

from measure import percentile, spread
from processes import AnsweringProcess, Failure, Simulator


class LibraryEffort:
    """How many sessions are held, for how long nothing happens before memory is read, and how many requests are made in how many rounds."""

    def __init__(self, sessions, rest_seconds, rounds, requests):
        self.sessions, self.rest_seconds, self.rounds, self.requests = sessions, rest_seconds, rounds, requests


def memory_of_sessions(holder, effort):
    """KiB without sessions, with one and with all, and for each further one."""
    memory = {}
    for count in (0, 1, effort.sessions):
        if holder.request(f"hold {count}")["sessions"] != count:
            raise Failure(f"{holder.name} does not hold {count} sessions")
        time.sleep(effort.rest_seconds)
        memory[count] = holder.memory_kib()
    # The first session also brings in the code for sessions and what TLS needs once, so it is not divided among them.
    per_session = {kind: (memory[effort.sessions][kind] - memory[1][kind]) / (effort.sessions - 1) for kind in memory[1]}
    return {"none": memory[0], "one": memory[1], "all": memory[effort.sessions], "per_session": per_session}


def requests(holders, effort):
    """Rounds of requests of each holder in turn, so that what else the machine does meets all of them."""
    answers = {holder.name: [] for holder in holders}
    for _ in range(effort.rounds):
        for holder in holders:
            answers[holder.name].append(holder.request(f"ask {effort.requests}"))
    return {
        name: {
            "round_trip_ms": spread([nanoseconds / 1e6 for answer in own for nanoseconds in answer["round_trips_ns"]]),
            "cpu_us_per_request": percentile([answer["cpu_ns"] / 1e3 / effort.requests for answer in own], 0.5),
        }
        for name, own in answers.items()
    }


def compared_libraries(tools, effort, address_base, directory):
    """Both on the same fleet; pychromecast where there is one."""
    fleet = Simulator(tools["cast-simulator"], effort.sessions, address_base, directory)
    holders = []
    try:
        result = {"sessions": effort.sessions, "requests": effort.rounds * effort.requests, "pychromecast": None}
        commands = {"CastSender": [tools["bench-sessions"]]}
        if tools["python"]:
            commands["pychromecast"] = [tools["python"], os.path.join(os.path.dirname(os.path.abspath(__file__)), "sessions.py")]
        for name, command in commands.items():
            print(f"{effort.sessions} sessions: {name}", file=sys.stderr)
            holders.append(AnsweringProcess(name, [*command, *fleet.endpoints], directory))
            result[name] = {"memory_kib": memory_of_sessions(holders[-1], effort)}
        for name, figures in requests(holders, effort).items():
            result[name] |= figures
        return result
    finally:
        for holder in holders:
            holder.end()
        fleet.end()
