import '../cast/cast-button.js';
import { TransferDialog } from '../cast/transfer-dialog.js';
import { Artwork } from '../elements/artwork.js';
import { send } from '../elements/commands.js';
import { PlayPauseButton } from '../elements/control-button.js';
import { Dialog, open } from '../elements/dialog.js';
import { button, h, patchList, setAttribute, setText, show } from '../elements/dom.js';
import { everySecond } from '../elements/widget.js';
import { api, choice, settings, store } from '../state/app.js';
import { describe, hasMedia, isConnected, isOnline, nameOf } from '../state/devices.js';
import { secondsUntilSkippable } from '../state/position.js';
import { dateOf } from '../texts/format.js';
import { t, textOf } from '../texts/texts.js';
import { metadataFacts } from './metadata-facts.js';
import { RateDialog } from './rate-dialog.js';
import { SeekBar } from './seek-bar.js';
import { slotButton } from './slots.js';

/** How long something that was loaded may take to play, in milliseconds. */
const expectation = 30_000;

/** The whole screen for what plays. Volume and session controls are in the Cast dialog. */
export class ExpandedController extends Dialog {
    /** Opened because something was loaded: shows that it loads until it plays, for a while. */
    expecting = false;
    expectingTimer = 0;

    /** @param {string} slug The device whose controls it shows until another one is chosen. */
    constructor(slug) {
        super();
        /** @type {string|null} */
        this.slug = slug;
        this.chosen = choice.slug;
    }

    backdrop = new Artwork();
    artwork = new Artwork();
    device = h('span', { class: 'expanded-device' });
    headline = h('p', { class: 'expanded-title' });
    lines = h('p', { class: 'expanded-lines' });
    badges = h('p', { class: 'badges' });
    facts = h('dl', { class: 'expanded-facts' });
    status = h('p', { class: 'expanded-status' });
    seek = new SeekBar();
    play = new PlayPauseButton();
    adTitle = h('span', { class: 'ad-title' });
    skip = h('button', { type: 'button', class: 'button', onclick: () => this.skipAd() });
    ad = h('div', { class: 'ad' }, h('span', { class: 'badge ad-badge' }, t('now.ad')), this.adTitle, this.skip);
    next = h('p', { class: 'up-next' });
    rate = button('rate', t('control.rate'), () => this.slug !== null && open(new RateDialog(this.slug)), { 'aria-haspopup': 'dialog' });
    queue = button('queue', t('control.queue'), () => this.showQueue());
    transfer = button('transfer', t('control.transfer'), () => this.slug !== null && open(new TransferDialog(this.slug)), { 'aria-haspopup': 'dialog' });
    restart = button('refresh', t('control.restart'), () => this.slug !== null && void send(this.slug, 'cmd/restart_item', undefined, this.restart));
    /** @type {import('../elements/control-button.js').ControlButton[]} */
    buttons = [];
    stopTicking = () => {};

    build() {
        super.build();
        this.dialog.classList.add('expanded');
        this.head.replaceChildren(button('down', t('control.collapse'), () => this.close()), this.device, document.createElement('cast-button'));
        const made = settings.expanded_slots.slice(0, 4).map((name) => slotButton(name) ?? null);
        const slot = (/** @type {number} */ index) => h('div', { class: 'slot' }, made[index] ?? null);
        this.buttons = [this.play, ...made.flatMap((one) => (one ? [one] : []))];
        const transport = h('div', { class: 'transport' }, slot(0), slot(1), h('div', { class: 'slot main' }, this.play), slot(2), slot(3));
        this.heading.replaceChildren(this.headline);
        this.content.append(
            h('div', { class: 'expanded-art' }, this.artwork),
            h('div', { class: 'expanded-body' },
                h('div', { class: 'expanded-words' }, this.badges, this.heading, this.lines, this.facts),
                this.status, this.ad, this.seek, transport,
                h('div', { class: 'expanded-more' }, this.restart, this.rate, this.queue, this.transfer), this.next));
        this.dialog.prepend(h('div', { class: 'expanded-backdrop', 'aria-hidden': 'true' }, this.backdrop));
    }

    shown() {
        super.shown();
        this.stopTicking = everySecond(() => this.tick());
        if (this.expecting) this.expectingTimer = window.setTimeout(() => this.expectNoMore(), expectation);
    }

    /** Nothing will play after all: what was loaded failed. */
    expectNoMore() {
        this.expecting = false;
        if (this.isConnected) this.update(null);
    }

    gone() {
        super.gone();
        clearTimeout(this.expectingTimer);
        this.stopTicking();
    }

