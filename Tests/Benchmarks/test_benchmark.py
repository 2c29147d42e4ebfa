"""Tests of the benchmark's own arithmetic: what callgrind wrote, the stages of a status, and the bars. `scripts/test` runs them."""

import os
import tempfile
import unittest
from unittest import mock

import bench
import cost
import measure
import report
import scale
import stages
from callgrind import Costs
from processes import Replacements, track
from web import medians

# Two stages and a helper that both call; `work` is recursive, and the second fn= uses the number of its name.
DUMP = """# callgrind format
version: 1
positions: instr
events: Ir

ob=(1) /program
fl=(1) ???
fn=(1) loop
0x1000 10
0x1040 1
cfn=(2) parse'loop
calls=1 0x2000
0x1044 130

fn=(2)
0x2000 20
0x2004 20
cob=(2) /libc.so
cfn=(3) malloc'parse'loop
calls=2 0x3000
0x2008 90

ob=(2)
fn=(3)
0x3000 90

ob=(1)
fn=(4) work'2'work'publish'loop
0x1000 5

ob=(2)
fn=(5) malloc'loop
0x3000 7

totals: 153
"""


class CostsTests(unittest.TestCase):
    def setUp(self):
        with tempfile.NamedTemporaryFile("w", suffix=".1") as file:
            file.write(DUMP)
            file.flush()
            self.costs = Costs(file.name)

    def test_every_instruction_belongs_to_one_chain(self):
        self.assertEqual(self.costs.instructions, {
            ("loop",): 11, ("parse", "loop"): 40, ("malloc", "parse", "loop"): 90, ("work", "work", "publish", "loop"): 5, ("malloc", "loop"): 7})
        self.assertEqual(self.costs.total, 153)

    def test_a_line_of_code_is_64_bytes_of_one_program(self):
        self.assertEqual(self.costs.lines[("loop",)], {("/program", 0x40), ("/program", 0x41)})
        self.assertEqual(self.costs.lines[("malloc", "loop")], {("/libc.so", 0xc0)})

    def test_the_innermost_stage_takes_what_its_callees_cost(self):
        table = [("JSON", r"^parse"), ("publish", r"^publish"), ("libmosquitto", r"^mosquitto_")]
        names = [*(name for name, _ in table), stages.OTHER]
        same = mock.patch.object(stages, "demangled", lambda names: {name: name for name in names})
        with mock.patch.object(stages, "STAGES", table), mock.patch.object(stages.Stages, "names", names), same:
            found = stages.Stages([self.costs, self.costs])
        self.assertEqual(found.instructions, {"JSON": 130, "publish": 5, "libmosquitto": 0, stages.OTHER: 18})
        self.assertEqual(found.total, self.costs.total)
        self.assertEqual(found.lines, {"JSON": 2, "publish": 1, "libmosquitto": 0, stages.OTHER: 3})
        self.assertEqual(found.all_lines, 4)
        self.assertEqual(found.functions[stages.OTHER], {"loop": 11, "malloc": 7})
        self.assertEqual(found.innermost, {"loop": 11, "parse": 40, "malloc": 97, "work": 5})

    def test_a_heartbeat_takes_its_share_of_all_that_happened(self):
        table = [("JSON", r"^parse"), ("publish", r"^publish")]
        readable = {"parse": "parse()", "work": "work()"}
        names = mock.patch.object(stages, "demangled", lambda names: {name: readable.get(name, name) for name in names})
        with mock.patch.object(stages, "STAGES", table), mock.patch.object(stages.Stages, "names", ["JSON", "publish", stages.OTHER]), names:
            found = cost.heartbeat_cell(self.costs, 10)
        self.assertEqual((found["heartbeats"], found["instructions"]), (10, 15))
        self.assertEqual(found["stages"], {"JSON": 13, "publish": 0, stages.OTHER: 2})
        self.assertEqual(found["functions"][0], {"instructions": 13, "function": "parse()"})
        self.assertEqual(found["inclusive"], [{"instructions": 13, "function": "parse()"}, {"instructions": 0, "function": "work()"}])
        text = "\n".join(cost.heartbeat_report(found | {"floor": {"instructions": 5, "heartbeats": 9}}, shows_functions=True))
        for part in ("**15**", "ratio", "3.0", "13 parse()", "10 heartbeats were counted, 9 of the C program"):
            self.assertIn(part, text)

    def test_every_stage_has_its_place_in_the_table(self):
        self.assertEqual(sorted(stages.ORDER), sorted(name for name, _ in stages.STAGES))

    def test_functions_belong_to_the_stage_that_they_begin(self):
        for name, stage in [
            ("closure #1 in closure #2 in PublisherRunner.sendGathered()", "acknowledgement"), ("PublisherRunner.sendGathered()", "publish"),
            ("specialized Publisher.formed(_:_:remaining:)", "compare"), ("DevicePublications.form(_:of:keepsOldTopics:)", "documents"),
            ("outlined destroy of MediaStatusUpdate", None), ("CNIOBoringSSL_SSL_read", "TLS"), ("mosquitto_publish_v5", "libmosquitto"), ("malloc", None),
        ]:
            self.assertEqual(stages.Stages.stage(name), stage, name)

    def test_dear_windows_do_not_count(self):
        windows = [mock.Mock(total=total) for total in (900, 104, 101, 300, 103, 500, 102, 100)]
        self.assertEqual([window.total for window in cost.typical(windows)], [101, 102])
        self.assertEqual([window.total for window in cost.typical(windows[:1])], [900])


