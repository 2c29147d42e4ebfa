// What the nodes of our flows do in Node-RED, as far as our flows make use of it; an option that is not known here is an error.
"use strict";
const vm = require("vm");
const crypto = require("crypto");

const clone = value => Buffer.isBuffer(value) ? Buffer.from(value)
    : Array.isArray(value) ? value.map(clone)
    : value !== null && typeof value === "object" ? Object.fromEntries(Object.entries(value).map(([key, member]) => [key, clone(member)])) : value;

/// The member of `object` at a path like `payload.data.title`.
const get = (object, path) => path.split(".").reduce((value, key) => value === null || value === undefined ? undefined : value[key], object);
function set(object, path, value) {
    const keys = path.split(".");
    const last = keys.pop();
    keys.reduce((inner, key) => inner[key] !== null && typeof inner[key] === "object" ? inner[key] : inner[key] = {}, object)[last] = value;
}

/// A typed value as the editor keeps it: `type` and a text.
function evaluate(value, type, msg, flow) {
    switch (type) {
    case "str": return String(value);
    case "num": return Number(value);
    case "bool": return value === true || value === "true";
    case "json": return JSON.parse(value);
    case "date": return Date.now();
    case "msg": return clone(get(msg, value));
    case "flow": return clone(flow.get(value));
    default: throw new Error("a value of an unknown type: " + type);
    }
}

const memory = () => { const kept = new Map(); return { get: key => kept.get(key), set: (key, value) => void kept.set(key, value), keys: () => [...kept.keys()] }; };

const comparisons = {
    eq: (value, wanted) => value == wanted, neq: (value, wanted) => value != wanted,
    lt: (value, wanted) => value < wanted, lte: (value, wanted) => value <= wanted, gt: (value, wanted) => value > wanted, gte: (value, wanted) => value >= wanted,
    nempty: value => value !== null && value !== undefined && value.length !== 0,
};

