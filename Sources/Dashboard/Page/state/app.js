import { Api } from './api.js';
import { castState } from './devices.js';
import { chosenRoom, followRoom, noRoom, patience, rememberedRoom } from './room.js';
import { Store } from './store.js';

/*
 * What all widgets share: the store, the API, the settings, and which device the page is about.
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
const remembered = memory.get('device');

/** The device that this page shows and acts on. Nothing else on the page decides that. */
export const choice = {
    /** @type {import('./room.js').Room} */
    room: fragmentDevice !== null ? chosenRoom(fragmentDevice) : remembered !== null ? rememberedRoom(remembered) : noRoom,
    /** Whether a choice is remembered; a panel for all devices shows what plays. */
    lasts: true,
    pending: false,
    timer: 0,

    get slug() {
        return this.room.slug;
    },

    /** Whether the mini controller shows the device: it plays, did until now, or went offline meanwhile. */
    get isActive() {
        return this.room.isActive;
    },

    /** @param {string|null} slug Null: nothing is chosen any more; what is shown stays. */
    choose(slug) {
        if (fragmentDevice !== null) return;
        if (this.lasts) memory.set('device', slug);
        const { room } = this;
        if (slug === null) this.take({ ...room, isChosen: false }, true);
        else if (!this.lasts) this.take({ slug, isChosen: false, isActive: true, endedAt: null }, true);
        else this.take({ ...chosenRoom(slug), isActive: slug === room.slug && room.isActive && room.endedAt === null }, true);
    },

    /** Shows what plays anywhere and remembers no choice, as a panel does. */
    showAll() {
        this.lasts = false;
        if (fragmentDevice === null) this.room = noRoom;
    },

    /** Follows the devices. */
    follow() {
        this.take(this.room);
    },

    /** @param {import('./room.js').Room} room @param {boolean} [always] Tells that a person chose, also the same device. */
    take(room, always = false) {
        const before = this.room;
        const next = followRoom(room, store.state, Date.now());
        this.room = fragmentDevice === null || next.slug === fragmentDevice ? next : chosenRoom(fragmentDevice);
        clearTimeout(this.timer);
        if (this.room.isActive && this.room.endedAt !== null) this.timer = window.setTimeout(() => this.follow(), patience);
        if (always || before.slug !== this.room.slug || before.isActive !== this.room.isActive) store.notify(new Set(['choice']));
    },

    /** @param {boolean} pending */
    setPending(pending) {
        this.pending = pending;
        store.notify(new Set(['choice']));
    },

    castState() {
        return castState(store.state, this.slug, this.pending);
    },
};
// Before every widget, so that all of them show the same device.
store.subscribe((changed) => {
    if (!(changed.size === 1 && changed.has('choice'))) choice.follow();
});
