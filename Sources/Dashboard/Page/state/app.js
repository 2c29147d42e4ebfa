import { Api } from './api.js';
import { castState, controlledDevice } from './devices.js';
import { Store } from './store.js';

/*
 * What all widgets share: the store, the API, the settings, and which device was chosen.
 */

/** @typedef {import('./types.js').PageSettings} PageSettings */

/** A wall panel gives its token, and the link that the bridge prints its setup code, in the fragment, which is never sent to the server by itself. */
const fragment = new URLSearchParams(location.hash.slice(1));

export const base = new URL('api/v1/', document.baseURI).href;
export const token = fragment.get('token');
export const setupCode = fragment.get('code');
export const store = new Store();
export const api = new Api(base, token);

/** @type {PageSettings} */
export const settings = {
    title: 'Cast',
    language: 'auto',
    introduction: { enabled: true, text: null, title: null, title_position: 'above', dismiss: null },
    mini_slots: ['none', 'play_pause', 'none'],
    expanded_slots: ['closed_captions', 'rewind_30', 'forward_30', 'mute'],
    custom_buttons: {},
    opens_expanded: true,
    theme: {},
};

/** @type {import('./connection.js').Connection|null} */
let connection = null;

/** @type {string|null} */
let logLevel = null;

/** The level of the log that a view wants; null: none. */
export function wantedLog() {
    return logLevel;
}

/** @param {import('./connection.js').Connection} value */
export function setConnection(value) {
    connection = value;
}

/**
 * Asks for the lines of the log from a level on, now or as soon as there is a connection; null: for none.
 * @param {string|null} level
 */
export function wantLog(level) {
    logLevel = level;
    connection?.setLog(level);
}

/** What this browser remembers; without storage only until the page is closed. */
export const memory = {
    /** @type {Map<string, string>} */
    own: new Map(),
    /** @param {string} key */
    get(key) {
        try {
            return localStorage.getItem(key);
        } catch {
            return this.own.get(key) ?? null;
        }
    },
    /** @param {string} key @param {string|null} value */
    set(key, value) {
        try {
            if (value === null) localStorage.removeItem(key);
            else localStorage.setItem(key, value);
        } catch {
            if (value === null) this.own.delete(key);
            else this.own.set(key, value);
        }
    },
};

/** A wall panel may name its device in the fragment, and keeps it. */
const fragmentDevice = fragment.get('device');

/** Which device this page acts on. */
export const choice = {
    slug: fragmentDevice ?? memory.get('device'),
    pending: false,

    /** @param {string|null} slug */
    choose(slug) {
        if (fragmentDevice !== null) return;
        this.slug = slug;
        memory.set('device', slug);
        store.notify(new Set(['choice']));
    },

    /** @param {boolean} pending */
    setPending(pending) {
        this.pending = pending;
        store.notify(new Set(['choice']));
    },

    /** The device of mini and expanded controller. */
    controlled() {
        return controlledDevice(store.state, this.slug, fragmentDevice !== null);
    },

    castState() {
        // A page that chose nothing follows a connection that the bridge has.
        const slug = this.slug ?? controlledDevice(store.state, null);
        return castState(store.state, slug, this.pending);
    },
};