/// Makes of a node of the file a function that takes a message; `send(output, message)` passes one on, `report(kind, value)` reports to the test.
const makers = {
    "tab": () => null, "group": () => null, "comment": () => null, "mqtt-broker": () => null,
    "ui-base": () => null, "ui-theme": () => null, "ui-page": () => null, "ui-group": () => null,

    "inject": (node, { send, flow }) => () => {
        const msg = { _msgid: crypto.randomBytes(8).toString("hex") };
        for (const property of node.props) {
            if (property.p === "payload" && property.v === undefined) msg.payload = evaluate(node.payload, node.payloadType, msg, flow);
            else if (property.p === "topic" && property.v === undefined) msg.topic = node.topic;
            else set(msg, property.p, evaluate(property.v, property.vt, msg, flow));
        }
        send(0, msg);
    },

    "function": (node, { send, report, flow, global, failed }) => {
        const context = memory();
        const api = {
            id: node.id, name: node.name, send: result => spread(result), status: status => report("status", status), warn: text => report("warning", text),
            error: (text, msg) => failed(new Error(text), msg), log: () => undefined, done: () => undefined,
        };
        const sandbox = vm.createContext({
            node: api, context, flow, global, env: { get: () => undefined }, Buffer, setTimeout, clearTimeout, console,
            RED: { util: { generateId: () => crypto.randomBytes(8).toString("hex"), cloneMessage: clone } },
        });
        const code = vm.runInContext(`(function (msg) {\n${node.func}\n})`, sandbox, { filename: node.name });
        function spread(result) {
            const outputs = Array.isArray(result) ? result : [result];
            if (outputs.length > node.outputs) throw new Error(`${node.name} sends to an output that it does not have`);
            outputs.forEach((messages, output) => {
                for (const message of Array.isArray(messages) ? messages : [messages]) {
                    if (message === null || message === undefined) continue;
                    if (typeof message !== "object") throw new Error(`${node.name} sends something that is no message`);
                    send(output, message);
                }
            });
        }
        return msg => spread(code(msg));
    },

    "switch": (node, { send, flow }) => msg => {
        const value = evaluate(node.property, node.propertyType, msg, flow);
        let matched = false;
        node.rules.forEach((rule, output) => {
            if (node.checkall === "false" && matched) return;
            const compare = rule.t === "else" ? () => !matched : comparisons[rule.t];
            if (!compare) throw new Error("a rule of an unknown type: " + rule.t);
            if (compare(value, rule.v === undefined ? undefined : evaluate(rule.v, rule.vt, msg, flow))) { matched = true; send(output, msg); }
        });
    },

    "change": (node, { send, flow }) => msg => {
        for (const rule of node.rules) {
            const write = value => rule.pt === "flow" ? flow.set(rule.p, value) : set(msg, rule.p, value);
            if (rule.t === "set") write(evaluate(rule.to, rule.tot, msg, flow));
            else if (rule.t === "change" && rule.fromt === "str") write(get(msg, rule.p).split(rule.from).join(rule.to));
            else throw new Error("a rule of an unknown type: " + rule.t);
        }
        send(0, msg);
    },

    "json": (node, { send }) => {
        if (node.action !== "obj" || node.property !== "payload") throw new Error("a conversion of an unknown kind: " + node.action);
        return msg => send(0, { ...msg, payload: JSON.parse(msg.payload) });
    },

    "rbe": (node, { send }) => {
        const former = new Map();
        if (node.func !== "rbe" || !node.septopics) throw new Error("a filter of an unknown kind: " + node.func);
        return msg => {
            const value = JSON.stringify(get(msg, node.property));
            if (former.get(msg[node.topi]) === value) return;
            former.set(msg[node.topi], value);
            send(0, msg);
        };
    },

    "debug": (node, { report }) => msg => {
        const value = node.complete === "true" ? msg : get(msg, node.complete);
        report("debug", value === undefined ? null : value);
    },

    "catch": (node, { send }) => msg => send(0, msg),

    // A broker node that speaks MQTT 5 sends all of these; one without a payload sends nothing.
    "mqtt out": (node, { publish, report }) => msg => {
        const topic = node.topic || msg.topic;
        if (msg.payload === undefined || !topic) return;
        const payload = Buffer.isBuffer(msg.payload) ? msg.payload
            : Buffer.from(typeof msg.payload === "object" ? JSON.stringify(msg.payload) : String(msg.payload));
        const either = (own, given) => own !== "" && own !== undefined ? own : given;
        const message = { topic, payload, qos: Number(either(node.qos, msg.qos)) || 0, retain: String(either(node.retain, msg.retain)) === "true" };
        for (const name of ["responseTopic", "contentType"]) if (typeof msg[name] === "string" && msg[name]) message[name] = msg[name];
        if (msg.correlationData) message.correlationData = Buffer.from(msg.correlationData);
        if (msg.messageExpiryInterval !== undefined) message.messageExpiryInterval = Number(msg.messageExpiryInterval);
        report("published", { ...message, payload: payload.toString(), correlationData: message.correlationData && message.correlationData.toString() });
        publish(message);
    },

    "mqtt in": (node, { send }) => ({ payload, ...rest }) => send(0, { ...rest, payload: decode(node.datatype, payload, rest.contentType) }),

    // Widgets: what arrives is shown; what a user does with them is sent.
    "ui-text": (node, { report }) => msg => report("shown", msg.payload),
    "ui-template": (node, { report }) => msg => report("shown", msg.payload),
    "ui-slider": (node, { report, send }) => Object.assign(msg => {
        if (typeof msg.payload !== "number") throw new Error(`${node.name} shows numbers, not ${JSON.stringify(msg.payload)}`);
        report("shown", msg.payload);
    }, { use: value => send(0, { payload: Number(value), topic: node.topic }) }),
    "ui-switch": (node, { report, send }) => Object.assign(
        msg => { if (![node.onvalue, node.offvalue].includes(msg.payload)) throw new Error(`${node.name} does not know ${msg.payload}`); report("shown", msg.payload); },
        { use: value => send(0, { payload: value ? node.onvalue : node.offvalue, topic: node.topic }) }),
    "ui-button": (node, { send }) => Object.assign(() => undefined, { use: () => send(0, { payload: node.payload, topic: node.topic }) }),
};

/// What "mqtt in" makes of a payload, by its setting "output".
function decode(datatype, payload, contentType) {
    const text = payload.toString("utf8");
    switch (datatype) {
    case "buffer": return payload;
    case "utf8": return text;
    case "json": return JSON.parse(text);
    case "auto-detect": // goes by the content type where there is one, which only MQTT 5 has
        if (contentType === "application/json") return JSON.parse(text);
        if (contentType === "text/plain") return text;
        try { return JSON.parse(text); } catch { return text; }
    default: throw new Error("an output of an unknown kind: " + datatype);
    }
}

module.exports = { makers, clone, memory };
