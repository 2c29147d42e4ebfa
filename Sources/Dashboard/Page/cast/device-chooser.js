import { h, patchList, setAttribute, setText, show } from '../elements/dom.js';
import { icon } from '../elements/icons.js';
import { choice, store } from '../state/app.js';
import { describe, follows, hasApplication, hasMedia, isOnline, listedDevices } from '../state/devices.js';
import { t, textOf } from '../texts/texts.js';
import { fitsSearch } from './search-model.js';

/** @typedef {import('../state/types.js').ListedDevice} ListedDevice */

/** From so many devices on a list has a search. */
export const searchFrom = 7;

/** The devices that are on, to choose one: what plays there, and a search where they are many. */
export class DeviceChooser extends HTMLElement {
    search = h('input', { type: 'search', 'aria-label': t('device.filter'), placeholder: t('device.filter'), oninput: () => this.update() });
    list = h('ul', { class: 'rows' });
    none = h('p', { class: 'quiet' }, t('device.noneMatch'));

    /**
     * @param {(slug: string, control: Element) => void} choose
     * @param {(device: ListedDevice) => boolean} [fits]
     * @param {(slug: string) => string|null} [textFor] A text in place of what plays there.
     */
    constructor(choose, fits = () => true, textFor = () => null) {
        super();
        this.choose = choose;
        this.fits = fits;
        this.textFor = textFor;
    }

    connectedCallback() {
        if (this.childElementCount === 0) this.append(this.search, this.list, this.none);
    }

    /** @returns {number} How many devices there are to choose from. */
    update() {
        const all = listedDevices(store.state).filter((device) => isOnline(store.state.devices.get(device.slug)) && this.fits(device));
        const found = all.filter((device) => isFound(device, this.search.value));
        show(this.search, all.length >= searchFrom);
        show(this.none, all.length > 0 && found.length === 0);
        patchList(this.list, found, (device) => device.slug, (device) => this.row(device), (row, device) => {
            const [name, line] = row.querySelectorAll('span span');
            setText(name, device.name);
            setText(line, this.textFor(device.slug) ?? occupation(device));
            setAttribute(/** @type {Element} */ (row.firstElementChild), 'aria-current', device.slug === choice.slug ? 'true' : null);
        });
        return all.length;
    }

    /** @param {ListedDevice} device */
    row(device) {
        const control = h('button', { type: 'button', class: 'row', onclick: () => this.choose(device.slug, control) },
            icon(iconOf(device.type)), h('span', { class: 'row-text' }, h('span', null, device.name), h('span', { class: 'quiet' })));
        return h('li', null, control);
    }
}
customElements.define('device-chooser', DeviceChooser);

/** @param {ListedDevice} device @param {string} typed */
export function isFound(device, typed) {
    return fitsSearch(typed, [device.name, device.model, device.slug, store.state.devices.get(device.slug)?.info?.area, ...device.aliases ?? []]);
}

/**
 * What a device does, and its kind.
 * @param {ListedDevice} device
 */
function occupation(device) {
    const documents = store.state.devices.get(device.slug);
    const state = documents?.state;
    const parts = hasApplication(documents)
        ? [t('cast.casting', { app: state?.app.name ?? '' }), hasMedia(state) ? describe(state, documents?.media).title : '']
        : follows(state) ? [textOf('player', state?.player), state?.group.name] : [];
    return [...parts, textOf('device', device.type)].filter(Boolean).join(' · ');
}

/**
 * What a device's player does. A speaker without an application is not off: it waits.
 * @param {string} type
 * @param {import('../state/types.js').StateDocument|undefined} state
 */
export function playerText(type, state) {
    return state?.player === 'off' && type !== 'cast' ? t('player.ready') : textOf('player', state?.player);
}

/**
 * The icon of a kind of device.
 * @param {string} type
 */
export function iconOf(type) {
    return { cast: 'tv', audio: 'speaker', group: 'group', stereo_pair: 'stereo_pair' }[type] ?? 'cast';
}
