"""What run.py was given beyond the page's address, for the tests that --all adds."""

# The same page at an address of the network.
network_url = None
# Of the role view.
view_password = None
# The path of cast2mqtt; cast-simulator is beside it.
program = None
