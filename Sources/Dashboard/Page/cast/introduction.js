import { h } from '../elements/dom.js';
import { Widget } from '../elements/widget.js';
import { memory, settings, store } from '../state/app.js';
import { t } from '../texts/texts.js';

/** Shown once in a browser, when the first device is found: points at the Cast button. */
export class Introduction extends Widget {
    dialog = h('dialog', { class: 'introduction', 'aria-labelledby': 'introduction-title' });
    ring = h('div', { class: 'introduction-ring', 'aria-hidden': 'true' });
    place = () => this.point();

    build() {
        const { title, text, title_position: position, dismiss } = settings.introduction;
        const heading = h('h2', { id: 'introduction-title', tabIndex: -1 }, title ?? t('intro.title'));
        const words = h('p', null, text ?? t('intro.text'));
        const box = h('div', { class: 'introduction-words' }, ...(position === 'below' ? [words, heading] : [heading, words]),
            h('button', { type: 'button', class: 'button primary', onclick: () => this.dialog.close() }, dismiss ?? t('intro.dismiss')));
        this.dialog.append(this.ring, box);
        this.dialog.addEventListener('close', () => {
            memory.set('introduced', 'yes');
            this.remove();
        });
        this.append(this.dialog);
    }

    shown() {
        this.dialog.showModal();
        this.dialog.querySelector('h2')?.focus();
        this.point();
        addEventListener('resize', this.place);
    }

    gone() {
        removeEventListener('resize', this.place);
    }

    point() {
        const box = document.querySelector('.bar cast-button')?.getBoundingClientRect();
        if (!box) return;
        this.dialog.style.setProperty('--x', `${box.left + box.width / 2}px`);
        this.dialog.style.setProperty('--y', `${box.top + box.height / 2}px`);
    }
}
customElements.define('cast-introduction', Introduction);

/** Waits for the first device, unless this browser has seen the introduction. */
export function introduceOnce() {
    if (!settings.introduction.enabled || memory.get('introduced') === 'yes') return;
    const stop = store.subscribe(() => {
        if ((store.state.bridge.devices ?? []).length === 0 || document.querySelector('dialog[open]')) return;
        stop();
        document.body.append(new Introduction());
    });
}
