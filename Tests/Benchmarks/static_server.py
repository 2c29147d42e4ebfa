"""Serves what the bridge serves, as bytes that are already there: static_server.py PORT BRIDGE-PORT.

What it does not know yet it asks the bridge for once, with the same headers, and keeps: status, headers and body as they came, compressed or
not. Of the stream of events it keeps the snapshot, and stays silent behind it. Each line of its input is answered with the number of
addresses that were asked for.
"""

import asyncio
import json
import os
import sys
import threading

port, bridge_port = int(sys.argv[1]), int(sys.argv[2])
answers = {}


async def asked(target, head):
    """The bridge's answer to a request, without the length or the pieces in which it came."""
    reader, writer = await asyncio.open_connection("127.0.0.1", bridge_port)
    try:
        kept = [line for line in head.split("\r\n") if line.lower().startswith(("accept-encoding:", "authorization:"))]
        writer.write("\r\n".join([f"GET {target} HTTP/1.1", f"Host: 127.0.0.1:{bridge_port}", *kept, "", ""]).encode())
        lines = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        headers = [line for line in lines[1:] if line and line.split(":")[0].lower() not in ("content-length", "transfer-encoding", "connection")]
        fields = {line.split(":")[0].lower(): line.split(":", 1)[1].strip() for line in lines[1:] if line}
        body = b""
        if "chunked" not in fields.get("transfer-encoding", ""):
            body = await reader.readexactly(int(fields.get("content-length", 0)))
        else:
            while size := int(await reader.readuntil(b"\r\n"), 16):
                body += (await reader.readexactly(size + 2))[:-2]
                if b"event: snapshot" in body and body.endswith(b"\n\n"):
                    break
        return lines[0], headers, body, fields.get("content-type", "").startswith("text/event-stream")
    finally:
        writer.close()


async def serve(reader, writer):
    try:
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            target = head.split(" ", 2)[1]
            if target not in answers:
                answers[target] = await asked(target, head)
            status, headers, body, is_stream = answers[target]
            length = [] if is_stream else [f"Content-Length: {len(body)}"]
            writer.write("\r\n".join([status, *headers, *length, "", ""]).encode() + body)
            await writer.drain()
            if is_stream:
                await reader.read()
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        writer.close()


def answer_input():
    for _ in sys.stdin:
        print(json.dumps({"asked": len(answers)}), flush=True)
    # The event loop waits for connections that browsers keep open.
    os._exit(0)


async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", port)
    threading.Thread(target=answer_input, daemon=True).start()
    async with server:
        await server.serve_forever()


asyncio.run(main())
