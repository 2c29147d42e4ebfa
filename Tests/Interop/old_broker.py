"""A broker that knows nothing of MQTT 5: passes everything else on to a real one.

    old_broker.py refuse|close|ignore PORT BROKER_PORT

"refuse" answers CONNECT of version 5 with CONNACK 132, "close" hangs up, "ignore" does nothing. Prints the version of each CONNECT.
"""

import asyncio
import sys


async def pump(reader, writer):
    while data := await reader.read(65536):
        writer.write(data)
        await writer.drain()
    writer.close()


async def serve(reader, writer, manner, broker_port):
    # Fixed header, one to four bytes of length, the name "MQTT" behind its length, then the version.
    head = await reader.readexactly(2)
    while head[-1] & 0x80:
        head += await reader.readexactly(1)
    start = await reader.readexactly(7)
    version = start[6]
    print(f"version {version}", flush=True)
    if version == 5:
        if manner == "refuse":
            writer.write(bytes([0x20, 0x03, 0x00, 132, 0x00]))
            await writer.drain()
        elif manner == "ignore":
            await reader.read()
        writer.close()
        return
    broker_reader, broker_writer = await asyncio.open_connection("127.0.0.1", broker_port)
    broker_writer.write(head + start)
    await asyncio.gather(pump(reader, broker_writer), pump(broker_reader, writer), return_exceptions=True)
    broker_writer.close()


async def main(manner, port, broker_port):
    server = await asyncio.start_server(lambda reader, writer: serve(reader, writer, manner, broker_port), "127.0.0.1", port)
    print("ready", flush=True)
    await server.serve_forever()


asyncio.run(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