    /** @param {Set<string>|null} changed */
    update(changed) {
        // The controls stay when another device begins to play; a choice in the Cast dialog replaces them.
        const slug = choice.slug !== this.chosen && choice.slug !== null ? choice.slug : this.slug;
        this.chosen = choice.slug;
        if (slug !== null && !isOnline(store.state.devices.get(slug))) return this.close();
        if (changed && slug === this.slug && !(slug !== null && changed.has(slug)) && !changed.has('choice') && !changed.has('bridge/devices')) return;
        this.slug = slug;
        const device = slug === null ? undefined : store.state.devices.get(slug);
        const state = device?.state;
        const playing = hasMedia(state);
        if (playing) this.expecting = false;
        if (slug === null || !state || (!playing && !this.expecting)) {
            // Between two items nothing plays for a moment.
            setTimeout(() => this.isConnected && !hasMedia(store.state.devices.get(this.slug ?? '')?.state) && !this.expecting && this.close(), 2_000);
            if (slug === null || !state) return;
        }
        for (const made of this.buttons) made.set(slug);
        this.seek.slug = slug;
        this.seek.update(null);
        const { title, lines } = describe(state, device?.media);
        setText(this.device, t(isConnected(device) ? 'cast.castingTo' : 'cast.playingOn', { device: nameOf(store.state, slug) }));
        setText(this.headline, title || t('player.loading'));
        setText(this.lines, lines.join(' · '));
        this.artwork.show(slug, Math.min(560, innerWidth), 'cast');
        this.backdrop.show(slug, 320, 'cast');
        this.updateBadges(device);
        this.updateFacts(device, [title, ...lines]);
        const waiting = state.player === 'loading' || state.player === 'buffering' || !playing;
        show(this.status, waiting);
        setText(this.status, textOf('player', playing ? state.player : 'loading') ?? '');
        const may = api.may('control');
        show(this.rate, may && state.can.includes('rate') && !state.media.live);
        setAttribute(this.rate, 'aria-label', t('control.rateNow', { rate: `${state.media.rate ?? 1}×` }));
        // The mini controller alone has no such view.
        show(this.queue, (state.queue.length ?? 0) > 1 && document.getElementById('nav') !== null);
        show(this.transfer, may && playing);
        show(this.restart, may && state.can.includes('seek') && !state.media.live);
        this.tick();
    }

    /** @param {import('../state/types.js').DeviceDocuments|undefined} device */
    updateBadges(device) {
        const badges = [];
        const video = device?.media?.video;
        if (video && Math.max(video.width ?? 0, video.height ?? 0) >= 3840) badges.push('4K');
        else if (video && (video.height ?? 0) >= 1080) badges.push('HD');
        if (video?.hdr === 'dolby_vision') badges.push('Dolby Vision');
        else if (video?.hdr === 'hlg') badges.push('HLG');
        else if (video?.hdr && video.hdr !== 'sdr') badges.push('HDR');
        const app = device?.state?.app.name;
        if (app) badges.push(app);
        patchList(this.badges, badges, (text) => text, (text) => h('span', { class: 'badge' }, text));
    }

    /** @param {import('../state/types.js').DeviceDocuments|undefined} device @param {string[]} shown What stands above them already. */
    updateFacts(device, shown) {
        patchList(this.facts, metadataFacts(device?.media, shown, dateOf), ({ name }) => name,
            ({ name }) => h('div', null, h('dt', null, textOf('meta', name) ?? name), h('dd')),
            (row, { value }) => setText(/** @type {Element} */ (row.lastElementChild), value));
    }

    tick() {
        const device = this.slug === null ? undefined : store.state.devices.get(this.slug);
        const ad = device?.state?.ad;
        show(this.ad, ad?.playing === true);
        if (ad?.playing) {
            const clip = device?.media?.break_clips.find(({ id }) => id === ad.clip);
            const count = ad.index !== null && ad.clips !== null && ad.clips > 1 ? t('now.adOf', { index: ad.index + 1, count: ad.clips }) : null;
            setText(this.adTitle, [clip?.title, count].filter(Boolean).join(' · '));
            const seconds = secondsUntilSkippable(ad, store.now());
            show(this.skip, seconds !== null && api.may('control'));
            this.skip.disabled = seconds !== 0;
            setText(this.skip, seconds === 0 ? t('now.skip') : t('now.skipIn', { seconds: seconds ?? 0 }));
        }
        this.updateNext(device);
    }

    /**
     * What comes next, from 30 s before the end.
     * @param {import('../state/types.js').DeviceDocuments|undefined} device
     */
    updateNext(device) {
        const state = device?.state;
        const queue = device?.queue;
        const at = queue?.items.findIndex(({ item }) => item === queue.current_item) ?? -1;
        const next = at >= 0 ? queue?.items[at + 1] : undefined;
        const ends = state?.media.ends_at;
        const near = ends != null && Date.parse(ends) - store.now() < 30_000;
        show(this.next, !!next?.title && near);
        if (next?.title) setText(this.next, t('now.upNext', { title: next.title }));
    }

    skipAd() {
        if (this.slug !== null) void send(this.slug, 'cmd/skip_ad', undefined, this.skip);
    }

    showQueue() {
        this.close();
        location.hash = '#/queue';
    }
}
customElements.define('expanded-controller', ExpandedController);
