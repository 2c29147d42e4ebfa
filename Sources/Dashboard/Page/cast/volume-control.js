import { send } from '../elements/commands.js';
import { button, h, newId, setAttribute, setIcon, setText, show } from '../elements/dom.js';
import { Widget } from '../elements/widget.js';
import { api, store } from '../state/app.js';
import { nameOf } from '../state/devices.js';
import { clamp } from '../state/position.js';
import { t } from '../texts/texts.js';

/** Least time between two commands while the thumb is dragged, in milliseconds. */
const pace = 120;
/** How long reports are ignored after the last own command, so that the thumb does not jump back. */
const settleTime = 700;

/** How far from the thumb's middle a touch is one of the thumb, in pixels. */
const thumbReach = 28;
/** The most that a touch beside the thumb changes, in points. */
const touchStep = 10;

/**
 * Volume of a device or a member. Follows what the device reports, except while the thumb is dragged. A touch beside the thumb is often a
 * mistake: it moves the volume a little towards it, and not at all in a list that scrolls.
 */
export class VolumeControl extends Widget {
    /** @type {string|null} */
    slug = null;
    /** Shows the name of the device. */
    named = false;
    /**
     * Reads the volume; members of a group have theirs in the document of the group.
     * @type {(() => import('../state/types.js').Volume|undefined)|null}
     */
    source = null;
    /**
     * Name where the page doesn't know the device.
     * @type {string|null}
     */
    label = null;

    dragging = false;
    lastSent = 0;
    timer = 0;
    /** @type {string|null} */
    waiting = null;

    name = h('span', { class: 'volume-name' });
    mute = button('volume', t('control.mute'), () => this.toggle(), { 'aria-pressed': 'false' });
    softer = button('minus', t('volume.down'), () => this.step('cmd/volume_down', this.softer));
    slider = h('input', { type: 'range', min: '0', max: '100', step: '1', class: 'slider' });
    louder = button('plus', t('volume.up'), () => this.step('cmd/volume_up', this.louder));
    percent = h('output', { class: 'volume-percent', 'aria-hidden': 'true' });
    fixed = h('small', { class: 'volume-fixed', id: newId() }, t('volume.fixed'));

    build() {
        this.append(this.name, h('div', { class: 'volume-row' }, this.mute, this.softer, this.slider, this.louder, this.percent), this.fixed);
        this.slider.addEventListener('pointerdown', (event) => this.grab(event));
        this.slider.addEventListener('input', () => this.moved());
        this.slider.addEventListener('change', () => this.released());
        this.slider.addEventListener('pointerup', (event) => this.stepTowards(event));
        for (const type of ['pointercancel', 'lostpointercapture', 'blur']) this.slider.addEventListener(type, () => this.letGo());
    }

    /**
     * The value while a pointer that came down beside the thumb is held.
     * @type {string|null}
     */
    held = null;

    /** @param {PointerEvent} event */
    grab(event) {
        const box = this.slider.getBoundingClientRect();
        const thumb = box.left + 11 + (Number(this.slider.value) / 100) * (box.width - 22);
        this.held = Math.abs(event.clientX - thumb) > thumbReach ? this.slider.value : null;
    }

    /** @param {PointerEvent} event */
    stepTowards(event) {
        const { held } = this;
        if (held === null) return;
        // The browser reports its own value after this event.
        setTimeout(() => (this.held = null));
        if (event.pointerType === 'touch' && this.closest('ul') !== null) return;
        const box = this.slider.getBoundingClientRect();
        const wanted = clamp((event.clientX - box.left - 11) / (box.width - 22), 0, 1) * 100;
        this.held = String(Math.round(clamp(wanted, Number(held) - touchStep, Number(held) + touchStep)));
        this.slider.value = this.held;
        this.display(Number(this.held));
        this.schedule(this.held);
    }

    moved() {
        if (this.held !== null) {
            this.slider.value = this.held;
            return;
        }
        this.dragging = true;
        this.display(Number(this.slider.value));
        this.schedule(this.slider.value);
    }

    released() {
        if (this.held !== null) {
            this.slider.value = this.held;
            return;
        }
        this.dragging = false;
        this.schedule(this.slider.value);
    }

    /** The thumb was released, whether it was moved or not. */
    letGo() {
        this.held = null;
        this.dragging = false;
        this.settle();
    }

