"""Tests of the web page in Chromium: run.py --url http://127.0.0.1:8099/ --control SOCKET [--all] [NAME…]"""

import argparse
import sys

import controllers
import harness
import quick
import thorough

arguments = argparse.ArgumentParser()
arguments.add_argument("--url", required=True)
arguments.add_argument("--network-url", help="the same page at an address of the network, over plain http")
arguments.add_argument("--control", required=True)
arguments.add_argument("--password", help="of the role admin")
arguments.add_argument("--view-password", help="of the role view")
arguments.add_argument("--program", help="cast2mqtt, for the test that ends and starts a bridge of its own")
arguments.add_argument("--all", action="store_true")
arguments.add_argument("names", nargs="*")
options = arguments.parse_args()
thorough.network_url = options.network_url
thorough.view_password = options.view_password
thorough.program = controllers.program = options.program
sys.exit(min(1, harness.run(quick.TESTS + controllers.QUICK + (thorough.TESTS + controllers.TESTS if options.all else []), options.url, options.control, options.names, options.password)))
