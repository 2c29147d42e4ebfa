import { ApiError } from '../state/api.js';
import { api, choice, store } from '../state/app.js';
import { connection, isConnected, nameOf } from '../state/devices.js';
import { t, textOf } from '../texts/texts.js';
import { notify } from './notices.js';

/** @typedef {import('../state/types.js').Answer} Answer */

/**
 * Sends a command of a device and shows a failure. While it runs, the control that caused it is marked as busy.
 *
 * @param {string} slug
 * @param {string} command As `cmd/pause` or `set/volume`.
 * @param {any} [payload]
 * @param {Element|null} [control]
 * @returns {Promise<Answer|null>} Null when it failed.
 */
export async function send(slug, command, payload, control = null) {
    return run(`${encodeURIComponent(slug)}/${command}`, payload, control, nameOf(store.state, slug));
}

/**
 * Sends a request to the bridge, likewise.
 * @param {string} verb
 * @param {any} [payload]
 * @param {Element|null} [control]
 */
export async function request(verb, payload, control = null) {
    return run(`bridge/request/${verb}`, payload, control, null);
}

/** @param {string} topic @param {any} payload @param {Element|null} control @param {string|null} name @returns {Promise<Answer|null>} */
async function run(topic, payload, control, name) {
    const done = markPending(control);
    try {
        return await api.command(topic, payload);
    } catch (error) {
        notify(name === null ? wordsOf(error) : t('error.title', { what: name, why: wordsOf(error) }), { failure: true, detail: detailOf(error) });
        return null;
    } finally {
        done();
    }
}

/** A choice that is shown until the device reports it, at most 4 s: a document that is under way may have the former one. */
export class Wish {
    /** @type {any} */
    value = null;

    /** @param {() => void} redraw */
    constructor(redraw) {
        this.redraw = redraw;
    }

    /** @param {any} value @param {Promise<Answer|null>} answer */
    async make(value, answer) {
        this.value = value;
        if ((await answer) !== null) await new Promise((resolve) => setTimeout(resolve, 4_000));
        if (this.value !== value) return;
        this.value = null;
        this.redraw();
    }

    /** @param {any} reported */
    shown(reported) {
        if (this.value === reported) this.value = null;
        return this.value ?? reported;
    }
}

/**
 * Marks a control as waiting, after a moment so that quick answers don't flicker.
 * @param {Element|null} control
 */
export function markPending(control) {
    if (!control) return () => {};
    const timer = setTimeout(() => control.setAttribute('aria-busy', 'true'), 120);
    return () => {
        clearTimeout(timer);
        control.removeAttribute('aria-busy');
    };
}

/** @param {unknown} error */
export function wordsOf(error) {
    if (!(error instanceof ApiError)) return t('error.internal');
    return textOf('error', error.code) ?? (error.message || error.code);
}

/**
 * The bridge's own message and hint, beyond the words of the code.
 * @param {unknown} error
 */
export function detailOf(error) {
    if (!(error instanceof ApiError)) return null;
    const hint = error.answer?.hint;
    return [error.message, hint].filter(Boolean).join(' ') || null;
}

/**
 * Connects to a device: joins what runs there, or launches the receiver, and then shows it.
 * @param {string} slug
 * @param {Element|null} control
 */
export async function connectTo(slug, control = null) {
    const target = connection(store.state, slug);
    choice.choose(target.slug);
    if (target.command === null || !api.may('control')) return true;
    choice.setPending(true);
    try {
        const answer = await send(target.slug, target.command, undefined, control);
        if (answer !== null) await shownAsConnected(target.slug);
        return answer !== null;
    } finally {
        choice.setPending(false);
    }
}

/** How long the document with the connection may come after the answer. */
const documentLimit = 5_000;

/**
 * Returns once the documents show the connection that an answer reported: the answer comes first, and the Cast button would say
 * "not connected" in between.
 * @param {string} slug
 * @returns {Promise<void>}
 */
function shownAsConnected(slug) {
    return new Promise((resolve) => {
        const look = () => {
            if (!isConnected(store.state.devices.get(slug))) return;
            end();
        };
        const end = () => {
            clearTimeout(timer);
            unsubscribe();
            resolve();
        };
        const timer = setTimeout(end, documentLimit);
        const unsubscribe = store.subscribe(look);
        look();
    });
}
