import { emptyState, reduce } from './store.js';
import { levels, Stream } from './stream.js';

/*
 * A shared worker: one stream for all pages of this browser, because a browser opens at most six connections to a host over HTTP/1.1.
 * Each message of a page has all that the worker needs to know of it, so that a forgotten page is as good as new.
 */

/** Time between two looks at the pages, in milliseconds. */
const round = 10_000;
/** Pages ping every 10 s, hidden ones as rarely as once a minute; one that is silent for longer than this counts as closed. */
const portLimit = 150_000;

/** @type {Map<MessagePort, {seen: number, log: string|null}>} */
const pages = new Map();
/** @type {Stream|null} */
let stream = null;
let state = emptyState();
let looked = Date.now();

/** @param {import('./types.js').StreamEvent} event */
function distribute(event) {
    state = reduce(state, event).state;
    for (const [port, page] of pages) {
        if ((event.type !== 'log' && event.type !== 'missed') || page.log !== null) port.postMessage(event);
    }
}

/** @returns {Record<string, any>} */
function documents() {
    /** @type {Record<string, any>} */
    const all = {};
    for (const [name, value] of Object.entries(state.bridge)) all[`bridge/${name}`] = value;
    for (const [slug, device] of state.devices) for (const [name, value] of Object.entries(device)) all[`${slug}/${name}`] = value;
    return all;
}

function chooseLog() {
    const wanted = [...pages.values()].flatMap((page) => (page.log === null ? [] : [levels.indexOf(page.log)]));
    stream?.setLog(wanted.length === 0 ? null : levels[Math.max(0, Math.min(...wanted))]);
}

setInterval(() => {
    const now = Date.now();
    const stood = now - looked - round;
    looked = now;
    for (const [port, page] of pages) {
        // While the worker itself did not run, as in a sleeping machine, no page could ping.
        if (stood > round) page.seen += stood;
        if (now - page.seen > portLimit) pages.delete(port);
    }
    chooseLog();
    if (pages.size === 0 && stream) {
        stream.close();
        stream = null;
        state = emptyState();
    }
}, round);

/** @param {MessagePort} port @param {{type: string, api: string, log: string|null}} message */
function take(port, message) {
    if (message.type === 'bye') {
        pages.delete(port);
        chooseLog();
        return;
    }
    const isNew = message.type === 'hello' || !pages.has(port);
    pages.set(port, { seen: Date.now(), log: message.log });
    if (isNew) welcome(port, message.api);
    else if (message.type === 'wake' || message.type === 'online') stream?.wake(message.type === 'online');
    chooseLog();
    port.postMessage({ type: 'pong' });
}

/** @param {MessagePort} port @param {string} api */
function welcome(port, api) {
    if (!stream) {
        stream = new Stream(api, distribute);
        chooseLog();
        void stream.run();
    } else if (state.link === 'login') {
        // A user may just have signed in.
        distribute({ type: 'link', link: 'connecting' });
        stream.wake();
    } else {
        stream.wake();
    }
    port.postMessage({ type: 'link', link: state.link });
    if (state.id !== null) port.postMessage({ type: 'snapshot', id: state.id, documents: documents() });
}

/** @type {any} */ (globalThis).onconnect = (/** @type {MessageEvent} */ event) => {
    const port = event.ports[0];
    port.onmessage = (message) => take(port, message.data);
};
