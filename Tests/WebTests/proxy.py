"""The page behind nginx: below a path with the configuration that docs/OPERATIONS.md shows, and as Home Assistant's ingress calls it."""

import contextlib
import http.client
import json
import pathlib
import re
import socket
import subprocess
import tempfile

from playwright.sync_api import expect

import options
from harness import Bridge, until
from installed import check_manifest

# The name in the documentation; the browser finds it at 127.0.0.1.
NAME = "cast.example.org"
PREFIX = "/cast"
INGRESS = "/api/hassio_ingress/bGV0LW1lLWlu_-42"
# Home Assistant's supervisor. The tests give this machine its address.
SUPERVISOR = "172.30.32.2"
PASSWORD = "proxy-password"

# As core's ingress passes requests on: without the path, which it names in a header.
INGRESS_LOCATION = """
location %(path)s/ {
    proxy_bind %(supervisor)s;
    proxy_pass http://127.0.0.1:%(port)s/;
    proxy_http_version 1.1;
    proxy_set_header Connection "";
    proxy_set_header Host $http_host;
    proxy_set_header X-Forwarded-Host $http_host;
    proxy_set_header X-Forwarded-Proto $scheme;
    proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
    proxy_set_header X-Ingress-Path %(path)s;
}
location = /panel { default_type text/html; return 200 '<!doctype html><iframe src="%(path)s/" width="900" height="700"></iframe>'; }
"""


