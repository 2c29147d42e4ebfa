import { Stream } from './stream.js';

/**
 * @typedef {import('./types.js').StreamEvent} StreamEvent
 * @typedef {{setLog(level: string|null): void, wake(): void}} Connection
 */

/**
 * Connects the page with the stream of the bridge: by a worker that all pages of the browser share, else by an agreement among the pages
 * which of them has the stream, else by a stream of its own.
 *
 * @param {string} api
 * @param {(event: StreamEvent) => void} onEvent
 * @param {string|null} token A page with a token of its own has its own stream.
 * @returns {Connection}
 */
export function connect(api, onEvent, token) {
    if (token !== null) return wakened(alone(api, onEvent, token));
    let connection = overWorker(api, (event) => {
        answered = true;
        onEvent(event);
    });
    let answered = false;
    if (!connection) return wakened(overChannel(api, onEvent));
    // Some browsers have shared workers without modules: the worker never answers.
    setTimeout(() => {
        if (!answered) connection = overChannel(api, onEvent);
    }, workerLimit);
    return wakened({ setLog: (level) => connection?.setLog(level), wake: () => connection?.wake() });
}

/** Time in which the worker must have answered, in milliseconds. */
const workerLimit = 5_000;

/**
 * Wakes the connection when the network or the page is back.
 * @param {Connection} connection
 */
function wakened(connection) {
    addEventListener('online', () => connection.wake());
    addEventListener('pageshow', () => connection.wake());
    document.addEventListener('visibilitychange', () => {
        if (document.visibilityState === 'visible') connection.wake();
    });
    return connection;
}

/** @param {string} api @param {(event: StreamEvent) => void} onEvent @param {string|null} token */
function alone(api, onEvent, token) {
    const stream = new Stream(api, onEvent, token);
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

/** @param {string} api @param {(event: StreamEvent) => void} onEvent @returns {Connection|null} */
function overWorker(api, onEvent) {
    if (typeof SharedWorker !== 'function') return null;
    /** @type {MessagePort} */
    let port;
    try {
        port = new SharedWorker(workerAddress(), { type: 'module', name: api }).port;
    } catch {
        return null;
    }
    const hello = () => port.postMessage({ type: 'hello', api });
    port.onmessage = (message) => onEvent(message.data);
    hello();
    setInterval(() => port.postMessage({ type: 'ping' }), 10_000);
    addEventListener('pagehide', () => port.postMessage({ type: 'bye' }));
    addEventListener('pageshow', (event) => {
        if (event.persisted) hello();
    });
    return {
        setLog: (level) => port.postMessage({ type: 'log', level }),
        wake: () => port.postMessage({ type: 'wake' }),
    };
}

/** Heartbeat of the page that has the stream, and the silence after which another one takes over, in milliseconds. */
const beat = 1_000;
const takeover = 3_000;

/** @param {string} api @param {(event: StreamEvent) => void} onEvent @returns {Connection} */
function overChannel(api, onEvent) {
    if (typeof BroadcastChannel !== 'function') return alone(api, onEvent, null);
    const channel = new BroadcastChannel(`stream ${api}`);
    const me = crypto.getRandomValues(new Uint32Array(2)).join('-');
    /** @type {Stream|null} */
    let stream = null;
    /** @type {string|null} */
    let log = null;
    let heard = Date.now() - takeover + 300 + Math.random() * 300;
    const lead = () => {
        stream = new Stream(api, (event) => {
            onEvent(event);
            channel.postMessage({ from: me, event });
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
        // Two leaders: the one with the smaller name stays.
        if (stream && data.from < me) yieldTo();
        heard = Date.now();
        if (data.event && !stream) onEvent(data.event);
    };
    channel.postMessage({ type: 'hello' });
    setInterval(() => {
        if (stream) channel.postMessage({ from: me });
        else if (Date.now() - heard > takeover) lead();
    }, beat / 4);
    addEventListener('pagehide', yieldTo);
    return {
        setLog: (level) => {
            log = level;
            if (stream) stream.setLog(level);
            else channel.postMessage({ log: level });
        },
        wake: () => stream?.wake(),
    };
}
