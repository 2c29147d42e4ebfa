// An MQTT 5 client of what the stand-in for Node-RED needs: subscriptions with their options, messages with their properties.
"use strict";
const net = require("net");

const PROPERTY = { payloadFormat: 0x01, expiry: 0x02, contentType: 0x03, responseTopic: 0x08, correlationData: 0x09, subscription: 0x0b, user: 0x26 };

function number(value) { // MQTT 5, 1.5.5: seven bits a byte, lowest first
    const bytes = [];
    do { bytes.push((value & 0x7f) | (value > 0x7f ? 0x80 : 0)); value >>= 7; } while (value > 0);
    return Buffer.from(bytes);
}
function prefixed(value) { // 1.5.4: two bytes of length first
    const bytes = Buffer.from(value);
    return Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 0xff]), bytes]);
}
function section(parts) { // 2.2.2: properties behind their length
    const bytes = Buffer.concat(parts);
    return Buffer.concat([number(bytes.length), bytes]);
}

class Reader {
    constructor(bytes) { this.bytes = bytes; this.at = 0; }
    byte() { return this.bytes[this.at++]; }
    short() { return (this.byte() << 8) | this.byte(); }
    data() { const length = this.short(); return this.bytes.subarray(this.at, this.at += length); }
    number() { let value = 0, shift = 0, byte; do { byte = this.byte(); value |= (byte & 0x7f) << shift; shift += 7; } while (byte & 0x80); return value; }
    rest() { return this.bytes.subarray(this.at); }

    properties() {
        const found = {};
        const end = this.number() + this.at;
        while (this.at < end) {
            const id = this.byte();
            switch (id) {
            case PROPERTY.payloadFormat: found.payloadFormat = this.byte(); break;
            case PROPERTY.expiry: found.messageExpiryInterval = this.short() * 65536 + this.short(); break;
            case PROPERTY.contentType: found.contentType = this.data().toString(); break;
            case PROPERTY.responseTopic: found.responseTopic = this.data().toString(); break;
            case PROPERTY.correlationData: found.correlationData = Buffer.from(this.data()); break;
            case PROPERTY.subscription: found.subscription = this.number(); break;
            case PROPERTY.user: this.data(); this.data(); break;
            default: throw new Error("a property of PUBLISH that MQTT does not know: " + id);
            }
        }
        return found;
    }
}

/// Connects, subscribes (`subscriptions`: filter, qos, noLocal, retainAsPublished, retainHandling), and gives each message to `received` with
/// the index of its subscription; calls `ready` when all are acknowledged. Gives the function that publishes, of use from the first message on.
function connect(options, subscriptions, received, ready) {
    const socket = net.connect(options.port, options.host);
    let incoming = Buffer.alloc(0), packetID = 0;
    const send = (type, body) => socket.write(Buffer.concat([Buffer.from([type]), number(body.length), body]));
    const nextID = () => { packetID = packetID % 65535 + 1; return Buffer.from([packetID >> 8, packetID & 0xff]); };

    function publish(message) {
        const properties = [];
        if (message.messageExpiryInterval !== undefined) {
            const bytes = Buffer.alloc(4); bytes.writeUInt32BE(message.messageExpiryInterval);
            properties.push(Buffer.from([PROPERTY.expiry]), bytes);
        }
        for (const name of ["contentType", "responseTopic", "correlationData"]) {
            if (message[name] !== undefined) properties.push(Buffer.from([PROPERTY[name]]), prefixed(message[name]));
        }
        const flags = (message.qos ? 2 : 0) | (message.retain ? 1 : 0);
        send(0x30 | flags, Buffer.concat([prefixed(message.topic), message.qos ? nextID() : Buffer.alloc(0), section(properties), message.payload]));
    }

    function take(first, body) {
        const packet = new Reader(body);
        switch (first >> 4) {
        case 2:
            if (body[1] !== 0) throw new Error("the broker refuses us: " + body[1]);
            if (subscriptions.length === 0) return ready();
            subscriptions.forEach((wanted, index) => send(0x82, Buffer.concat([
                nextID(), section([Buffer.from([PROPERTY.subscription]), number(index + 1)]), prefixed(wanted.filter),
                Buffer.from([wanted.qos | (wanted.noLocal ? 4 : 0) | (wanted.retainAsPublished ? 8 : 0) | wanted.retainHandling << 4]),
            ])));
            break;
        case 9:
            if (body[body.length - 1] >= 0x80) throw new Error("the broker refuses a subscription: " + body[body.length - 1]);
            if (--take.awaited === 0) ready();
            break;
        case 3: {
            const topic = packet.data().toString();
            if ((first >> 1 & 3) > 0) { const id = packet.short(); send(0x40, Buffer.from([id >> 8, id & 0xff])); }
            const properties = packet.properties();
            received(properties.subscription - 1, { topic, payload: packet.rest(), qos: first >> 1 & 3, retain: (first & 1) === 1, ...properties });
            break;
        }
        case 4: // a refused publish would otherwise be silent
            if (body.length > 2 && body[2] >= 0x80) throw new Error("the broker refuses a message: " + body[2]);
            break;
        case 14: throw new Error("the broker ends the connection: " + body[0]);
        }
    }
    take.awaited = subscriptions.length;

    socket.on("connect", () => send(0x10, Buffer.concat([prefixed("MQTT"), Buffer.from([5, 2, 0, 0, 0]), prefixed("node-red-" + process.pid)])));
    socket.on("data", data => {
        incoming = Buffer.concat([incoming, data]);
        while (incoming.length >= 2) {
            const head = new Reader(incoming);
            const first = head.byte();
            let last = 1;
            while (last < incoming.length && incoming[last] & 0x80) last++;
            if (last >= incoming.length) return;
            const length = head.number();
            if (incoming.length < head.at + length) return;
            take(first, Buffer.from(incoming.subarray(head.at, head.at + length)));
            incoming = incoming.subarray(head.at + length);
        }
    });
    socket.on("close", () => { throw new Error("the connection to the broker is gone"); });
    return publish;
}

module.exports = { connect };
