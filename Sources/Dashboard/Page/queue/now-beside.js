import { Artwork } from '../elements/artwork.js';
import { h, setText, show } from '../elements/dom.js';
import { Widget } from '../elements/widget.js';
import { choice, store } from '../state/app.js';
import { describe, hasMedia, isOnline } from '../state/devices.js';
import { SeekBar } from '../player/seek-bar.js';

/** What plays, beside its queue on a wide screen. A touch opens the controls. */
export class NowBeside extends Widget {
    artwork = new Artwork();
    headline = h('strong', { dir: 'auto' });
    lines = h('span', { class: 'quiet', dir: 'auto' });
    seek = new SeekBar();

    build() {
        this.append(h('button', { type: 'button', class: 'now', onclick: () => document.dispatchEvent(new CustomEvent('expand', { detail: choice.slug })) },
            this.artwork, h('span', { class: 'row-text' }, this.headline, this.lines)), this.seek);
    }

    /** @param {Set<string>|null} changed */
    update(changed) {
        const { slug } = choice;
        if (changed && slug === this.seek.slug && !(slug !== null && changed.has(slug))) return;
        const device = slug === null ? undefined : store.state.devices.get(slug);
        this.seek.set(slug);
        show(this, isOnline(device) && hasMedia(device?.state));
        if (slug === null || this.hidden) return;
        const { title, lines } = describe(device?.state, device?.media);
        setText(this.headline, title);
        setText(this.lines, lines.join(' · '));
        this.artwork.show(slug, 340, 'cast');
    }
}
customElements.define('now-beside', NowBeside);
