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
import { t } from '../texts/texts.js';
import { CastDialog } from './cast-dialog.js';
import { iconOf, isFound, playerText, searchFrom } from './device-chooser.js';
import { MemberVolumes } from './member-volumes.js';
import { NothingFound } from './nothing-found.js';
import { inRooms } from './rooms-model.js';
import { volumeControl } from './volume-control.js';

/** @typedef {import('../state/types.js').ListedDevice} ListedDevice */

/** Cards change their places only when nobody has touched the list for so long, in milliseconds: a finger is on its way to one of them. */
const rest = 4_000;
/** New cards that are made in a frame, at least: a slow phone takes 5 ms for each, and answers no touch meanwhile. */
const slice = 8;
/** More are made where they take less of a frame, in milliseconds. */
const sliceTime = 12;
/** How long all devices may be off before the page says why, in milliseconds: a bridge that starts connects to them first. */
const offPatience = 5_000;

/** All devices: cards of what plays, then the others as rows, by rooms. The list is one stop of the key Tab; arrows go through it. */
export class DeviceList extends Widget {
    headline = h('h1', { tabIndex: -1 }, t('nav.devices'));
    filter = h('input', { type: 'search', 'aria-label': t('device.filter'), placeholder: t('device.filter'), oninput: () => this.arrange() });
    playing = h('input', { type: 'checkbox', checked: memory.get('onlyPlaying') === 'yes', onchange: () => {
        memory.set('onlyPlaying', this.playing.checked ? 'yes' : null);
        this.arrange();
    } });
    tools = h('div', { class: 'toolbar' }, this.filter, h('label', { class: 'choice compact' }, this.playing, h('span', null, t('device.onlyPlaying'))));
    list = h('ul', { class: 'cards', 'aria-describedby': 'device-keys' });
    keys = h('p', { class: 'visually-hidden', id: 'device-keys' }, t('device.keys'));
    nothing = new NothingFound();
    none = h('p', { class: 'quiet' }, t('device.noneMatch'));
    stopTicking = () => {};

    build() {
        this.append(this.headline, this.tools, this.nothing, this.list, this.none, this.keys);
        this.list.addEventListener('focusin', (event) => this.reach(/** @type {Element} */ (event.target).closest('device-card')));
        this.list.addEventListener('keydown', (event) => this.key(event));
        for (const type of ['pointerdown', 'pointermove', 'wheel']) this.addEventListener(type, () => (this.touchedAt = Date.now()), { passive: true });
    }

    shown() {
        this.stopTicking = everySecond(() => {
            for (const card of this.list.children) if (card instanceof DeviceCard) card.tick();
            // Not with each change: a hundred devices may begin to play at once.
            if (this.isDisordered || (this.offSince === null) === this.isAllOff() || (this.offSince !== null && this.nothing.hidden)) this.arrange();
        });
    }

    gone() {
        this.stopTicking();
        cancelAnimationFrame(this.later);
        this.later = 0;
    }

    /** The next frame, while cards are missing. */
    later = 0;

    /** @param {Set<string>|null} changed */
    update(changed) {
        if (!changed || changed.has('bridge/devices') || changed.has('session')) return this.arrange();
        if (changed.has('choice')) {
            for (const card of this.cards.values()) if (card.hasAttribute('data-chosen') !== (card.slug === choice.slug)) card.refresh();
        }
        let rearrange = this.playing.checked && !changed.has('link');
        for (const slug of changed) {
            const card = this.cards.get(slug);
            this.isDisordered ||= this.first.has(slug) !== playsAlone(slug);
            if (card) card.refresh();
            rearrange ||= this.rooms.get(slug) !== roomOf({ slug }) || this.inside.has(slug) !== isInside(slug);
        }
        if (rearrange) this.arrange();
    }

    /** @type {Map<string, DeviceCard>} */
    cards = new Map();
    /**
     * The room of each device.
     * @type {Map<string, string|null|undefined>}
     */
    rooms = new Map();
    /**
     * Members that are shown in the card of their group.
     * @type {Set<string>}
     */
    inside = new Set();
    /**
     * The card that the key Tab reaches.
     * @type {DeviceCard|null}
     */
    reached = null;

    /** When a person last touched the list. */
    touchedAt = 0;
    /**
     * The devices that stand first, because they play.
     * @type {Set<string>}
     */
    first = new Set();
    /** Whether others play than those that stand first. */
    isDisordered = false;
    /**
     * Since when every known device is off.
     * @type {number|null}
     */
    offSince = null;

    isAllOff() {
        const all = listedDevices(store.state);
        return all.length > 0 && !all.some(({ slug }) => isOnline(store.state.devices.get(slug)));
    }

    /**
     * What the list shows once all cards are made: titles and devices.
     * @type {{title: string|null, device: ListedDevice|null}[]}
     */
    rows = [];
    slice = slice;

    arrange() {
        const all = listedDevices(store.state);
        const playing = new Set(all.filter(({ slug }) => playsAlone(slug)).map(({ slug }) => slug));
        this.isDisordered = [...playing].some((slug) => !this.first.has(slug)) || playing.size !== this.first.size;
        if (this.isDisordered && Date.now() - this.touchedAt > rest) {
            this.first = playing;
            this.isDisordered = false;
        }
        this.offSince = this.isAllOff() ? this.offSince ?? Date.now() : null;
        const isOff = this.offSince !== null && Date.now() - this.offSince >= offPatience;
        const fits = (/** @type {ListedDevice} */ device) =>
            isFound(device, this.filter.value) && (!this.playing.checked || hasMedia(store.state.devices.get(device.slug)?.state));
        this.inside = new Set(all.filter(({ slug }) => isInside(slug)).map(({ slug }) => slug));
        this.rooms = new Map(all.map((device) => [device.slug, roomOf(device)]));
        // Who searches for a member finds it.
        const found = all.filter((device) => fits(device) && (this.filter.value !== '' || !this.inside.has(device.slug)));
        const parts = inRooms(found, this.first, roomOf, { rest: t('device.others'), compare: (one, other) => one.localeCompare(other, undefined, { numeric: true }) });
        this.rows = parts.flatMap(({ title, devices }) => [...(title === null ? [] : [{ title, device: null }]), ...devices.map((device) => ({ title: null, device }))]);
        const searching = store.state.link === 'connecting' && store.state.id === null;
        show(this.nothing, isOff || (all.length === 0 && !searching));
        show(this.tools, all.length >= searchFrom || this.playing.checked);
        show(this.none, all.length > 0 && found.length === 0);
        this.fill(0);
        for (const card of this.cards.values()) card.setReach(card === this.reached);
    }

