import { Artwork } from '../elements/artwork.js';
import { connectTo } from '../elements/commands.js';
import { PlayPauseButton } from '../elements/control-button.js';
import { open } from '../elements/dialog.js';
import { button, h, patchList, setAttribute, setIcon, setLabel, setText, show } from '../elements/dom.js';
import { icon } from '../elements/icons.js';
import { everySecond, Widget } from '../elements/widget.js';
import { api, choice, memory, store } from '../state/app.js';
import { describe, follows, hasMedia, isConnected, isOnline, listedDevices } from '../state/devices.js';
import { fraction, positionAt, seekableRange } from '../state/position.js';
import { t, textOf } from '../texts/texts.js';
import { CastDialog, iconOf } from './cast-dialog.js';
import { NothingFound } from './nothing-found.js';
import { volumeControl } from './volume-control.js';

/** @typedef {import('../state/types.js').ListedDevice} ListedDevice */

/** From so many devices on the list has a filter. */
const filterFrom = 7;

/** All devices as cards, sorted by name: what they play, their volume. */
export class DeviceList extends Widget {
    headline = h('h1', { tabIndex: -1 }, t('nav.devices'));
    filter = h('input', { type: 'search', 'aria-label': t('device.filter'), placeholder: t('device.filter'), oninput: () => this.arrange() });
    playing = h('input', { type: 'checkbox', checked: memory.get('onlyPlaying') === 'yes', onchange: () => {
        memory.set('onlyPlaying', this.playing.checked ? 'yes' : null);
        this.arrange();
    } });
    tools = h('div', { class: 'toolbar' }, this.filter, h('label', { class: 'choice compact' }, this.playing, h('span', null, t('device.onlyPlaying'))));
    list = h('ul', { class: 'cards' });
    nothing = new NothingFound();
    none = h('p', { class: 'quiet' }, t('device.noneMatch'));
    stopTicking = () => {};

    build() {
        this.append(this.headline, this.tools, this.list, this.none, this.nothing);
    }

    shown() {
        this.stopTicking = everySecond(() => {
            for (const card of this.list.children) if (card instanceof DeviceCard) card.tick();
        });
    }

    gone() {
        this.stopTicking();
    }

    /** @param {Set<string>|null} changed */
    update(changed) {
        if (!changed || changed.has('bridge/devices') || changed.has('choice') || changed.has('session')) return this.arrange();
        let rearrange = this.playing.checked;
        for (const slug of changed) {
            const card = this.cards.get(slug);
            if (card) card.refresh();
            else rearrange ||= store.state.devices.get(slug)?.availability !== undefined && !changed.has('link');
        }
        if (rearrange && this.playing.checked) this.arrange();
    }

    /** @type {Map<string, DeviceCard>} */
    cards = new Map();

    arrange() {
        const all = listedDevices(store.state);
        const words = this.filter.value.trim().toLowerCase();
        const fits = (/** @type {ListedDevice} */ device) =>
            (words === '' || `${device.name} ${device.model ?? ''} ${device.slug}`.toLowerCase().includes(words)) &&
            (!this.playing.checked || hasMedia(store.state.devices.get(device.slug)?.state));
        const devices = all.filter(fits);
        const searching = store.state.link === 'connecting' && store.state.id === null;
        show(this.nothing, all.length === 0 && !searching);
        show(this.tools, all.length >= filterFrom || this.playing.checked);
        show(this.none, all.length > 0 && devices.length === 0);
        patchList(this.list, devices, ({ slug }) => slug, ({ slug }) => {
            const card = new DeviceCard(slug);
            this.cards.set(slug, card);
            return card;
        }, (card, device) => card.show(device));
        for (const [slug, card] of this.cards) if (!card.isConnected) this.cards.delete(slug);
    }
}
customElements.define('device-list', DeviceList);

