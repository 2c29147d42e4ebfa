// Tests of the page's stream and of its shared worker, with a clock of their own: node streams.mjs FOLDER-OF-THE-PAGE
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const copy = mkdtempSync(join(tmpdir(), 'page-'));
process.on('exit', () => rmSync(copy, { recursive: true, force: true }));
cpSync(process.argv[2], copy, { recursive: true });
writeFileSync(join(copy, 'package.json'), '{"type":"module"}');
let copies = 0;
/** Each import with another query is a module of its own, with a state of its own. */
const load = (name) => import(`${pathToFileURL(join(copy, name)).href}?${(copies += 1)}`);

// The clock: time passes only by `pass`, and what is due runs in order.
let now = 1_800_000_000_000;
let timers = [];
let lastTimer = 0;
const begin = (work, delay, every) => {
    timers.push({ id: (lastTimer += 1), at: now + (delay ?? 0), work, every });
    return lastTimer;
};
globalThis.setTimeout = (work, delay) => begin(work, delay, 0);
globalThis.setInterval = (work, delay) => begin(work, delay, delay);
globalThis.clearTimeout = globalThis.clearInterval = (id) => {
    timers = timers.filter((timer) => timer.id !== id);
};
Date.now = () => now;
const settle = async () => {
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};
const pass = async (milliseconds) => {
    const end = now + milliseconds;
    for (;;) {
        await settle();
        const due = timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
        if (!due) break;
        now = Math.max(now, due.at);
        if (due.every) due.at += due.every;
        else timers = timers.filter((timer) => timer !== due);
        due.work();
    }
    now = end;
    await settle();
};
/** The machine sleeps: nothing runs, and every timer is late. */
const sleep = (milliseconds) => {
    now += milliseconds;
};

// The bridge: `answer` decides by path; a stream stays open until the request is given up.
let asked = [];
let streams = [];
let answer = () => null;
const encoder = new TextEncoder();
const snapshot = (id) => `event: snapshot\nid: ${id}\ndata: {"id":"${id}","documents":{"bridge/state":"online"}}\n\n`;
const hang = (signal) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
const events = (signal, first = '', type = 'text/event-stream') => {
    const body = new ReadableStream({
        start(controller) {
            if (first) controller.enqueue(encoder.encode(first));
            streams.push(controller);
            signal.addEventListener('abort', () => {
                try {
                    controller.error(signal.reason);
                } catch {
                    // It ended before.
                }
            });
        },
    });
    return new Response(body, { headers: { 'content-type': type } });
};
const json = (value, status = 200) => new Response(JSON.stringify(value), { status, headers: { 'content-type': 'application/json' } });
globalThis.fetch = async (address, { signal }) => {
    const path = address.split('/api/v1/')[1];
    asked.push(path);
    return (await answer(path, signal)) ?? hang(signal);
};

let count = 0;
const test = async (name, body) => {
    count += 1;
    [timers, asked, streams] = [[], [], []];
    answer = () => null;
    try {
        await body();
    } catch (error) {
        console.error(`FAILED ${name}\n${error.stack}`);
        process.exitCode = 1;
    }
};
const { Stream } = await load('state/stream.js');
const opened = (id = null) => {
    const reported = [];
    const stream = new Stream('http://x/api/v1/', (event) => reported.push(event.type === 'link' ? event.link : event.type));
    stream.id = id;
    void stream.run();
    return { stream, reported };
};
const streamsAsked = () => asked.filter((path) => path.startsWith('events')).length;

