"""Tests of the benchmark's own arithmetic. `scripts/test` runs them."""

import os
import tempfile
import unittest

import report
from processes import Replacements, track


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
        self.assertEqual(self.row({"floor_none": 10.0, "cast2mqtt_none": 14.0}, report.BURST_BARS)[-2:], ("≤ 1.4 × C", "met"))
        figures = {"floor_none": 10.0, "peer_none": 27.0, "cast2mqtt_none": 14.0}
        self.assertEqual(self.row(figures, report.BURST_BARS)[-2:], ("≤ 1.4 × C, ≤ ½ other build", "not met"))

    def test_ratios_are_of_cast2mqtt_to_each_other_subject(self):
        row = self.row({"floor_none": 10.0, "script": 20.0, "peer_none": 5.0, "cast2mqtt_none": 13.0}, [])
        self.assertEqual(row[2:9], ("10.0 ms", "20.0 ms", "5.0 ms", "13.0 ms", "1.30", "0.65", "2.60"))


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
