import '../cast/cast-button.js';
import { TransferDialog } from '../cast/transfer-dialog.js';
import { volumeControl } from '../cast/volume-control.js';
import { Artwork } from '../elements/artwork.js';
import { send } from '../elements/commands.js';
import { PlayPauseButton } from '../elements/control-button.js';
import { Dialog, open } from '../elements/dialog.js';
import { button, h, patchList, setAttribute, setText, show } from '../elements/dom.js';
import { everySecond } from '../elements/widget.js';
import { api, choice, store } from '../state/app.js';
import { describe, hasMedia, isConnected, isOnline, nameOf } from '../state/devices.js';
import { secondsUntilSkippable } from '../state/position.js';
import { clockTime, dateOf } from '../texts/format.js';
import { t, textOf } from '../texts/texts.js';
import { metadataFacts } from './metadata-facts.js';
import { RateDialog } from './rate-dialog.js';
import { SeekBar } from './seek-bar.js';
import { CaptionsButton, Slots } from './slots.js';

/** How long something that was loaded may take to play, in milliseconds. */
const expectation = 30_000;

/** The whole screen for what plays. What ends the session is in the Cast dialog. */
export class ExpandedController extends Dialog {
    /** Opened because something was loaded: shows that it loads until it plays, for a while. */
    expecting = false;
    expectingTimer = 0;

    /** @type {string|null} */
    slug = null;

    backdrop = new Artwork();
    artwork = new Artwork();
    device = h('span', { class: 'expanded-device' });
    headline = h('p', { class: 'expanded-title', dir: 'auto' });
    lines = h('p', { class: 'expanded-lines', dir: 'auto' });
    badges = h('p', { class: 'badges' });
    facts = h('dl', { class: 'expanded-facts' });
    status = h('p', { class: 'expanded-status' });
    seek = new SeekBar();
    play = new PlayPauseButton();
    adTitle = h('span', { class: 'ad-title' });
    skip = h('button', { type: 'button', class: 'button', onclick: () => this.skipAd() });
    adLink = h('a', { class: 'button', target: '_blank', rel: 'noopener noreferrer' }, t('now.adLink'));
    ad = h('div', { class: 'ad' }, h('span', { class: 'badge ad-badge' }, t('now.ad')), this.adTitle, this.adLink, this.skip);
    next = h('p', { class: 'up-next' });
    rate = button('rate', t('control.rate'), () => this.slug !== null && open(new RateDialog(this.slug)), { 'aria-haspopup': 'dialog' });
    queue = button('queue', t('control.queue'), () => this.showQueue());
    transfer = button('transfer', t('control.transfer'), () => this.slug !== null && open(new TransferDialog(this.slug)), { 'aria-haspopup': 'dialog' });
    restart = button('refresh', t('control.restart'), () => this.slug !== null && void send(this.slug, 'cmd/restart_item', undefined, this.restart));
    places = Array.from({ length: 4 }, () => h('div', { class: 'slot' }));
    slots = new Slots('expanded', this.places);
    captions = new CaptionsButton();
    volume = volumeControl(null);
    stopTicking = () => {};

    build() {
        super.build();
        this.dialog.classList.add('expanded');
        this.head.replaceChildren(button('down', t('control.collapse'), () => this.close()), this.device, document.createElement('cast-button'));
        const [first, second, third, fourth] = this.places;
        const transport = h('div', { class: 'transport' }, first, second, h('div', { class: 'slot main' }, this.play), third, fourth);
        this.heading.replaceChildren(this.headline);
        this.content.append(
            h('div', { class: 'expanded-art' }, this.artwork),
            h('div', { class: 'expanded-body' },
                h('div', { class: 'expanded-words' }, this.badges, this.heading, this.lines, this.facts),
                // In view however low the screen is and however long the text.
                h('div', { class: 'expanded-controls' }, this.status, this.ad, this.seek, transport),
                this.volume, h('div', { class: 'expanded-more' }, this.restart, this.rate, this.captions, this.queue, this.transfer), this.next));
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

    /** Whether there is nothing left to control. A device that is offline is shown, and that it is. */
    isOver() {
        const device = this.slug === null ? undefined : store.state.devices.get(this.slug);
        return !this.expecting && (!device?.state || (isOnline(device) && !hasMedia(device.state)));
    }

    /** @param {Set<string>|null} changed */
    update(changed) {
        const { slug } = choice;
        if (changed && slug === this.slug && !(slug !== null && changed.has(slug)) && !changed.has('choice') && !changed.has('bridge/devices')) return;
        this.slug = slug;
        const device = slug === null ? undefined : store.state.devices.get(slug);
        const state = device?.state;
        const online = isOnline(device);
        const playing = online && hasMedia(state);
        if (playing) this.expecting = false;
        if (slug === null || !state || (online && !playing && !this.expecting)) {
            // Between two items nothing plays for a moment.
            setTimeout(() => this.isConnected && this.isOver() && this.close(), 2_000);
            if (slug === null || !state) return;
        }
        this.slots.set(slug);
        for (const made of [this.play, this.captions]) made.set(slug);
        show(this.captions, this.slots.isAutomatic && !this.slots.names.includes('closed_captions') && !this.captions.button.disabled);
        this.volume.follow(slug);
        show(this.volume, state.volume.percent !== null);
        this.seek.set(slug);
        const { title, lines } = describe(state, device?.media);
        setText(this.device, !online ? nameOf(store.state, slug) : t(isConnected(device) ? 'cast.castingTo' : 'cast.playingOn', { device: nameOf(store.state, slug) }));
        setText(this.headline, title || t('player.loading'));
        setText(this.lines, lines.join(' · '));
        this.artwork.show(slug, Math.min(560, innerWidth), 'cast');
        this.backdrop.show(slug, 320, 'cast');
        this.updateBadges(device);
        this.updateFacts(device, [title, ...lines]);
        const waiting = state.player === 'loading' || state.player === 'buffering' || !playing;
        show(this.status, waiting);
        this.status.toggleAttribute('data-off', !online);
        setText(this.status, online ? textOf('player', playing ? state.player : 'loading') ?? '' : t('now.off', { device: nameOf(store.state, slug) }));
        const may = api.may('control') && online;
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
            const left = ad.clip_ends_at === null ? null : t('now.adLeft', { time: clockTime(Math.max(0, (Date.parse(ad.clip_ends_at) - store.now()) / 1000)) });
            setText(this.adTitle, [clip?.title, count, left].filter(Boolean).join(' · '));
            // Whoever sells ads chooses the address.
            const link = ad.click_url?.startsWith('https://') ? ad.click_url : null;
            show(this.adLink, link !== null);
            setAttribute(this.adLink, 'href', link);
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
