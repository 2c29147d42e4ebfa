"""The slower tests of the page."""

TESTS = []
network_url = None
