// Finds what is wrong with the shape of a flow file, without running it. Usage: node check.js FILE
"use strict";
const fs = require("fs");
const vm = require("vm");
const { makers } = require("./nodes.js");

function findings(nodes) {
    const found = [];
    const say = (node, text) => found.push(`${node.type} "${node.name || node.label || node.id}": ${text}`);
    const byID = new Map();
    for (const node of nodes) {
        if (!/^[0-9a-f]{16}$/.test(node.id)) say(node, `its id is not 16 hexadecimal digits: ${node.id}`);
        if (byID.has(node.id)) say(node, `its id is there twice: ${node.id}`);
        byID.set(node.id, node);
    }
    const isA = (id, type) => byID.has(id) && byID.get(id).type === type;
    const brokers = nodes.filter(node => node.type === "mqtt-broker");
    if (brokers.length !== 1) found.push(`there are ${brokers.length} broker nodes, so more than one has to be set`);
    for (const node of nodes) {
        if (!(node.type in makers)) { say(node, "its type is not one of those that every Node-RED has, or the dashboard"); continue; }
        if (node.credentials || node.user || node.password) say(node, "it holds credentials");
        if (node.wires !== undefined || node.z !== undefined) {
            if (!isA(node.z, "tab")) say(node, "it is on no tab");
            if (typeof node.x !== "number" || typeof node.y !== "number") say(node, "it has no place");
        }
        if (node.type !== "group" && node.z !== undefined) {
            const group = byID.get(node.g);
            if (!group || group.type !== "group" || !group.nodes.includes(node.id)) say(node, "it is in no group, or its group does not know it");
            else if (node.x < group.x || node.x > group.x + group.w || node.y < group.y || node.y > group.y + group.h) say(node, "it lies outside its group");
        }
        if (node.type === "group") for (const id of node.nodes) {
            if (!byID.has(id) || byID.get(id).g !== node.id) say(node, `it holds a node that is not its own: ${id}`);
        }
        for (const ends of node.wires || []) for (const end of ends) {
            if (!byID.has(end) || byID.get(end).wires === undefined) say(node, `a wire leads nowhere: ${end}`);
            else if (["inject", "mqtt in", "comment", "catch"].includes(byID.get(end).type)) say(node, `a wire leads to a node without an input: ${end}`);
        }
        if (node.type.startsWith("mqtt ") && !isA(node.broker, "mqtt-broker")) say(node, "it has no broker node");
        if (node.type === "mqtt out" && String(node.retain) === "true") say(node, "it publishes commands that stay on the broker");
        if (node.type === "mqtt in" && !/^(cast2mqtt\/|phone\/state$)/.test(node.topic)) say(node, `it reads elsewhere: ${node.topic}`);
        if (["function", "switch"].includes(node.type) && node.wires.length !== node.outputs) say(node, `it has ${node.outputs} outputs and ${node.wires.length} wires`);
        if (node.type === "switch" && node.rules.length !== node.outputs) say(node, "it has not as many rules as outputs");
        if (node.type === "function") {
            try { new vm.Script(`(function (msg) {\n${node.func}\n})`); new vm.Script(`(function () {\n${node.finalize}\n})`); } catch (error) { say(node, error.message); }
        }
        for (const [name, type] of [["group", "ui-group"], ["page", "ui-page"], ["ui", "ui-base"], ["theme", "ui-theme"]]) {
            if (node.type.startsWith("ui-") && node[name] && !isA(node[name], type)) say(node, `its ${name} is missing`);
        }
    }
    // Who only listens and shows nothing, or waits for what never comes, has no purpose.
    const fed = new Set(nodes.flatMap(node => (node.wires || []).flat()));
    for (const node of nodes) {
        if (["function", "switch", "change", "json", "rbe", "debug", "mqtt out", "ui-text", "ui-template"].includes(node.type) && !fed.has(node.id)) say(node, "nothing leads to it");
        if (["inject", "mqtt in"].includes(node.type) && !node.wires.flat().length) say(node, "it leads to nothing");
    }
    return found;
}

const found = findings(JSON.parse(fs.readFileSync(process.argv[2], "utf8")));
for (const finding of found) console.log(finding);
console.log(found.length ? `${found.length} findings` : "no findings");
process.exitCode = found.length ? 1 : 0;
