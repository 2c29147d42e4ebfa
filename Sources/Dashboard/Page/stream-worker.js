import { emptyState, reduce } from './store.js';
import { Stream } from './stream.js';

/*
 * A shared worker: one stream for all pages of this browser, because a browser opens at most six connections to a host over HTTP/1.1.
 * A page that comes later gets a snapshot from here.
 */

/** Pages ping every 10 s; one that is silent for longer is gone. */
const portLimit = 35_000;

/** @type {Map<MessagePort, {seen: number, log: string|null}>} */
const pages = new Map();
/** @type {Stream|null} */
let stream = null;
let state = emptyState();

/** @param {import('./types.js').StreamEvent} event */
function distribute(event) {
    state = reduce(state, event).state;
    for (const [port, page] of pages) {
        if (event.type !== 'log' || page.log !== null) port.postMessage(event);
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
    const levels = ['trace', 'debug', 'info', 'notice', 'warning', 'error', 'critical'];
    const wanted = [...pages.values()].flatMap((page) => (page.log === null ? [] : [levels.indexOf(page.log)]));
    stream?.setLog(wanted.length === 0 ? null : levels[Math.max(0, Math.min(...wanted))]);
}

setInterval(() => {
    const now = Date.now();
    for (const [port, page] of pages) if (now - page.seen > portLimit) pages.delete(port);
    chooseLog();
    if (pages.size === 0 && stream) {
        stream.close();
        stream = null;
        state = emptyState();
    }
}, 10_000);

/** @param {MessagePort} port @param {any} message */
function take(port, message) {
    const page = pages.get(port) ?? { seen: 0, log: null };
    pages.set(port, page);
    page.seen = Date.now();
    switch (message.type) {
        case 'hello':
            // Somebody may just have signed in.
            if (state.link === 'login') state = { ...state, link: 'connecting' };
            if (stream) stream.wake();
            else {
                stream = new Stream(message.api, distribute);
                void stream.run();
            }
            port.postMessage({ type: 'link', link: state.link });
            if (state.id !== null) port.postMessage({ type: 'snapshot', id: state.id, documents: documents() });
            break;
        case 'log':
            page.log = message.level;
            chooseLog();
            break;
        case 'wake':
            stream?.wake();
            break;
        case 'bye':
            pages.delete(port);
            chooseLog();
            break;
    }
}

/** @type {any} */ (globalThis).onconnect = (/** @type {MessageEvent} */ event) => {
    const port = event.ports[0];
    port.onmessage = (message) => take(port, message.data);
};
