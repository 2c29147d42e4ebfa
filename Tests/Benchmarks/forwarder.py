"""A bridge as a user would write it with pychromecast and paho-mqtt: one retained JSON message for each status, and a volume command.

Usage: forwarder.py PORT ID@HOST:PORT …

Topics are forwarder/<n>/media and forwarder/<n>/receiver; a percentage on forwarder/<n>/set/volume sets the volume.
"""

import json
import sys
import threading
import uuid

import paho.mqtt.client as mqtt
import pychromecast
from pychromecast.controllers.media import MediaStatusListener
from pychromecast.controllers.receiver import CastStatusListener
from pychromecast.models import CastInfo, HostServiceInfo


def cast_of(endpoint):
    """What discovery makes of an announcement, without the discovery."""
    identity, address = endpoint.split("@")
    host, port = address.rsplit(":", 1)
    info = CastInfo({HostServiceInfo(host, int(port))}, uuid.UUID(identity), None, identity, host, int(port), "cast", None)
    return pychromecast.get_chromecast_from_cast_info(info, zconf=None)


class Forwarder(MediaStatusListener, CastStatusListener):
    def __init__(self, client, number, cast):
        self.client, self.topic, self.cast = client, f"forwarder/{number}", cast
        cast.register_status_listener(self)
        cast.media_controller.register_status_listener(self)
        cast.start()

    def publish(self, kind, state):
        self.client.publish(f"{self.topic}/{kind}", json.dumps(state), qos=1, retain=True)

    def new_media_status(self, status):
        self.publish("media", {
            "state": status.player_state, "idle_reason": status.idle_reason, "title": status.title, "artist": status.artist, "album": status.album_name,
            "series": status.series_title, "images": [image.url for image in status.images], "content_id": status.content_id,
            "content_type": status.content_type, "duration": status.duration, "position": status.current_time, "rate": status.playback_rate,
        })

    def new_cast_status(self, status):
        self.publish("receiver", {
            "volume": status.volume_level, "muted": status.volume_muted, "app": status.display_name, "app_id": status.app_id,
            "session": status.session_id, "text": status.status_text, "stand_by": status.is_stand_by,
        })

    def load_media_failed(self, queue_item_id, error_code):
        self.publish("media", {"state": "FAILED", "error": error_code})


def main():
    client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, "forwarder")
    casts = [cast_of(endpoint) for endpoint in sys.argv[2:]]
    client.on_connect = lambda *_: client.subscribe("forwarder/+/set/volume", qos=1)

    def on_message(_client, _context, message):
        casts[int(message.topic.split("/")[1])].set_volume(int(message.payload) / 100)

    client.on_message = on_message
    client.connect("127.0.0.1", int(sys.argv[1]))
    client.loop_start()
    for number, cast in enumerate(casts):
        Forwarder(client, number, cast)
    threading.Event().wait()


main()
