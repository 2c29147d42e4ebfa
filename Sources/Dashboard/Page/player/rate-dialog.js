import { send, Wish } from '../elements/commands.js';
import { Dialog } from '../elements/dialog.js';
import { h } from '../elements/dom.js';
import { store } from '../state/app.js';
import { number } from '../texts/format.js';
import { t } from '../texts/texts.js';

const rates = [0.5, 1, 1.25, 1.5, 2];

/** Chooses the speed of playback. */
export class RateDialog extends Dialog {
    /** @param {string} slug */
    constructor(slug) {
        super();
        this.slug = slug;
    }

    /** @type {Map<number, HTMLInputElement>} */
    inputs = new Map();
    wish = new Wish(() => this.update());

    build() {
        super.build();
        this.heading.append(t('rate.title'));
        const list = h('div', { class: 'choices', role: 'radiogroup', 'aria-labelledby': this.heading.id });
        for (const rate of rates) {
            const input = h('input', { type: 'radio', name: 'rate', onchange: () => void this.wish.make(rate, send(this.slug, 'set/rate', rate, input.parentElement)) });
            this.inputs.set(rate, input);
            list.append(h('label', { class: 'choice' }, input, h('span', null, rate === 1 ? `1× · ${t('rate.normal')}` : `${number(rate, 2)}×`)));
        }
        this.content.append(list);
    }

    update() {
        const now = this.wish.shown(store.state.devices.get(this.slug)?.state?.media.rate ?? 1);
        for (const [rate, input] of this.inputs) input.checked = Math.abs(rate - now) < 0.01;
    }
}
customElements.define('rate-dialog', RateDialog);