def documented(port):
    """The location of docs/OPERATIONS.md, for a bridge on this port."""
    text = (pathlib.Path(__file__).parents[2] / "docs/OPERATIONS.md").read_text()
    (location,) = re.findall(r"^```nginx\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    assert location.count(":8099/") == 1 and f"X-Forwarded-Prefix {PREFIX};" in location, location
    return location.replace(":8099/", f":{port}/")


def free_port():
    with contextlib.closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


@contextlib.contextmanager
def nginx(location, tls=False):
    """nginx with this location; yields its port and the file with the paths that it was asked for."""
    port = free_port()
    with tempfile.TemporaryDirectory(prefix="nginx-") as folder:
        if tls:
            subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={NAME}", "-keyout", f"{folder}/key", "-out", f"{folder}/certificate"],
                           check=True, capture_output=True)
        certificate = f"ssl_certificate {folder}/certificate; ssl_certificate_key {folder}/key;" if tls else ""
        temporary = " ".join(f"{kind}_temp_path {folder}/{kind};" for kind in ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"])
        # One process: a worker of its own would change its user, which not every sandbox allows.
        pathlib.Path(folder, "nginx.conf").write_text(
            f"daemon off; master_process off; pid {folder}/pid; events {{}}\n"
            f"http {{ log_format path '$request_uri'; access_log {folder}/asked path; {temporary}\nserver {{ listen 127.0.0.1:{port}{' ssl' if tls else ''}; server_name {NAME}; {certificate}\n{location}\n}} }}\n")
        process = subprocess.Popen(["nginx", "-e", f"{folder}/error", "-c", f"{folder}/nginx.conf", "-p", folder], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            def listens():
                assert process.poll() is None, pathlib.Path(folder, "error").read_text()
                with contextlib.closing(socket.socket()) as connection:
                    return connection.connect_ex(("127.0.0.1", port)) == 0

            until(listens, "nginx listens")
            yield port, pathlib.Path(folder, "asked")
        finally:
            process.terminate()
            process.wait(30)


def only_below(prefix, asked, *others):
    """The page asked for nothing outside its path, with its worker and its frames."""
    paths = asked.read_text().split()
    outside = [path for path in paths if not path.startswith(prefix + "/") and path not in others]
    assert not outside, outside
    for part in ["/assets/", "/api/v1/events", "/api/v1/commands/", "/mini"]:
        assert any(path.startswith(prefix + part) for path in paths), (part, paths)


def the_page_works_through(page, simulator):
    """Events come, commands go, and the bridge is not polled."""
    simulator.play("sim-001", title="Through a proxy", url="http://media.invalid/x.mp4", duration=600)
    mini = page.locator("mini-controller")
    expect(mini).to_contain_text("Through a proxy")
    mini.get_by_role("button", name="Pause").click()
    until(lambda: simulator.state("sim-001")["player"] == "PAUSED", "a command through the proxy")
    expect(mini.get_by_role("button", name="Play", exact=True)).to_be_visible()
    simulator.play("sim-001")
    expect(mini.get_by_role("button", name="Pause")).to_be_visible()
    expect(page.locator("#banner")).not_to_contain_text("proxy")


def sign_in(page):
    page.get_by_label("Password").fill(PASSWORD)
    page.keyboard.press("Enter")
    expect(page.locator("device-card").first).to_be_visible()


def the_documented_proxy_serves_the_page_below_a_path(browser, simulator):
    with Bridge(options.program, PASSWORD, WEB_TRUSTED_PROXIES="127.0.0.1", WEB_NAMES=NAME) as bridge, nginx(documented(bridge.port), tls=True) as (port, asked):
        context = browser.context(ignore_https_errors=True)
        page = browser.page("about:blank", url="", context=context, signs_in=False)
        root = f"https://{NAME}:{port}"
        # nginx redirects to the path with a slash.
        page.goto(root + PREFIX)
        assert page.url == root + PREFIX + "/", page.url
        sign_in(page)
        the_page_works_through(page, simulator)
        check_manifest(page, f"{root}{PREFIX}/")
        cookies = context.cookies()
        assert [(cookie["path"], cookie["secure"], cookie["httpOnly"], cookie["sameSite"]) for cookie in cookies] == [(PREFIX + "/", True, True, "Strict")], cookies
        page.goto(f"{root}{PREFIX}/#/health")
        page.reload()
        expect(page.get_by_role("heading", name="Health")).to_be_visible()
        expect(page.get_by_label("Password")).to_have_count(0)
        page.goto(root + PREFIX + "/mini")
        expect(page.locator("mini-controller")).to_contain_text("Through a proxy")
        page.locator("mini-controller").get_by_role("button", name="Pause").click()
        until(lambda: simulator.state("sim-001")["player"] == "PAUSED", "a command of the mini controller")
        page.close()
        only_below(PREFIX, asked, PREFIX)


def home_assistants_ingress_needs_no_login(browser, simulator):
    with Bridge(options.program, PASSWORD, WEB_TRUSTED_PROXIES=SUPERVISOR) as bridge, \
            nginx(INGRESS_LOCATION % {"path": INGRESS, "port": bridge.port, "supervisor": SUPERVISOR}) as (port, asked):
        page = browser.page("about:blank", url="", signs_in=False)
        page.goto(f"http://127.0.0.1:{port}{INGRESS}/")
        expect(page.locator("device-card").first).to_be_visible()
        the_page_works_through(page, simulator)
        page.reload()
        expect(page.locator("device-card").first).to_be_visible()
        page.goto(f"http://127.0.0.1:{port}{INGRESS}/mini")
        expect(page.locator("mini-controller")).to_contain_text("Through a proxy")
        # Home Assistant shows it in a frame of its own page.
        page.goto(f"http://127.0.0.1:{port}/panel")
        frame = page.frame_locator("iframe")
        expect(frame.locator("device-card").first).to_be_visible()
        frame.locator("mini-controller").get_by_role("button", name="Pause").click()
        until(lambda: simulator.state("sim-001")["player"] == "PAUSED", "a command in the frame")
        page.close()
        # The page around the frame is not ours, and its icon neither.
        only_below(INGRESS, asked, "/panel", "/favicon.ico")


def ask(bridge, method, path, source="127.0.0.1", body=None, **headers):
    """Sends a request from an address of this machine; returns status, headers and content of the answer."""
    connection = http.client.HTTPConnection("127.0.0.1", bridge.port, timeout=60, source_address=(source, 0))
    headers = {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request(method, path, None if body is None else json.dumps(body), headers | ({"Content-Type": "application/json"} if body else {}))
    answer = connection.getresponse()
    return answer.status, answer.headers, answer.read().decode()


def headers_of_strangers_are_ignored(browser, simulator):
    forged = {"X_Forwarded_Prefix": "/evil", "X_Forwarded_Host": NAME, "X_Forwarded_Proto": "https", "X_Forwarded_For": "127.0.0.1", "X_Ingress_Path": "/evil"}
    with Bridge(options.program, PASSWORD, WEB_TRUSTED_PROXIES="127.0.0.1", WEB_NAMES=NAME) as bridge:
        own = {"Origin": bridge.url[:-1]}
        for source in ["127.0.0.2", SUPERVISOR]:
            assert ask(bridge, "GET", "/api/v1/state", source, **forged)[0] == 401, source
            status, headers, content = ask(bridge, "POST", "/api/v1/session", source, {"password": PASSWORD}, **forged, **own)
            assert status == 200, (source, status, content)
            assert re.fullmatch(rf"sid-{bridge.port}=\w+; Path=/; Max-Age=\d+; HttpOnly; SameSite=Strict", headers["Set-Cookie"]), headers["Set-Cookie"]
            # The name that the browser called is not the one that the header has.
            assert ask(bridge, "GET", "/", source, Host="evil.example.org", **forged)[0] == 421, source
        # The proxy's own headers count, and only the supervisor's user is signed in elsewhere.
        proxied = forged | {"X_Ingress_Path": "", "X_Forwarded_Prefix": PREFIX}
        status, headers, content = ask(bridge, "POST", "/api/v1/session", body={"password": PASSWORD}, Origin=f"https://{NAME}", **proxied)
        assert status == 200 and "Path=/cast/;" in headers["Set-Cookie"] and headers["Set-Cookie"].endswith("; Secure"), (status, headers["Set-Cookie"], content)
        assert ask(bridge, "GET", "/api/v1/state", **forged)[0] == 401


TESTS = [the_documented_proxy_serves_the_page_below_a_path, home_assistants_ingress_needs_no_login, headers_of_strangers_are_ignored]