/** A device: name, what it plays, play/pause, volume. */
class DeviceCard extends HTMLElement {
    /** @param {string} slug */
    constructor(slug) {
        super();
        this.slug = slug;
        /** @type {ListedDevice|null} */
        this.device = null;
        this.volume = volumeControl(slug);
    }

    kind = h('span', { class: 'card-icon' });
    name = h('h2');
    state = h('span', { class: 'quiet' });
    cast = button('cast', '', () => this.castTo(), { class: 'icon-button card-cast' });
    details = h('a', { class: 'card-link' }, this.name);
    artwork = new Artwork();
    headline = h('strong');
    line = h('span', { class: 'quiet' });
    open = h('button', { type: 'button', class: 'now', onclick: () => this.expand() }, this.artwork, h('span', { class: 'row-text' }, this.headline, this.line));
    play = new PlayPauseButton();
    now = h('div', { class: 'now-row' }, this.open, this.play);
    progress = h('div', { class: 'card-progress', 'aria-hidden': 'true' });

    connectedCallback() {
        if (this.childElementCount > 0) return;
        this.setAttribute('role', 'listitem');
        this.classList.add('card', 'device-card');
        this.details.href = `#/device/${encodeURIComponent(this.slug)}`;
        this.append(
            h('div', { class: 'card-head' }, this.kind, h('div', { class: 'row-text' }, this.details, this.state), this.cast),
            this.now, this.progress, this.volume);
        this.play.set(this.slug);
    }

    /** @param {ListedDevice} device */
    show(device) {
        if (this.device?.type !== device.type) this.kind.replaceChildren(icon(iconOf(device.type)));
        this.device = device;
        this.refresh();
    }

    refresh() {
        const device = this.device;
        if (!device) return;
        const documents = store.state.devices.get(this.slug);
        const state = documents?.state;
        const online = isOnline(documents);
        const playing = online && hasMedia(state);
        const connected = isConnected(documents);
        setText(this.name, device.name);
        setText(this.state, online
            ? [textOf('player', state?.player), follows(state) ? state?.group.name : state?.app.source].filter(Boolean).join(' · ')
            : t('device.offline'));
        this.toggleAttribute('data-offline', !online);
        this.toggleAttribute('data-playing', playing);
        this.toggleAttribute('data-chosen', choice.slug === this.slug);
        setAttribute(this.cast, 'data-state', connected ? 'connected' : 'idle');
        setIcon(this.cast, connected ? 'cast-connected' : 'cast');
        setLabel(this.cast, connected ? t('cast.connected', { device: device.name }) : `${t('cast.to')}: ${device.name}`);
        show(this.cast, online && api.may('control'));
        show(this.now, playing);
        show(this.volume, online && state?.volume.percent != null);
        if (playing && state) {
            const { title, lines } = describe(state, documents?.media);
            setText(this.headline, state.ad.playing ? t('now.ad') : title);
            setText(this.line, lines.join(' · '));
            setAttribute(this.open, 'aria-label', `${t('device.show', { device: device.name })}: ${title}`);
            this.artwork.show(this.slug, 56, iconOf(device.type));
        }
        this.tick();
    }

    tick() {
        const documents = store.state.devices.get(this.slug);
        const state = documents?.state;
        const now = store.now();
        const range = state && hasMedia(state) && isOnline(documents) ? seekableRange(state, documents?.media, now) : null;
        show(this.progress, range !== null);
        if (state && range) this.progress.style.setProperty('--progress', fraction(positionAt(state, now), range).toFixed(3));
    }

    /** The button of a connected device opens its dialog, as the one in the bar does. */
    castTo() {
        if (!isConnected(store.state.devices.get(this.slug))) return void connectTo(this.slug, this.cast);
        choice.choose(this.slug);
        open(new CastDialog());
    }

    expand() {
        choice.choose(this.slug);
        document.dispatchEvent(new CustomEvent('expand', { detail: this.slug }));
    }
}
customElements.define('device-card', DeviceCard);