class BarTests(unittest.TestCase):
    def row(self, figures, bars):
        definitions = [("Latency", "ms", 1, ("latency",), bars)]
        result = {"devices": 100} | {key: {"latency": value} for key, value in figures.items()}
        return list(report.rows([result], "none", definitions))[0]

    def test_all_bars_must_be_met(self):
        figures = {"floor_none": 10.0, "script": 20.0, "cast2mqtt_none": 13.0}
        self.assertEqual(self.row(figures, report.LATENCY_BARS)[-2:], ("≤ 1.3 × C, < pychromecast", "met"))
        self.assertEqual(self.row(figures | {"cast2mqtt_none": 13.1}, report.LATENCY_BARS)[-1], "not met")
        self.assertEqual(self.row(figures | {"script": 13.0}, report.LATENCY_BARS)[-1], "not met")

    def test_a_bar_without_its_other_side_is_left_out(self):
        self.assertEqual(self.row({"floor_none": 10.0, "cast2mqtt_none": 17.0}, report.BURST_BARS)[-2:], ("≤ 1.7 × C", "met"))
        self.assertEqual(self.row({"script": 10.0, "cast2mqtt_none": 10.0}, report.BURST_BARS)[-2:], ("< pychromecast", "not met"))

    def test_ratios_are_of_cast2mqtt_to_each_other_subject(self):
        row = self.row({"floor_none": 10.0, "script": 20.0, "peer_none": 5.0, "cast2mqtt_none": 13.0}, [])
        self.assertEqual(row[2:9], ("10.0 ms", "20.0 ms", "5.0 ms", "13.0 ms", "1.30", "0.65", "2.60"))


class WebTests(unittest.TestCase):
    FIGURES = {
        "cpu_us_per_status": {name: {"playback": value, "item": 2 * value} for name, value in (("off", 90.0), ("on", 100.0), ("10", 150.0), ("100", 401.0))},
        "memory_kib": {"off": {"resident": 20480, "anonymous": 8192}, "on": {"resident": 24576, "anonymous": 10240}},
    }

    def rows(self, figures):
        return {row[0]: row[1:] for row in report.web_rows(figures)}

    def test_each_figure_is_held_against_its_reference(self):
        rows = self.rows(self.FIGURES)
        self.assertEqual(rows["CPU per status, new item, 10 open pages"], ("200.0 µs", "300.0 µs", "1.50", "+100.0 µs", "≤ 1.5 × no reader", "met"))
        self.assertEqual(rows["CPU per status, pause or resume, 100 open pages"][-1], "not met")
        self.assertEqual(rows["Resident memory, page on, no reader"], ("20.0 MiB", "24.0 MiB", "1.20", "+4.0 MiB", "≤ 3 MiB more", "not met"))
        self.assertEqual(rows["Anonymous memory, page on, no reader"][-1], "met")
        self.assertFalse(any("paint" in name or "heap" in name for name in rows), "no browser was there")

    def test_a_browser_has_figures_of_its_own(self):
        stay = {"script_percent": 2.5, "heap_kib": [4096, 4200, 4096, 5000]}
        rows = self.rows({"browser": {"stay": stay, "latency_ms": {"broker": {"median": 2.0}, "page": {"median": 31.9}}}})
        self.assertEqual(rows["Script time of an open page and its worker"], ("", "2.50 % of a core", "", "", "≤ 2 %", "not met"))
        self.assertEqual(rows["JS heap at the start, and at the end"][1:], ("4.88 MiB", "1.22", "+0.88 MiB", "flat: ≤ 1.05 ×", "not met"))
        self.assertEqual(rows["New item to MQTT, and to the page, median"][-3:], ("+29.9 ms", "≤ 30 ms more", "met"))

    def test_of_several_rounds_the_median_of_each_figure_counts(self):
        rounds = [{"a": {"b": value}, "c": value} for value in (3, 1, 2)]
        rounds[0]["left"] = 7
        self.assertEqual(medians(rounds), {"a": {"b": 2}, "c": 2, "left": 7})