await test('a request that hangs while the network is gone does not lead to polling', async () => {
    const { stream, reported } = opened('a-1');
    await pass(20_000);
    assert.equal(stream.polling, false);
    assert.ok(streamsAsked() > 1);
    assert.ok(reported.includes('lost'), reported);
    answer = (path, signal) => path.startsWith('events') ? events(signal, snapshot('a-2')) : null;
    await pass(30_000);
    assert.deepEqual(reported.slice(-2), ['live', 'snapshot']);
    stream.close();
});
await test('a proxy that holds events back is polled through, and tried again each minute', async () => {
    let held = true;
    answer = (path, signal) => !path.startsWith('events') ? json({ id: 'a-1', documents: {} }) : held ? null : events(signal, snapshot('a-2'));
    const { stream, reported } = opened();
    await pass(30_000);
    assert.equal(streamsAsked(), 1);
    assert.deepEqual(reported, ['polling', 'snapshot']);
    assert.ok(asked.length > 10);
    await pass(70_000);
    assert.equal(streamsAsked(), 2);
    held = false;
    await pass(30_000);
    assert.equal(streamsAsked(), 3);
    assert.deepEqual(reported.slice(-2), ['live', 'snapshot']);
    assert.ok(!asked.at(-1).includes('since'), 'a trial asks for a snapshot, which comes at once');
    stream.close();
});
await test('a proxy that lets only the head of a resumed stream through is noticed', async () => {
    answer = (path, signal) => path.startsWith('events') ? events(signal) : json({ id: 'a-1', documents: {} });
    const { stream, reported } = opened('a-1');
    await pass(50_000);
    assert.equal(reported.at(-1), 'polling');
    await pass(70_000);
    assert.equal(reported.at(-1), 'polling');
    stream.close();
});
await test('answers that end at once, or are no stream, are asked for ever more rarely', async () => {
    for (const bad of [() => new Response('', { headers: { 'content-type': 'text/event-stream' } }), () => new Response('<html>', { headers: { 'content-type': 'text/html' } }), () => json({}, 500)]) {
        asked = [];
        answer = bad;
        const { stream, reported } = opened();
        await pass(60_000);
        assert.ok(asked.length >= 4 && asked.length < 15, String(asked.length));
        assert.equal(reported.at(-1), 'lost');
        stream.close();
    }
});
await test('a browser with too many streams polls without a word about a proxy', async () => {
    answer = (path) => path.startsWith('events') ? json({ error: { code: 'rate_limited' } }, 429) : json({ id: 'a-1', documents: {} });
    const { stream, reported } = opened();
    await pass(20_000);
    assert.deepEqual(reported, ['live', 'snapshot']);
    assert.equal(streamsAsked(), 1);
    stream.close();
});
await test('a stream that was silent for too long is opened again when the page wakes up', async () => {
    answer = (path, signal) => events(signal, snapshot('a-1'));
    const { stream } = opened();
    await pass(10_000);
    stream.wake();
    await pass(1_000);
    assert.equal(streamsAsked(), 1);
    stream.wake(true);
    await pass(1_000);
    assert.equal(streamsAsked(), 2);
    sleep(18_000);
    stream.wake();
    await settle();
    assert.equal(streamsAsked(), 3);
    assert.ok(asked.at(-1).includes('since=a-1'));
    stream.close();
});

const worker = async () => {
    await load('state/stream-worker.js');
    const connect = globalThis.onconnect;
    return () => {
        const got = [];
        const port = { postMessage: (message) => got.push(message.type === 'link' ? message.link : message.type) };
        connect({ ports: [port] });
        return { got, say: (type, log = null) => port.onmessage({ data: { type, api: 'http://x/api/v1/', log } }) };
    };
};
await test('a page that was silent for long is taken back with its stream, its state and its log', async () => {
    answer = (path, signal) => events(signal, snapshot('a-1'));
    const page = (await worker())();
    page.say('hello', 'debug');
    await pass(1_000);
    assert.deepEqual(page.got, ['connecting', 'pong', 'live', 'snapshot']);
    assert.ok(asked.at(-1).includes('log=debug'), asked.at(-1));
    await pass(70_000);
    assert.equal(streams.length, streamsAsked());
    const before = streamsAsked();
    await pass(200_000);
    page.got.length = 0;
    page.say('ping', 'debug');
    await pass(1_000);
    assert.deepEqual(page.got, ['connecting', 'pong', 'live', 'snapshot']);
    assert.ok(streamsAsked() > before);
    assert.ok(asked.at(-1).includes('log=debug'), asked.at(-1));
    page.say('bye');
    await pass(20_000);
});
await test('a hidden page that pings once a minute is kept, and time in which the worker slept does not count', async () => {
    answer = (path, signal) => events(signal, snapshot('a-1'));
    const page = (await worker())();
    page.say('hello');
    for (let minute = 0; minute < 4; minute += 1) {
        await pass(60_000);
        page.say('ping');
    }
    sleep(8 * 3_600_000);
    page.got.length = 0;
    await pass(15_000);
    assert.ok(page.got.includes('live'), page.got);
    page.got.length = 0;
    page.say('wake');
    assert.deepEqual(page.got, ['pong']);
    page.say('bye');
    await pass(20_000);
});
await test('a page that comes after a login wakes the others', async () => {
    let signedIn = false;
    answer = (path, signal) => signedIn ? events(signal, snapshot('a-1')) : json({ error: { code: 'login_required' } }, 401);
    const open = await worker();
    const first = open();
    first.say('hello');
    await pass(1_000);
    assert.equal(first.got.at(-1), 'login');
    signedIn = true;
    first.got.length = 0;
    const second = open();
    second.say('hello');
    await pass(1_000);
    assert.deepEqual(first.got, ['connecting', 'live', 'snapshot']);
    assert.deepEqual(second.got.filter((type) => type !== 'pong').slice(-2), ['live', 'snapshot']);
    first.say('bye');
    second.say('bye');
    await pass(20_000);
});

if (process.exitCode) console.error(`${count} tests, some failed`);
else console.log(`${count} tests passed`);
process.exit();
