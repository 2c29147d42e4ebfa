import { watchLink } from './cast/link-banner.js';
import { button, h, patchList, setLabel, setText, show } from './elements/dom.js';
import { Artwork } from './elements/artwork.js';
import { send } from './elements/commands.js';
import { PlayPauseButton } from './elements/control-button.js';
import { installNotices } from './elements/notices.js';
import { everySecond, Widget } from './elements/widget.js';
import { start } from './start.js';
import { api, settings, store } from './state/app.js';
import { describe, follows, hasMedia, isOnline, listedDevices, nameOf } from './state/devices.js';
import { clockOfDay, day } from './texts/format.js';
import { t } from './texts/texts.js';

/*
 * A wall panel: rooms with large buttons, and a clock while nothing plays. `?rooms=kitchen,bath` names devices or areas, in this order; without
 * it every device that plays is shown. Nothing on it ends what plays. The fragment may have a token: `#token=…`.
 */

const wanted = (new URLSearchParams(location.search).get('rooms') ?? '').split(',').map((name) => name.trim().toLowerCase()).filter(Boolean);

/** Play and pause alone: what would stop a live stream is no button here. */
class PanelPlay extends PlayPauseButton {
    /** @param {import('./state/types.js').StateDocument|undefined} state @param {boolean} may */
    refresh(state, may) {
        super.refresh(state, may);
        show(this, this.action !== 'cmd/stop');
    }
}
customElements.define('panel-play', PanelPlay);

/** A room: what plays there, and what a hand on the wall wants of it. */
class PanelRoom extends HTMLElement {
    artwork = new Artwork();
    name = h('h2', { dir: 'auto' });
    headline = h('strong', { dir: 'auto' });
    line = h('span', { class: 'quiet', dir: 'auto' });
    play = new PanelPlay();
    percent = h('output');

    /** @param {string} slug */
    constructor(slug) {
        super();
        this.slug = slug;
        this.play.set(slug);
    }

    previous = this.command('previous', 'cmd/previous');
    next = this.command('next', 'cmd/next');
    softer = this.command('minus', 'cmd/volume_down');
    louder = this.command('plus', 'cmd/volume_up');

    /** @param {string} icon @param {string} command */
    command(icon, command) {
        const made = button(icon, '', () => void send(this.slug, command, undefined, made));
        return made;
    }

    connectedCallback() {
        if (this.childElementCount > 0) return;
        this.append(this.artwork, h('div', { class: 'panel-words' }, this.name, this.headline, this.line),
            h('div', { class: 'panel-buttons' }, this.previous, this.play, this.next), h('div', { class: 'panel-buttons' }, this.softer, this.percent, this.louder));
    }

    refresh() {
        const { slug } = this;
        const device = store.state.devices.get(slug);
        const name = nameOf(store.state, slug);
        const playing = isOnline(device) && hasMedia(device?.state);
        const { title, lines } = describe(device?.state, device?.media);
        setText(this.name, name);
        setText(this.headline, playing ? title : t(isOnline(device) ? 'now.nothing' : 'device.offline'));
        setText(this.line, playing ? lines.join(' · ') : '');
        this.toggleAttribute('data-playing', playing);
        if (playing) this.artwork.show(slug, 320, 'cast');
        else this.artwork.set('cast', null);
        const can = (/** @type {string} */ word) => playing && (device?.state?.can.includes(word) ?? false);
        for (const [control, isUsable, label] of /** @type {[HTMLButtonElement, boolean, string][]} */ ([
            [this.previous, can('previous'), t('control.previous')], [this.next, can('next'), t('control.next')],
            [this.softer, true, t('volume.downOf', { device: name })], [this.louder, true, t('volume.upOf', { device: name })]])) {
            setLabel(control, label);
            control.disabled = !api.may('control') || !isOnline(device) || !isUsable;
        }
        show(this.previous, can('previous') || can('next'));
        show(this.next, can('previous') || can('next'));
        show(this.play, playing && this.play.action !== 'cmd/stop');
        const percent = device?.state?.volume.percent;
        setText(this.percent, percent == null ? '' : String(percent));
    }
}
customElements.define('panel-room', PanelRoom);

class Panel extends Widget {
    time = h('time');
    date = h('p');
    clock = h('section', { class: 'panel-clock' }, this.time, this.date);
    rooms = h('div', { class: 'panel-rooms' });
    stopTicking = () => {};

    build() {
        this.append(h('h1', { class: 'visually-hidden' }, settings.title), this.clock, this.rooms);
    }

    shown() {
        this.stopTicking = everySecond(() => this.tick());
    }

    gone() {
        this.stopTicking();
    }

    /** @returns {string[]} The rooms to show, in the order of the address. */
    found() {
        const devices = listedDevices(store.state);
        if (wanted.length === 0) {
            return devices.map(({ slug }) => slug).filter((slug) => isOnline(store.state.devices.get(slug)) && hasMedia(store.state.devices.get(slug)?.state) && !follows(store.state.devices.get(slug)?.state));
        }
        const names = (/** @type {import('./state/types.js').ListedDevice} */ { slug, id, name, aliases }) => [slug, id, name, store.state.devices.get(slug)?.info?.area, ...(aliases ?? [])].map((text) => text?.toLowerCase());
        return [...new Set(wanted.flatMap((word) => devices.filter((device) => names(device).includes(word)).map(({ slug }) => slug)))];
    }

    update() {
        const slugs = this.found();
        patchList(this.rooms, slugs, (slug) => slug, (slug) => new PanelRoom(slug), (room) => room.refresh());
        const playing = slugs.some((slug) => hasMedia(store.state.devices.get(slug)?.state));
        show(this.clock, !playing);
        this.tick();
    }

    tick() {
        const now = new Date();
        this.time.dateTime = now.toISOString();
        setText(this.time, clockOfDay(now));
        setText(this.date, day(now));
    }
}
customElements.define('wall-panel', Panel);

installNotices(document.body);
watchLink(/** @type {HTMLElement} */ (document.getElementById('banner')));

void start(/** @type {HTMLElement} */ (document.getElementById('main')), () => {
    document.title = settings.title;
    document.getElementById('main')?.append(new Panel());
});
