// A stand-in for Node-RED that runs one flow file on a real broker: the nodes' own code, their wires and topics, nothing made up.
//
// Usage: node run.js FILE ORDERS [HOST PORT]. Without a broker what is published is only printed. From the pipe ORDERS come lines of JSON:
// {"edit":"name of a node","set":{…}} as a user does in the editor, then {"deploy":true}, then {"press":"name of a button"},
// {"use":"name of a widget","value":30}, {"feed":"name of a function or switch","msg":{…}}. Lines of JSON go out: what debug nodes and widgets show,
// statuses, what is published, mistakes.
"use strict";
const fs = require("fs");
const readline = require("readline");
const { connect } = require("./mqtt.js");
const { makers, clone, memory } = require("./nodes.js");

const [file, orders, host, port] = process.argv.slice(2);
const nodes = JSON.parse(fs.readFileSync(file, "utf8"));
const flow = memory(), global = memory();
const running = new Map();
let publish;

const print = line => process.stdout.write(JSON.stringify(line) + "\n");
function named(name, types) {
    const found = nodes.filter(node => node.name === name && types.some(type => node.type.startsWith(type)));
    if (found.length !== 1) throw new Error(`${found.length} nodes are called ${name}`);
    return found[0];
}

/// Hands a message to a node; a mistake in it goes to the "catch" nodes, as in Node-RED.
function give(node, msg) {
    try { running.get(node.id)(msg); } catch (error) { failed(node, error, msg); }
}
function failed(node, error, msg) {
    print({ kind: "mistake", node: node.name, value: error.message });
    for (const catcher of nodes.filter(other => other.type === "catch")) {
        give(catcher, { ...clone(msg || {}), error: { message: error.message, source: { id: node.id, name: node.name, type: node.type } } });
    }
}

function deploy() {
    for (const node of nodes) {
        const send = (output, msg) => { for (const end of node.wires[output] || []) give(nodes.find(other => other.id === end), clone(msg)); };
        const report = (kind, value) => print({ kind, node: node.name, value });
        const made = makers[node.type](node, { send, report, flow, global, failed: (error, msg) => failed(node, error, msg), publish: message => publish(message) });
        if (made) running.set(node.id, made);
    }
    if (!host) {
        publish = () => undefined;
        return print({ kind: "deployed" });
    }
    const sources = nodes.filter(node => node.type === "mqtt in");
    const wanted = sources.map(node => ({ filter: node.topic, qos: Number(node.qos), noLocal: node.nl, retainAsPublished: node.rap, retainHandling: Number(node.rh) }));
    publish = connect({ host, port: Number(port) }, wanted, (index, message) => give(sources[index], message), () => print({ kind: "deployed" }));
}

// Open for both directions, the pipe doesn't end when a writer is done.
readline.createInterface({ input: fs.createReadStream(null, { fd: fs.openSync(orders, "r+") }) }).on("line", line => {
    const order = JSON.parse(line);
    if (order.deploy) deploy();
    else if (order.edit) Object.assign(named(order.edit, [""]), order.set);
    else if (order.press) give(named(order.press, ["inject"]), {});
    else if (order.use) running.get(named(order.use, ["ui-"]).id).use(order.value);
    else if (order.feed) give(named(order.feed, ["function", "switch"]), order.msg);
    else throw new Error("an unknown order: " + line);
});
print({ kind: "ready" });
