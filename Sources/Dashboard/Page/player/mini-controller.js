import { volumeControl } from '../cast/volume-control.js';
import { Artwork } from '../elements/artwork.js';
import { h, setAttribute, setText, show } from '../elements/dom.js';
import { announce } from '../elements/notices.js';
import { everySecond, Widget } from '../elements/widget.js';
import { choice, store } from '../state/app.js';
import { describe, hasMedia, isConnected, isOnline, nameOf } from '../state/devices.js';
import { fraction, positionAt, seekableRange } from '../state/position.js';
import { t } from '../texts/texts.js';
import { Slots } from './slots.js';

/** At the foot of every view while something plays. A touch outside its buttons opens the expanded controller. */
export class MiniController extends Widget {
    /** Stays although nothing plays, as on a wall panel. */
    permanent = false;
    /** @type {string|null} */
    slug = null;
    artwork = new Artwork();
    headline = h('strong', { dir: 'auto' });
    line = h('span', { class: 'quiet', dir: 'auto' });
    open = h('button', { type: 'button', class: 'mini-open', onclick: () => document.dispatchEvent(new CustomEvent('expand', { detail: this.slug })) },
        this.artwork, h('span', { class: 'row-text' }, this.headline, this.line));
    progress = h('div', { class: 'mini-progress', 'aria-hidden': 'true' });
    places = [h('div'), h('div'), h('div')];
    slots = new Slots('mini', this.places);
    volume = volumeControl(null);
    stopTicking = () => {};
    announced = '';

    build() {
        this.setAttribute('role', 'region');
        this.append(this.progress, this.open, this.volume, h('div', { class: 'mini-slots', 'data-automatic': this.slots.isAutomatic ? '' : null }, ...this.places));
    }

    shown() {
        this.stopTicking = everySecond(() => this.tick());
    }

    gone() {
        this.stopTicking();
    }

    /** @param {Set<string>|null} changed */
    update(changed) {
        const { slug, isActive } = choice;
        if (changed && slug === this.slug && !(slug !== null && changed.has(slug)) && !changed.has('choice') && !changed.has('bridge/devices')) return;
        this.slug = slug;
        const device = slug === null ? undefined : store.state.devices.get(slug);
        const online = isOnline(device);
        const playing = online && hasMedia(device?.state);
        show(this, isActive || this.permanent);
        document.body.toggleAttribute('data-mini', isActive || this.permanent);
        this.slots.set(slug);
        this.volume.follow(slug);
        show(this.volume, this.volume.volume()?.percent != null);
        const name = nameOf(store.state, slug);
        setAttribute(this, 'aria-label', playing ? t('cast.playingOn', { device: name }) : t('now.nothing'));
        const off = slug !== null && store.state.bridge.devices !== undefined && !online;
        this.open.disabled = !playing && !(off && isActive);
        this.toggleAttribute('data-off', off);
        if (!playing || slug === null || !device?.state) {
            setText(this.headline, off ? t('now.off', { device: name }) : t('now.nothing'));
            setText(this.line, off ? describe(device?.state, device?.media).title : name);
            setAttribute(this.open, 'aria-label', this.open.disabled ? null : t('control.expand', { title: t('now.off', { device: name }) }));
            if (!off) this.artwork.set('cast', null);
            show(this.progress, false);
            if (changed && off && isActive && this.announced !== name) announce(t('now.off', { device: name }));
            this.announced = off ? name : '';
            return;
        }
        const { title, lines } = describe(device.state, device.media);
        const ad = device.state.ad.playing;
        setText(this.headline, ad ? t('now.ad') : title);
        setText(this.line, [lines[0], t(isConnected(device) ? 'cast.castingTo' : 'cast.playingOn', { device: name })].filter(Boolean).join(' · '));
        setAttribute(this.open, 'aria-label', t('control.expand', { title: `${title}, ${name}` }));
        this.artwork.show(slug, 48, 'cast');
        const words = `${title} ${name}`;
        if (changed && words !== this.announced && title !== '') announce(t('now.announce', { title, device: name }));
        this.announced = words;
        this.tick();
    }

    tick() {
        if (this.hidden || this.slug === null) return;
        const device = store.state.devices.get(this.slug);
        if (!device?.state) return;
        const now = store.now();
        const range = seekableRange(device.state, device.media, now);
        show(this.progress, range !== null);
        const part = fraction(positionAt(device.state, now), range);
        this.progress.style.setProperty('--progress', part.toFixed(4));
    }
}
customElements.define('mini-controller', MiniController);