class FirstMinutesTests(unittest.TestCase):
    """A program that is `age` seconds old, has written its state file `versions` times, and takes a tenth of a core."""

    def setUp(self):
        self.age, self.written, self.log = 2.0, [5, 7], []
        self.run = measure.Run.__new__(measure.Run)
        self.run.subject, self.run.probe = mock.Mock(), mock.Mock()
        self.run.subject.process.started_ns = 0
        self.run.subject.process.cpu_ns.side_effect = lambda: self.age * 1e8
        self.run.subject.state_versions.side_effect = lambda: self.log.append(("counted", self.age)) or self.written.pop(0)
        self.run.probe.read.side_effect = self.passes
        clock = mock.patch.object(measure.time, "monotonic", lambda: self.age)
        clock.start()
        self.addCleanup(clock.stop)

    def passes(self, seconds):
        self.age += seconds

    def test_versions_are_those_of_the_first_minute_and_the_cpu_that_of_the_second(self):
        figures = self.run.first_minutes()
        self.assertEqual((figures["state_versions"], self.log, self.age), (5, [("counted", 60)], 120))
        self.assertAlmostEqual(figures["cpu_s"], 6)

    def test_new_devices_are_counted_before_the_program_is_started_again(self):
        self.run.stop = lambda: self.log.append("stopped")

        def start():
            self.log.append("started")
            self.age = 1.0

        self.run.start = start
        figures = bench.first_minutes(self.run)
        self.assertEqual(self.log, [("counted", 60), "stopped", "started", ("counted", 60)])
        self.assertEqual((figures["new_devices"]["state_versions"], figures["known_devices"]["state_versions"]), (5, 7))
        self.assertAlmostEqual(figures["cpu_new_to_known"], 1)

    def test_each_has_its_bar(self):
        def verdicts(new, known, cpu):
            figures = {"new_devices": {"state_versions": new}, "known_devices": {"state_versions": known}, "cpu_new_to_known": cpu}
            found = report.rows([{"devices": 500, "cast2mqtt_none": figures}], "none", report.NONE_FIGURES)
            return [(row[-2], row[-1]) for row in found]

        self.assertEqual(verdicts(12, 3, 1.1), [("≤ 12", "met"), ("≤ 3", "met"), ("≤ 1.1", "met")])
        self.assertEqual(verdicts(13, 4, 1.11), [("≤ 12", "not met"), ("≤ 3", "not met"), ("≤ 1.1", "not met")])


class ScaleTests(unittest.TestCase):
    @staticmethod
    def results(power, factor=2.0):
        """Of a program whose costs grow with this power of the fleet, beside one whose costs are less by a factor."""
        def figures(count):
            cost = count ** power
            return {"known_start_s": cost, "start_s": cost, "item": {"burst_ms": {"median": cost}, "cpu_us_per_status": 1.0},
                    "rest": {"cpu_percent": cost}, "memory_kib": {"resident": cost, "anonymous": 60.0 * count}, "new_versions": 3, "known_versions": 0}

        def least(count):
            return {"start_s": count ** power / factor, "item": {"burst_ms": {"median": count ** power / factor}, "cpu_us_per_status": 1.0},
                    "rest": {"cpu_percent": count ** power / factor}, "memory_kib": {"resident": 1, "anonymous": 1}}

        return [{"devices": count, "cast2mqtt": figures(count), "floor": least(count)} for count in scale.FLEETS]

    def test_exponent_is_that_of_the_power(self):
        for power in (0, 0.5, 1, 1.5):
            self.assertAlmostEqual(scale.exponent([(count, 7 * count ** power) for count in scale.FLEETS]), power)
        self.assertIsNone(scale.exponent([(100, 0), (500, 3)]))

    def test_bars_are_missed_by_a_steeper_curve_and_by_a_larger_ratio_alone(self):
        def met(*arguments):
            return {row[0]: row[-1] for row in scale.rows(self.results(*arguments))}

        for name in ("Start, known devices, s", "Burst of new items, ms", "CPU at rest, % of a core"):
            self.assertEqual([met(1)[name], met(1.2)[name], met(1, 2.6)[name]], ["yes", "no", "no"])
        self.assertEqual(met(1)["Anonymous memory of a device, KiB"], "yes")
        self.assertAlmostEqual(scale.memory_per_device(self.results(1)), 60)

    def test_picture_has_a_panel_for_each_curve_that_was_measured(self):
        svg = scale.picture(self.results(1))
        self.assertEqual(svg.count('class="title"'), 4)
        self.assertEqual(svg.count("<circle"), 4 * 2 * len(scale.FLEETS))


class InputTests(unittest.TestCase):
    def test_every_track_differs_from_the_one_before_and_has_the_same_size(self):
        first, second = track(1), track(2)
        self.assertEqual(len(str(first)), len(str(track(9999))))
        for key in ("url", "title", "duration"):
            self.assertNotEqual(first[key], second[key])
        for key in ("artist", "images"):
            self.assertNotEqual(first["metadata"][key], second["metadata"][key])

    def test_files_that_take_their_name_are_counted(self):
        with tempfile.TemporaryDirectory() as directory:
            replacements = Replacements(directory)
            for _ in range(3):
                with open(os.path.join(directory, "new"), "w"):
                    pass
                os.rename(os.path.join(directory, "new"), os.path.join(directory, "state.json"))
            self.assertEqual((replacements.count(), replacements.count()), (3, 0))


if __name__ == "__main__":
    unittest.main()
