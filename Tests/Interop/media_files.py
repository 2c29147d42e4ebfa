"""A web server with a sound file and subtitles, as a sender that has files of its own needs one."""

import functools
import http.server
import io
import threading
import wave

SECONDS = 60
SUBTITLES = b"WEBVTT\n\n00:00.000 --> 00:50.000\nA text\n"


def sound():
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(1)
        file.setframerate(8000)
        file.writeframes(b"\x80" * 8000 * SECONDS)
    return out.getvalue()


class Handler(http.server.BaseHTTPRequestHandler):
    def __init__(self, files, *arguments):
        self.files = files
        super().__init__(*arguments)

    def do_GET(self):
        kind, body = self.files.get(self.path, (None, b""))
        self.send_response(200 if kind else 404)
        if kind:
            self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Access-Control-Allow-Origin", "*")
        self.end_headers()
        try:
            self.wfile.write(body)
        except OSError:
            pass  # The receiver has read enough.

    def log_message(self, *arguments):
        pass


def serve():
    """Serves /a.wav ... /e.wav and /text.vtt on 127.0.0.1; returns the address."""
    data = sound()
    files = {f"/{name}.wav": ("audio/wav", data) for name in "abcde"}
    files["/text.vtt"] = ("text/vtt", SUBTITLES)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, files))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}"
