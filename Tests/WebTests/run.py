"""Tests of the web page in Chromium: run.py --url http://127.0.0.1:8099/ --control SOCKET [--all] [NAME…]"""

import argparse
import sys

import addresses
import budgets
import careful
import casting
import controllers
import everywhere
import glance
import harness
import hostile
import house
import installed
import options
import place
import player
import proxy
import quick
import tasks
import thorough
import whole_player

parser = argparse.ArgumentParser()
parser.add_argument("--url", required=True)
parser.add_argument("--network-url", help="the same page at an address of the network, over plain http")
parser.add_argument("--control", required=True)
parser.add_argument("--password", help="of the role admin")
parser.add_argument("--view-password", help="of the role view")
parser.add_argument("--program", help="cast2mqtt, for the tests that start a bridge of their own")
parser.add_argument("--all", action="store_true")
parser.add_argument("names", nargs="*")
given = parser.parse_args()
options.network_url = given.network_url
options.view_password = given.view_password
options.program = given.program

basics = quick.TESTS + controllers.QUICK + careful.TESTS + player.QUICK
tests = list(basics)
if given.all:
    for module in (thorough, casting, controllers, player, whole_player, tasks, glance, place, addresses, everywhere, hostile, house, installed, proxy, budgets):
        tests += module.TESTS
failed = harness.run(tests, given.url, given.control, given.names, given.password)
if given.all:
    # The controls again, where the browser takes the page for no secure context.
    print(f"the controls at {given.network_url}", flush=True)
    failed += harness.run(basics, given.network_url, given.control, given.names, given.password)
sys.exit(min(1, failed))
