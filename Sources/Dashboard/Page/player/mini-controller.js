import { Artwork } from '../elements/artwork.js';
import { h, setAttribute, setText, show } from '../elements/dom.js';
import { announce } from '../elements/notices.js';
import { everySecond, Widget } from '../elements/widget.js';
import { choice, settings, store } from '../state/app.js';
import { describe, hasMedia, isConnected, nameOf } from '../state/devices.js';
import { fraction, positionAt, seekableRange } from '../state/position.js';
import { t } from '../texts/texts.js';
import { slotButton } from './slots.js';

/** At the foot of every view while something plays. A touch outside its buttons opens the expanded controller. */
export class MiniController extends Widget {
    /** Stays although nothing plays, as on a wall panel. */
    permanent = false;
    /** @type {string|null} */
    slug = null;
    artwork = new Artwork();
    headline = h('strong');
    line = h('span', { class: 'quiet' });
    open = h('button', { type: 'button', class: 'mini-open', onclick: () => document.dispatchEvent(new CustomEvent('expand')) },
        this.artwork, h('span', { class: 'row-text' }, this.headline, this.line));
    progress = h('div', { class: 'mini-progress', 'aria-hidden': 'true' });
    slots = h('div', { class: 'mini-slots' });
    /** @type {import('../elements/control-button.js').ControlButton[]} */
    buttons = [];
    stopTicking = () => {};
    announced = '';

    build() {
        this.setAttribute('role', 'region');
        for (const name of settings.mini_slots.slice(0, 3)) {
            const made = slotButton(name);
            if (!made) continue;
            this.buttons.push(made);
            this.slots.append(made);
        }
        this.append(this.progress, this.open, this.slots);
    }

    shown() {
        this.stopTicking = everySecond(() => this.tick());
    }

    gone() {
        this.stopTicking();
    }

    /** @param {Set<string>|null} changed */
    update(changed) {
        const slug = choice.controlled();
        if (changed && slug === this.slug && !(slug !== null && changed.has(slug)) && !changed.has('choice') && !changed.has('bridge/devices')) return;
        this.slug = slug;
        const device = slug === null ? undefined : store.state.devices.get(slug);
        const playing = hasMedia(device?.state);
        show(this, playing || this.permanent);
        document.body.toggleAttribute('data-mini', playing || this.permanent);
        for (const made of this.buttons) made.set(slug);
        const name = nameOf(store.state, slug);
        setAttribute(this, 'aria-label', playing ? t('cast.playingOn', { device: name }) : t('now.nothing'));
        if (!playing || slug === null || !device?.state) {
            setText(this.headline, t('now.nothing'));
            setText(this.line, name);
            this.artwork.set('cast', null);
            this.open.disabled = true;
            show(this.progress, false);
            return;
        }
        this.open.disabled = false;
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