    /**
     * Shows the rows whose cards are made; the others follow, some in each frame.
     * @param {number} most New cards that may be made now. With them, the others are left as they are: a thousand take longer than a frame.
     */
    fill(most) {
        let made = 0;
        const shown = this.rows.filter(({ device }) => (device ? this.cards.has(device.slug) || (made += 1) <= most : made <= most));
        if (made > most && this.later === 0) {
            this.later = requestAnimationFrame((began) => {
                this.later = 0;
                this.fill(this.slice);
                this.slice = Math.max(slice, this.slice + (performance.now() - began < sliceTime ? 4 : -4));
            });
        }
        patchList(this.list, shown, ({ title, device }) => device?.slug ?? `room ${title}`, ({ title, device }) => {
            if (!device) return h('li', { class: 'room' }, h('h2', null, title));
            const card = new DeviceCard(device.slug);
            this.cards.set(device.slug, card);
            return card;
        }, (row, { device }) => {
            if (!(row instanceof DeviceCard) || !device || (most > 0 && row.device)) return;
            row.show(device);
            if (most > 0) row.setReach(row === this.reached);
        });
        for (const [slug, card] of this.cards) if (!card.isConnected) this.cards.delete(slug);
        if (!this.reached?.isConnected) this.reach(this.list.querySelector('device-card'));
    }

    /** @param {Element|null} card The only one whose controls the key Tab reaches: two hundred devices would have a thousand stops. */
    reach(card) {
        if (!(card instanceof DeviceCard) || card === this.reached) return;
        this.reached?.setReach(false);
        this.reached = card;
        card.setReach(true);
    }

    /** @param {KeyboardEvent} event */
    key(event) {
        const by = { ArrowUp: -1, ArrowLeft: -1, ArrowDown: 1, ArrowRight: 1, Home: -Infinity, End: Infinity }[event.key];
        if (by === undefined || event.altKey || event.ctrlKey || event.metaKey || event.target instanceof HTMLInputElement) return;
        event.preventDefault();
        const cards = [...this.list.children].filter((row) => row instanceof DeviceCard);
        const at = this.reached ? cards.indexOf(this.reached) : 0;
        const next = cards[Math.min(Math.max(at + by, 0), cards.length - 1)];
        this.reach(next);
        next.querySelector('a')?.focus();
    }
}
customElements.define('device-list', DeviceList);

/** @param {string} slug Whether a device plays, and not as a member of a group that does. */
function playsAlone(slug) {
    const device = store.state.devices.get(slug);
    return isOnline(device) && hasMedia(device?.state) && !follows(device?.state);
}

/** @param {{slug: string}} device The room that a person chose for it. */
function roomOf({ slug }) {
    return store.state.devices.get(slug)?.info?.area;
}

/** @param {string} slug Whether a device plays as a member of a group that is listed, whose card shows it. */
function isInside(slug) {
    const { state } = store.state.devices.get(slug) ?? {};
    return follows(state) && (store.state.bridge.devices ?? []).some(({ id }) => id === state?.group.id);
}

/** A device: name, what it plays, play/pause, volume. */
class DeviceCard extends HTMLElement {
    /** @param {string} slug */
    constructor(slug) {
        super();
        this.slug = slug;
        /** @type {ListedDevice|null} */
        this.device = null;
        this.volume = volumeControl(slug);
        this.members = new MemberVolumes(slug);
    }

    kind = h('span', { class: 'card-icon' });
    name = h('h2');
    state = h('span', { class: 'quiet' });
    cast = button('cast', '', () => this.castTo(), { class: 'icon-button card-cast' });
    details = h('a', { class: 'card-link' }, this.name);
    artwork = new Artwork();
    headline = h('strong', { dir: 'auto' });
    line = h('span', { class: 'quiet', dir: 'auto' });
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
            this.now, this.progress, this.volume, this.members);
        this.play.set(this.slug);
    }

    /** @param {boolean} isReached */
    setReach(isReached) {
        for (const control of this.querySelectorAll('a, button, input, summary')) /** @type {HTMLElement} */ (control).tabIndex = isReached ? 0 : -1;
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
            ? [playerText(device.type, state), follows(state) ? state?.group.name : state?.app.source].filter(Boolean).join(' · ')
            : t('device.offline'));
        this.toggleAttribute('data-offline', !online);
        this.toggleAttribute('data-playing', playing);
        this.toggleAttribute('data-chosen', choice.slug === this.slug);
        setAttribute(this.cast, 'data-state', connected ? 'connected' : 'idle');
        setIcon(this.cast, connected ? 'cast-connected' : 'cast');
        setLabel(this.cast, connected ? t('cast.connected', { device: device.name }) : `${t('cast.to')}: ${device.name}`);
        show(this.cast, online && api.may('control'));
        show(this.now, playing);
        show(this.volume, playing && state?.volume.percent != null);
        this.members.classList.toggle('covered', !playing);
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
