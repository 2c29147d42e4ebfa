import { Stream } from './stream.js';

/**
 * `wake` asks whether the connection still works; `true` means that it can't, because the network was lost.
 *
 * @typedef {import('./types.js').StreamEvent} StreamEvent
 * @typedef {{setLog(level: string|null): void, wake(renew?: boolean): void}} Connection
 */

/** Time in which the worker must answer, in milliseconds. */
const workerLimit = 3_000;

/**
 * Connects the page with the bridge: by a worker that all pages share, else by one of the pages, else by a stream of its own.
 *
 * @param {string} api
 * @param {(event: StreamEvent) => void} onEvent
 * @param {string|null} token A page with a token of its own has its own stream.
 * @param {string|null} log Level of the log that is wanted from the start.
 * @returns {Connection}
 */
export function connect(api, onEvent, token, log) {
    if (token !== null) return wakened(alone(api, onEvent, token, log));
    let connection = overWorker(api, onEvent, log, () => {
        connection = overChannel(api, onEvent, log);
    });
    connection ??= overChannel(api, onEvent, log);
    return wakened({
        setLog: (level) => {
            log = level;
            connection?.setLog(level);
        },
        wake: (renew) => connection?.wake(renew),
    });
}

/**
 * Wakes the connection when the network returns or the page is shown again.
 * @param {Connection} connection
 */
function wakened(connection) {
    addEventListener('online', () => connection.wake(true));
    addEventListener('pageshow', () => connection.wake());
    document.addEventListener('visibilitychange', () => {
        if (document.visibilityState === 'visible') connection.wake();
    });
    return connection;
}

/** @param {string} api @param {(event: StreamEvent) => void} onEvent @param {string|null} token @param {string|null} log */
function alone(api, onEvent, token, log) {
    const stream = new Stream(api, onEvent, token);
    stream.log = log;
    void stream.run();
    return stream;
}

/**
 * The only script address that the page's policy lets through.
 * @returns {string}
 */
function workerAddress() {
    const address = new URL('./stream-worker.js', import.meta.url).href;
    const types = /** @type {any} */ (globalThis).trustedTypes;
    return types ? types.createPolicy('stream-worker', { createScriptURL: () => address }).createScriptURL('') : address;
}

/**
 * @param {string} api @param {(event: StreamEvent) => void} onEvent @param {string|null} log
 * @param {() => void} onFailure The worker could not be loaded, or does not answer any more.
 * @returns {Connection|null}
 */
function overWorker(api, onEvent, log, onFailure) {
    if (typeof SharedWorker !== 'function') return null;
    /** @type {SharedWorker} */
    let worker;
    try {
        worker = new SharedWorker(workerAddress(), { type: 'module', name: api });
    } catch {
        return null;
    }
    const { port } = worker;
    let failed = false;
    /** @type {ReturnType<typeof setTimeout>|null} */
    let waiting = null;
    const say = (/** @type {string} */ type) => {
        if (!failed) port.postMessage({ type, api, log });
    };
    const fail = () => {
        if (failed) return;
        say('bye');
        failed = true;
        clearInterval(pinging);
        port.onmessage = null;
        onFailure();
    };
    // A page that did not run has the answer behind its timer: it gets one more moment.
    const expect = () => (waiting ??= setTimeout(() => (waiting = setTimeout(fail, 300)), workerLimit));
    const ask = (/** @type {string} */ type) => {
        say(type);
        if (!failed) expect();
    };
    port.onmessage = ({ data }) => {
        if (waiting !== null) clearTimeout(waiting);
        waiting = null;
        if (data.type !== 'pong') onEvent(data);
    };
    worker.onerror = fail;
    const pinging = setInterval(() => say('ping'), 10_000);
    ask('hello');
    addEventListener('pagehide', () => say('bye'));
    return {
        setLog: (level) => {
            log = level;
            say('log');
        },
        wake: (renew) => ask(renew ? 'online' : 'wake'),
    };
}

/** Heartbeat of the page that has the stream, and the silence after which another one takes over, in milliseconds. */
const beat = 1_000;
const takeover = 3_000;

/** @param {string} api @param {(event: StreamEvent) => void} onEvent @param {string|null} log @returns {Connection} */
function overChannel(api, onEvent, log) {
    if (typeof BroadcastChannel !== 'function') return alone(api, onEvent, null, log);
    const channel = new BroadcastChannel(`stream ${api}`);
    const name = crypto.getRandomValues(new Uint32Array(2)).join('-');
    // A browser slows hidden pages down: a visible one is before them.
    const me = () => `${document.visibilityState === 'visible' ? 0 : 1} ${name}`;
    /** @type {Stream|null} */
    let stream = null;
    let heard = Date.now() - takeover + 300 + Math.random() * 300;
    const lead = () => {
        stream = new Stream(api, (event) => {
            onEvent(event);
            channel.postMessage({ from: me(), event });
        });
        stream.log = log;
        void stream.run();
    };
    const yieldTo = () => {
        stream?.close();
        stream = null;
    };
    channel.onmessage = ({ data }) => {
        if (data.type === 'hello' && stream) {
            // A snapshot for all is simpler than one for the page that came.
            stream.id = null;
            stream.reopen();
        }
        if (data.log !== undefined && stream) stream.setLog(data.log);
        if (data.from === undefined) return;
        // Two pages have the stream: the one that is before the other keeps it.
        if (stream && data.from < me()) yieldTo();
        heard = Date.now();
        if (data.event && !stream) onEvent(data.event);
        if (!stream && data.from[0] > me()[0]) lead();
    };
    channel.postMessage({ type: 'hello', ...(log !== null && { log }) });
    setInterval(() => {
        if (stream) channel.postMessage({ from: me() });
        else if (Date.now() - heard > takeover) lead();
    }, beat / 4);
    addEventListener('pagehide', yieldTo);
    return {
        setLog: (level) => {
            log = level;
            if (stream) stream.setLog(level);
            else channel.postMessage({ log: level });
        },
        wake: (renew) => stream?.wake(renew),
    };
}