    settleTimer = 0;

    /** Shows again what the device reports, some time after the last command. */
    settle() {
        clearTimeout(this.settleTimer);
        this.settleTimer = window.setTimeout(() => this.isConnected && this.update(null), settleTime + 20);
    }

    /**
     * Shows another device. What was not sent yet belongs to the former one.
     * @param {string|null} slug
     */
    follow(slug) {
        if (slug === this.slug) return;
        clearTimeout(this.timer);
        Object.assign(this, { slug, timer: 0, waiting: null, held: null, dragging: false, lastSent: 0 });
        if (this.isConnected) this.update(null);
    }

    /** @param {string} value */
    schedule(value) {
        this.waiting = value;
        if (this.timer !== 0) return;
        this.timer = window.setTimeout(() => {
            this.timer = 0;
            const next = this.waiting;
            this.waiting = null;
            if (next === null || this.slug === null) return;
            this.lastSent = Date.now();
            void this.set(this.slug, Number(next));
        }, Math.max(0, this.lastSent + pace - Date.now()));
    }

    /** @param {string} slug @param {number} percent */
    async set(slug, percent) {
        this.settle();
        if ((await send(slug, 'set/volume', percent)) !== null || this.waiting !== null) return;
        this.lastSent = 0;
        this.update(null);
    }

    /** @param {string} command @param {Element} control */
    step(command, control) {
        if (this.slug !== null) void send(this.slug, command, undefined, control);
    }

    toggle() {
        if (this.slug !== null) void send(this.slug, 'set/muted', !this.volume()?.muted, this.mute);
    }

    /** @returns {import('../state/types.js').Volume|undefined} */
    volume() {
        if (this.source) return this.source();
        return this.slug === null ? undefined : store.state.devices.get(this.slug)?.state?.volume;
    }

    /** @param {Set<string>|null} changed */
    update(changed) {
        if (changed && !(this.slug !== null && changed.has(this.slug)) && !this.source && !changed.has('bridge/devices')) return;
        const volume = this.volume();
        const device = this.slug === null ? null : nameOf(store.state, this.slug);
        const name = this.label ?? device ?? '';
        const online = this.slug !== null && store.state.devices.get(this.slug)?.availability === 'online';
        const fixed = volume?.control === 'fixed';
        const usable = online && !fixed && api.may('control') && volume?.percent != null;
        for (const control of [this.slider, this.softer, this.louder]) control.disabled = !usable;
        this.mute.disabled = !online || !api.may('control') || volume?.muted == null || fixed;
        show(this.fixed, fixed);
        show(this.name, this.named);
        setText(this.name, name);
        setAttribute(this.slider, 'aria-label', t('volume.of', { device: name }));
        setAttribute(this.slider, 'aria-describedby', fixed ? this.fixed.id : null);
        setAttribute(this.mute, 'aria-label', t('volume.muteOf', { device: name }));
        setAttribute(this.softer, 'aria-label', t('volume.downOf', { device: name }));
        setAttribute(this.louder, 'aria-label', t('volume.upOf', { device: name }));
        setAttribute(this.mute, 'aria-pressed', String(volume?.muted === true));
        setIcon(this.mute, volume?.muted ? 'muted' : 'volume');
        this.toggleAttribute('data-muted', volume?.muted === true);
        if (this.dragging || this.waiting !== null || Date.now() - this.lastSent < settleTime) return;
        const percent = volume?.percent ?? null;
        if (percent !== null && this.slider.value !== String(percent)) this.slider.value = String(percent);
        this.display(percent);
    }

    /** @param {number|null} percent */
    display(percent) {
        setText(this.percent, percent === null ? '–' : String(percent));
        setAttribute(this.slider, 'aria-valuetext', percent === null ? null : t('volume.percent', { percent }));
        this.slider.style.setProperty('--fill', `${percent ?? 0}%`);
    }
}
customElements.define('volume-control', VolumeControl);

/** @param {string|null} slug @param {{named?: boolean, label?: string, source?: () => import('../state/types.js').Volume|undefined}} [options] */
export function volumeControl(slug, options = {}) {
    const { named = false, label, source } = options;
    const control = new VolumeControl();
    control.slug = slug;
    control.named = named;
    control.label = label ?? null;
    control.source = source ?? null;
    return control;
}
