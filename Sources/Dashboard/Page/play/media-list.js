import { Artwork, hash, rest } from '../elements/artwork.js';
import { button, h, patchList, setText, show } from '../elements/dom.js';
import { api, store } from '../state/app.js';
import { nameOf } from '../state/devices.js';
import { dateAndTime, fileSize } from '../texts/format.js';
import { t } from '../texts/texts.js';
import { iconOf, keyOf } from './media-model.js';

/** @typedef {import('./media-model.js').MediaEntry} MediaEntry */

/** Rows that are shown at once: each may ask for a picture. */
const page = 60;

/** A list of what can be played: presets, recents, a folder, what a search found. It is absent while it has no entry. */
export class MediaList extends HTMLElement {
    /**
     * @param {string} title
     * @param {(entry: MediaEntry, action: 'play'|'enqueue', control: HTMLButtonElement) => void} act
     * @param {number} [limit] Entries that are shown before the rest is asked for.
     */
    constructor(title, act, limit = page) {
        super();
        this.act = act;
        this.limit = limit;
        this.headline = h('h2', null, title);
    }

    rows = h('ul', { class: 'rows' });
    more = button('down', t('load.showAll'), () => void this.showMore(), { text: true });
    /** @type {MediaEntry[]} */
    entries = [];
    /**
     * Where the rest begins.
     * @type {number|null}
     */
    next = null;
    query = '';
    /** Whether there is a queue to which an entry can be added. */
    adds = false;

    connectedCallback() {
        if (this.childElementCount > 0) return;
        this.classList.add('card', 'media-list');
        this.append(this.headline, this.rows, this.more);
        this.draw();
    }

    /**
     * Reads the first page.
     * @param {string} query As `path=films`, `list=presets` or `query=ferry`.
     * @throws {import('../state/api.js').ApiError}
     */
    async read(query) {
        this.query = query;
        const { data } = await api.get(`media?${query}`);
        if (query !== this.query) return;
        this.entries = data.entries;
        this.next = data.next;
        this.draw();
    }

    async showMore() {
        if (this.limit < this.entries.length) this.limit += page;
        else {
            const { query } = this;
            const { data } = await api.get(`media?${query}&offset=${this.next}`).catch(() => ({ data: null }));
            if (!data || query !== this.query) return;
            this.entries.push(...data.entries);
            this.next = data.next;
        }
        const last = this.rows.lastElementChild;
        this.draw();
        // The button may be gone; what it has shown comes next.
        /** @type {HTMLElement|null|undefined} */ (last?.nextElementSibling?.querySelector('.row'))?.focus();
    }

    /** @param {boolean} adds */
    follow(adds) {
        this.adds = adds;
        this.draw();
    }

    draw() {
        show(this, this.entries.length > 0);
        show(this.more, this.entries.length > this.limit || this.next !== null);
        patchList(this.rows, this.entries.slice(0, this.limit), keyOf, (entry) => this.row(entry), (row, entry) => {
            const [main, , add] = row.children;
            setText(/** @type {Element} */ (main.querySelector('.quiet')), lineOf(entry, this.query));
            if (add) show(/** @type {HTMLElement} */ (add), this.adds);
        });
    }

    /** @param {MediaEntry} entry */
    row(entry) {
        const isFolder = entry.kind === 'folder';
        const picture = new Artwork();
        picture.set(iconOf(entry), pictureOf(entry), rest);
        const words = h('span', { class: 'row-text' }, h('span', { dir: 'auto' }, entry.name), h('span', { class: 'quiet', dir: 'auto' }));
        const main = isFolder ? h('a', { class: 'row', href: `#/play/${encodeURIComponent(entry.path ?? '')}` }, picture, words)
            : h('button', { type: 'button', class: 'row', onclick: () => this.act(entry, 'play', /** @type {HTMLButtonElement} */ (main)) }, picture, words);
        /** @type {(name: string, label: string, action: 'play'|'enqueue') => HTMLButtonElement} */
        const control = (name, label, action) => {
            const made = button(name, `${label}: ${entry.name}`, () => this.act(entry, action, made));
            return made;
        };
        const playFolder = isFolder ? control('play', t('load.play'), 'play') : h('span');
        return h('li', { class: 'media-row' }, main, playFolder, entry.kind === 'file' || isFolder ? control('queue', t('load.enqueue'), 'enqueue') : null);
    }
}
customElements.define('media-list', MediaList);

/** @param {MediaEntry} entry @returns {string|null} The address of its picture, which may be missing. */
function pictureOf({ kind, name, path, image, size, at }) {
    const [by, value] = kind === 'preset' ? ['preset', image && name] : kind === 'recent' && image ? ['recent', at] : ['path', path];
    if (!value) return null;
    // What is known to change with the picture; a folder has nothing.
    const version = image ?? size;
    return `${api.base}media/picture?${by}=${encodeURIComponent(value)}${version === undefined ? '' : `&v=${hash(String(version))}`}`;
}

/**
 * What is known about an entry beside its name.
 * @param {MediaEntry} entry @param {string} query
 */
function lineOf({ kind, path, size, device, at }, query) {
    if (kind === 'recent') return [device && nameOf(store.state, device), dateAndTime(at)].filter(Boolean).join(' · ');
    const folder = query.startsWith('query=') && path ? path.split('/').slice(0, -1).join(' › ') : '';
    return [folder, size === undefined ? '' : fileSize(size)].filter(Boolean).join(' · ');
}
