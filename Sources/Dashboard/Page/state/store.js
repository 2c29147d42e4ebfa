import { ClockEstimate } from './position.js';

/**
 * @typedef {import('./types.js').StreamEvent} StreamEvent
 * @typedef {import('./types.js').DeviceDocuments} DeviceDocuments
 * @typedef {import('./types.js').BridgeDocuments} BridgeDocuments
 * @typedef {{bridge: BridgeDocuments, devices: Map<string, DeviceDocuments>, link: import('./types.js').Link, id: string|null}} PageState
 */

/** @returns {PageState} */
export function emptyState() {
    return { bridge: {}, devices: new Map(), link: 'connecting', id: null };
}

/**
 * Returns the state after an event, and what changed: slugs of devices, `bridge/<document>` and `link`. The former state stays as it was;
 * parts that did not change are shared.
 *
 * @param {PageState} state
 * @param {StreamEvent} event
 * @returns {{state: PageState, changed: Set<string>}}
 */
export function reduce(state, event) {
    switch (event.type) {
        case 'snapshot':
            return snapshot(state, event.id, event.documents);
        case 'changes':
            return changes(state, event.id, event.documents);
        case 'link':
            if (state.link === event.link) return { state, changed: new Set() };
            return { state: { ...state, link: event.link }, changed: new Set(['link']) };
        default:
            return { state, changed: new Set() };
    }
}

/** @param {PageState} state @param {string} id @param {Record<string, any>} documents */
function snapshot(state, id, documents) {
    const changed = new Set([...state.devices.keys(), ...Object.keys(state.bridge).map((name) => `bridge/${name}`)]);
    const next = changes({ ...emptyState(), link: state.link }, id, documents);
    for (const name of changed) next.changed.add(name);
    return next;
}

/** @param {PageState} state @param {string} id @param {Record<string, any>} documents */
function changes(state, id, documents) {
    const devices = new Map(state.devices);
    let bridge = state.bridge;
    /** @type {Set<string>} */
    const changed = new Set();
    for (const [topic, value] of Object.entries(documents)) {
        const slash = topic.indexOf('/');
        const owner = topic.slice(0, slash);
        const name = topic.slice(slash + 1);
        if (owner === 'bridge') {
            bridge = withMember(bridge, name, value);
            changed.add(topic);
            continue;
        }
        const device = withMember(devices.get(owner) ?? {}, name, value);
        if (Object.keys(device).length === 0) devices.delete(owner);
        else devices.set(owner, device);
        changed.add(owner);
    }
    return { state: { ...state, id, bridge, devices }, changed };
}

/**
 * @template {Record<string, any>} T
 * @param {T} object @param {string} name @param {any} value
 * @returns {T}
 */
function withMember(object, name, value) {
    /** @type {Record<string, any>} */
    const copy = { ...object };
    if (value === null) delete copy[name];
    else copy[name] = value;
    return /** @type {T} */ (copy);
}

/**
 * The part of an id that changes when the bridge starts again.
 * @param {string} id
 */
export function bootOf(id) {
    return id.slice(0, Math.max(0, id.lastIndexOf('-')));
}

/** Holds the state of the page and notifies its subscribers of changes. */
export class Store {
    constructor() {
        this.state = emptyState();
        this.clock = new ClockEstimate();
        /** Whether changes are as new as they come. */
        this.fresh = false;
        /** @type {Set<(changed: Set<string>) => void>} */
        this.subscribers = new Set();
        /** @type {Set<(event: StreamEvent) => void>} */
        this.listeners = new Set();
    }

    /** @param {StreamEvent} event */
    handle(event) {
        // The time of a live change shows the clock of the bridge; documents of a snapshot may be old, and so may the first changes
        // after the stream was opened.
        if (event.type === 'link' && event.link !== 'polling') this.fresh = false;
        if (event.type === 'changes' && !this.fresh) this.fresh = true;
        else if (event.type === 'changes') {
            for (const document of Object.values(event.documents)) {
                if (typeof document?.ts === 'string') this.clock.add(Date.parse(document.ts), Date.now());
            }
        }
        const { state, changed } = reduce(this.state, event);
        this.state = state;
        if (changed.size > 0) this.notify(changed);
        for (const listener of this.listeners) listener(event);
    }

    /** @param {Set<string>} changed */
    notify(changed) {
        for (const subscriber of [...this.subscribers]) subscriber(changed);
    }

    /**
     * Calls a function after each change until the returned function is called.
     * @param {(changed: Set<string>) => void} subscriber
     */
    subscribe(subscriber) {
        this.subscribers.add(subscriber);
        return () => void this.subscribers.delete(subscriber);
    }

    /**
     * Calls a function with every event of the stream, also with those that change no state.
     * @param {(event: StreamEvent) => void} listener
     */
    listen(listener) {
        this.listeners.add(listener);
        return () => void this.listeners.delete(listener);
    }

    /** The time of the bridge now, in milliseconds since 1970. */
    now() {
        return this.clock.remote(Date.now());
    }
}
