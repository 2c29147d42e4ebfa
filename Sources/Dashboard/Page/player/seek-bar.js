import { send } from '../elements/commands.js';
import { h, patchList, setAttribute, setText, show } from '../elements/dom.js';
import { everySecond, Widget } from '../elements/widget.js';
import { api, store } from '../state/app.js';
import { isOnline } from '../state/devices.js';
import { clamp, fraction, positionAt, seekableRange } from '../state/position.js';
import { clockTime, spokenTime } from '../texts/format.js';
import { t } from '../texts/texts.js';

/** Steps of the keys, in seconds. */
const steps = /** @type {Record<string, number>} */ ({ ArrowRight: 5, ArrowUp: 5, ArrowLeft: -5, ArrowDown: -5, PageUp: 15, PageDown: -15 });
/** Wait after the last key before the position is sent, in milliseconds. */
const keyPause = 300;
/** How long the wanted position is shown while the device has not reported it, in milliseconds. */
const patience = 4_000;

/** The seek bar: position computed from the anchor, ad break marks, live range. Sends on release. */
export class SeekBar extends Widget {
    /** @type {string|null} */
    slug = null;
    /**
     * Position that was asked for and not reported yet.
     * @type {number|null}
     */
    wanted = null;
    dragging = false;
    keyTimer = 0;
    wantedTimer = 0;
    stopTicking = () => {};

    bar = h('div', { class: 'seek-track', role: 'slider', tabIndex: 0, 'aria-label': t('now.seek'), 'aria-valuemin': '0' });
    filled = h('div', { class: 'seek-fill' });
    thumb = h('div', { class: 'seek-thumb' });
    marks = h('div', { class: 'seek-marks' });
    elapsed = h('span', { class: 'seek-time' });
    live = h('button', { type: 'button', class: 'badge live', onclick: () => this.goLive() }, t('now.live'));
    total = h('span', { class: 'seek-time' });

    build() {
        this.bar.append(this.filled, this.marks, this.thumb);
        this.append(this.bar, h('div', { class: 'seek-times' }, this.elapsed, this.live, this.total));
        this.bar.addEventListener('pointerdown', (event) => this.grab(event));
        this.bar.addEventListener('pointermove', (event) => this.drag(event));
        this.bar.addEventListener('pointerup', (event) => this.drop(event));
        this.bar.addEventListener('pointercancel', () => this.cancel());
        this.bar.addEventListener('keydown', (event) => this.key(event));
    }

    shown() {
        this.stopTicking = everySecond(() => this.tick());
    }

    gone() {
        this.stopTicking();
        clearTimeout(this.keyTimer);
        clearTimeout(this.wantedTimer);
    }

    /**
     * Shows another device. What was asked for and not sent yet belongs to the former one.
     * @param {string|null} slug
     */
    set(slug) {
        if (slug !== this.slug) {
            clearTimeout(this.keyTimer);
            this.keyTimer = 0;
            this.cancel();
        }
        this.slug = slug;
        this.update(null);
    }

    device() {
        return this.slug === null ? undefined : store.state.devices.get(this.slug);
    }

    range() {
        const device = this.device();
        return device?.state ? seekableRange(device.state, device.media, store.now()) : null;
    }

    usable() {
        const state = this.device()?.state;
        return !!state && isOnline(this.device()) && state.can.includes('seek') && !state.ad.playing && api.may('control') && this.range() !== null;
    }

    /** @param {Set<string>|null} changed */
    update(changed) {
        if (changed && !(this.slug !== null && changed.has(this.slug))) return;
        const device = this.device();
        const state = device?.state;
        if (!state) return;
        if (changed && !this.dragging && this.keyTimer === 0) this.reported(positionAt(state, store.now()));
        const range = this.range();
        const live = state.media.live;
        show(this.bar, range !== null);
        show(this.elapsed, !live);
        show(this.total, !live);
        show(this.live, live);
        this.live.disabled = !live || range === null || !api.may('control') || !state.can.includes('seek');
        setAttribute(this.live, 'aria-label', this.live.disabled ? t('now.live') : t('now.goLive'));
        setText(this.total, live ? '' : clockTime(state.media.duration));
        setAttribute(this.bar, 'aria-disabled', this.usable() ? null : 'true');
        const breaks = live || !state.media.duration ? [] : (device?.media?.breaks ?? []).filter((pause) => pause.position >= 0);
        patchList(this.marks, breaks, (pause) => pause.id, () => h('span', { class: 'seek-mark' }), (mark, pause) => {
            mark.style.setProperty('--at', String(fraction(pause.position, range)));
            mark.toggleAttribute('data-watched', pause.watched);
        });
        this.tick();
    }

