import { api, store, token } from '../state/app.js';
import { h } from './dom.js';
import { icon } from './icons.js';

/** Icons of the kinds of media, where there is no picture. */
const kinds = /** @type {Record<string, string>} */ ({
    music: 'music', movie: 'movie', tv_show: 'tv', photo: 'photo', audiobook_chapter: 'book',
});
/** The same for the first part of a content type, where an application does not say the kind. */
const types = /** @type {Record<string, string>} */ ({ audio: 'music', video: 'movie', image: 'photo' });

/** Addresses of pictures that there are none of: they are not asked for again. */
const missing = new Set();

/** A row that scrolls by sooner asks for no picture, in milliseconds. */
export const rest = 150;

/** The picture of what a device plays. It is decoration: the title stands beside it. */
export class Artwork extends HTMLElement {
    /** @type {string} */
    shownKey = '';
    image = h('img', { alt: '', decoding: 'async', hidden: true, draggable: false });

    connectedCallback() {
        if (this.childElementCount > 0) return;
        this.image.addEventListener('load', () => {
            this.image.style.setProperty('--ratio', String(this.image.naturalWidth / this.image.naturalHeight || 1));
            this.found(true);
        });
        this.image.addEventListener('error', () => {
            missing.add(this.address);
            this.found(false);
        });
        this.append(h('span', { class: 'artwork-icon' }), this.image);
    }

    /**
     * Shows the picture of a device. The former one goes at once, so that it never stands beside another title.
     * @param {string} slug
     * @param {number} width In CSS pixels.
     * @param {string} fallback Icon where nothing plays.
     */
    show(slug, width, fallback) {
        const state = store.state.devices.get(slug)?.state;
        const app = store.state.devices.get(slug)?.app;
        const picture = state?.ad.poster ?? state?.media.image ?? (state && state.media.kind === null ? app?.icon : null) ?? null;
        const { kind, content_type: type } = state?.media ?? {};
        const name = kind ? kinds[kind] ?? types[type?.split('/')[0] ?? ''] ?? 'movie' : fallback;
        const pixels = Math.ceil((width * Math.min(devicePixelRatio, 3)) / 64) * 64;
        this.set(name, picture === null ? null : api.artwork(slug, { width: pixels, version: hash(picture) }));
    }

    /**
     * Shows the picture of an item of the queue.
     * @param {string} slug
     * @param {import('../state/types.js').QueueItem} item
     * @param {number} width
     */
    showItem(slug, item, width) {
        const pixels = Math.ceil((width * Math.min(devicePixelRatio, 3)) / 64) * 64;
        this.set('music', item.image === null ? null : api.artwork(slug, { width: pixels, item: item.item, version: hash(item.image) }), rest);
    }

    /** @param {string} name @param {string|null} address @param {number} [delay] Before the picture is asked for, in milliseconds. */
    set(name, address, delay = 0) {
        const key = `${name} ${address}`;
        if (key === this.shownKey) return;
        this.shownKey = key;
        this.connectedCallback();
        this.firstElementChild?.replaceChildren(icon(name));
        this.found(false);
        clearTimeout(this.timer);
        this.image.removeAttribute('src');
        if (address === null || missing.has(address)) return;
        this.address = address;
        if (delay === 0) void this.ask(address, key);
        else this.timer = window.setTimeout(() => this.isConnected && this.ask(address, key), delay);
    }

    timer = 0;
    /** Of the picture that was asked for last. */
    address = '';

    /** @param {boolean} isFound Whether the picture is shown, and not the icon. */
    found(isFound) {
        this.image.hidden = !isFound;
        this.toggleAttribute('data-picture', isFound);
    }

    /**
     * Fetches the picture: an image element sends no token, and does not tell "none" from "too many at once".
     * @param {string} address @param {string} key
     */
    async ask(address, key) {
        try {
            const response = await fetch(address, token === null ? {} : { headers: { Authorization: `Bearer ${token}` } });
            if (response.status === 404) missing.add(address);
            if (response.status === 429 && this.shownKey === key) {
                // Many were refused at once: each comes back at a time of its own.
                const seconds = Number(response.headers.get('Retry-After') ?? 2) + 2 * Math.random();
                this.timer = window.setTimeout(() => this.isConnected && this.ask(address, key), seconds * 1000);
            }
            if (!response.ok) return;
            const picture = URL.createObjectURL(await response.blob());
            if (this.shownKey === key) this.image.src = picture;
            await this.image.decode().catch(() => {});
            URL.revokeObjectURL(picture);
        } catch {
            // Without a picture the icon stays.
        }
    }
}
customElements.define('cast-artwork', Artwork);

/**
 * A short name of a text, the same for the same text.
 * @param {string} text
 */
export function hash(text) {
    let value = 0;
    for (let index = 0; index < text.length; index += 1) value = (Math.imul(value, 31) + text.charCodeAt(index)) | 0;
    return (value >>> 0).toString(36);
}
