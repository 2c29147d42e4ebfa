"""The stages of a status, each by the functions at which it begins.

What a function costs belongs to the innermost function above it on the stack (itself included) that is named here. So malloc, memcpy and
swift_retain count for the stage that calls them, and a stage ends where another one begins. What has no such function above it is OTHER.
"""

import collections
import re
import subprocess

OTHER = "event loop, other"

# Stage, and a pattern for the names of the functions at which it begins: Swift's names as `swift demangle --simplified` writes them (closures in them
# included), C's as they are. A function that fits several stages belongs to the first one. `Bridge.` is what earlier programs called the parts.
STAGES = [
    ("command: parse", r"CommandParser|CommandTopic|CommandPayload|CommandArguments|PropertyArguments|PlainValue\.(number|volume)|ArgumentReader|TopicTree\.levels"),
    ("command: queue", r"CommandQueue|CommandPace|CommandLanes|PropertyChange|DeviceCommand|VolumeTarget|CommandRouter\."),
    ("command: request", r"CommandRunner|CommandExecution|ReceiverRequest|CastSession\.(setDeviceVolume|ask|request|send)\(|CastRequest|"
                         r"CastConnection\.(send|write|flush|rearm)|CastFrameEncoder|CastFrameHandler\.(write|flush)|RequestTable\."),
    ("command: answer", r"AnswerWriter"),
    ("TLS", r"^CNIOBoringSSL|bssl|NIOSSL|SSLConnection|ByteBufferBIO"),
    ("frame", r"CastFrame(Handler|Decoder|Encoder)"),
    ("envelope", r"CastMessage(Piece|Assembler)"),
    ("JSON", r"ReceivedPayload|JSON(Parser|Reader|View)|PayloadMemory|RepeatedObject|(Media|Receiver|Heartbeat)Message\.|MediaStatusUpdate|init\(wire:\)"),
    ("merge", r"Cast(ConnectionHandler|Connection|Session)\.|SessionStateMachine|MediaStatusMerger|RequestTable|DeviceSupervisor\."),
    ("compare", r"Publisher\.formed|PublishedState\.(difference|fingerprint|place)|MessageBatch\.(fingerprint|topicDigest|digest)|Digest\.of"),
    ("documents", r"(Bridge|BridgeParts|DevicePublications)\.form|TopicMapper|TopicTree|DocumentTexts|DeviceState\.Facts|JSONWriter|DocumentWriter|PlainValues|MessageBatch"),
    ("announcements", r"Announcements\.|Bridge\.considerAnnouncing|Announcer|OfferedOptions|AnnouncedDevice"),
    ("reduce", r"DeviceFleet\.|DeviceLinks\.|DevicePublications\.|Bridge\.(adopt|supervisorTold|reduce|changed|mark|arm\w*)\(|"
               r"DeviceState\.|DeviceAgent\.|GroupDirectory|DeviceGroups\.|DocumentPace"),
    ("acknowledgement", r"in (Bridge|PublisherRunner)\.sendGathered\(|in BrokerConnection\.|BrokerConnection\.handle|Bridge\.published|"
                        r"PublisherRunner\.(report|published)|Publisher\.acknowledged|MQTTClient\.run|"
                        r"LinkLoop\.(serve|heed|prepare|turn|process)|Outbox"),
    ("publish", r"PublisherRunner\.|BrokerConnection\.|Bridge\.(schedulePump|pump|perform|sendGathered|enqueue)\(|Publisher\.|PublishedState\.|PacketForm|"
                r"MQTTBatch|MQTTPropertySet|OutgoingPacket|MQTTClient\.publish|ClientCore\.(submit|publish)|LinkLoop\.(carryOut|corked|publish|send)"),
    ("libmosquitto", r"^mosquitto_|MosquittoHandle\."),
]
# The order of the tables, which is that of a status's way.
ORDER = ["command: parse", "command: queue", "command: request", "command: answer", "TLS", "frame", "envelope", "JSON", "merge", "reduce", "announcements", "documents", "compare", "publish", "libmosquitto", "acknowledgement"]
# Copies and releases of a value count for its owner, not for the type that they are named after.
HELPERS = re.compile(r"^(outlined|destroy|initialize|assign|type metadata|value witness|lazy|protocol witness table|_?swift_|.*deallocating_deinit)")


def demangled(names):
    """Swift's names as a person reads them; all others stay."""
    tool = subprocess.run(["swift", "demangle", "--simplified", "--compact"], input="\n".join(names) + "\n", stdout=subprocess.PIPE, text=True, check=True)
    return dict(zip(names, tool.stdout.splitlines()))


class Stages:
    """What the windows of a change cost on average, by stage; the sum over all stages is the whole."""

    names = [*ORDER, OTHER]

    def __init__(self, windows):
        functions = sorted({function for costs in windows for chain in costs.instructions for function in chain})
        self.readable = demangled(functions)
        self.stage_of = {function: self.stage(self.readable[function]) for function in functions}
        instructions, lines, innermost, all_lines, inclusive = (collections.Counter() for _ in range(5))
        functions = {stage: collections.Counter() for stage in self.names}
        for costs in windows:
            touched = collections.defaultdict(set)
            for chain, count in costs.instructions.items():
                stage = next((self.stage_of[function] for function in chain if self.stage_of[function]), OTHER)
                instructions[stage] += count
                touched[stage] |= costs.lines[chain]
                functions[stage][self.owner(chain)] += count
                innermost[self.readable[chain[0]]] += count
                inclusive.update(dict.fromkeys((self.readable[function] for function in chain if self.readable[function] != function), count))
            lines.update({stage: len(of_stage) for stage, of_stage in touched.items()})
            all_lines["all"] += len(costs.all_lines)

        def average(counter, keys):
            return {key: round(counter[key] / len(windows)) for key in keys}

        self.instructions, self.lines = average(instructions, self.names), average(lines, self.names)
        # The sum of what is shown.
        self.total = sum(self.instructions.values())
        self.all_lines = average(all_lines, ["all"])["all"]
        # Of each stage the Swift functions, with what they call in the runtime and the C library; of the whole, what each function costs by itself.
        self.functions = {stage: average(counter, counter) for stage, counter in functions.items()}
        self.innermost = average(innermost, innermost)
        # What each Swift function costs with all that it calls.
        self.inclusive = collections.Counter(average(inclusive, inclusive))

    @staticmethod
    def stage(name):
        return None if HELPERS.match(name) else next((stage for stage, pattern in STAGES if re.search(pattern, name)), None)

    def owner(self, chain):
        """The innermost function of Swift code on the chain, since runtime and C library say little about whose cost it is."""
        return next((self.readable[function] for function in chain if self.readable[function] != function), chain[0])