    /**
     * The wanted position is shown until the device is near it.
     * @param {number|null} position
     */
    reported(position) {
        if (this.wanted !== null && position !== null && Math.abs(position - this.wanted) < 3) this.wanted = null;
    }

    tick() {
        const device = this.device();
        const state = device?.state;
        if (!state) return;
        const range = this.range();
        const position = this.wanted ?? positionAt(state, store.now());
        this.style.setProperty('--progress', fraction(position, range).toFixed(4));
        if (state.media.live) {
            const behind = range === null || position === null ? 0 : range.end - position;
            this.live.toggleAttribute('data-behind', behind > 12);
        }
        setText(this.elapsed, clockTime(position));
        setAttribute(this.bar, 'aria-valuemin', String(Math.round(range?.start ?? 0)));
        setAttribute(this.bar, 'aria-valuemax', String(Math.round(range?.end ?? 0)));
        // A screen reader would read each second aloud while the bar has the focus.
        if (document.activeElement === this.bar && this.wanted === null && this.bar.hasAttribute('aria-valuenow')) return;
        this.speak(position, range);
    }

    /** @param {number|null} position @param {{start: number, end: number}|null} range */
    speak(position, range) {
        setAttribute(this.bar, 'aria-valuenow', String(Math.round(position ?? 0)));
        setAttribute(this.bar, 'aria-valuetext', t('now.position', { position: spokenTime(position), duration: spokenTime(range?.end ?? null) }));
    }

    /** @param {PointerEvent} event */
    grab(event) {
        if (!this.usable() || event.button !== 0) return;
        clearTimeout(this.wantedTimer);
        this.dragging = true;
        this.bar.setPointerCapture(event.pointerId);
        this.toggleAttribute('data-dragging', true);
        this.drag(event);
    }

    /** @param {PointerEvent} event */
    drag(event) {
        const range = this.range();
        if (!this.dragging || !range) return;
        const box = this.bar.getBoundingClientRect();
        this.wanted = range.start + clamp((event.clientX - box.left) / box.width, 0, 1) * (range.end - range.start);
        this.tick();
    }

    /** @param {PointerEvent} event */
    drop(event) {
        if (!this.dragging) return;
        this.drag(event);
        this.dragging = false;
        this.toggleAttribute('data-dragging', false);
        this.seek();
    }

    cancel() {
        this.dragging = false;
        this.toggleAttribute('data-dragging', false);
        this.wanted = null;
        this.tick();
    }

    /** @param {KeyboardEvent} event */
    key(event) {
        const range = this.range();
        const state = this.device()?.state;
        if (!range || !state || !this.usable() || event.altKey || event.ctrlKey || event.metaKey) return;
        const from = this.wanted ?? positionAt(state, store.now()) ?? 0;
        const to = event.key === 'Home' ? range.start : event.key === 'End' ? range.end : event.key in steps ? from + steps[event.key] : null;
        if (to === null) return;
        event.preventDefault();
        event.stopPropagation();
        this.wanted = clamp(to, range.start, range.end);
        this.tick();
        // The end of the former wait must not take away this position.
        clearTimeout(this.wantedTimer);
        clearTimeout(this.keyTimer);
        this.keyTimer = window.setTimeout(() => {
            this.keyTimer = 0;
            this.seek();
        }, keyPause);
    }

    async seek() {
        const state = this.device()?.state;
        const { wanted } = this;
        if (wanted === null || this.slug === null || !state) return;
        const range = this.range();
        // The end of the live range is the live position itself.
        const live = state.media.live && range !== null && range.end - wanted < 2;
        clearTimeout(this.wantedTimer);
        this.wantedTimer = window.setTimeout(() => {
            this.wanted = null;
            this.tick();
        }, patience);
        const answer = await send(this.slug, 'set/position', live ? 'live' : Math.round(wanted * 10) / 10);
        if (answer === null && this.wanted === wanted) this.cancel();
    }

    goLive() {
        if (this.slug !== null) void send(this.slug, 'set/position', 'live', this.live);
    }
}
customElements.define('seek-bar', SeekBar);
