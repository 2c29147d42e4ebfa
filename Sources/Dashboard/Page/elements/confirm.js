import { t } from '../texts/texts.js';
import { Dialog } from './dialog.js';
import { button, h } from './dom.js';

/** Asks before something that others would miss. */
export class Confirm extends Dialog {
    /** @param {string} question @param {[icon: string, label: string]} answer @param {() => void} act What the answer does. */
    constructor(question, [icon, label], act) {
        super();
        this.question = question;
        this.yes = button(icon, label, () => {
            this.close();
            act();
        }, { text: true, class: 'button danger' });
    }

    build() {
        super.build();
        this.heading.append(this.question);
        this.content.append(h('div', { class: 'actions' }, this.yes, button('close', t('cancel'), () => this.close(), { text: true })));
    }
}
customElements.define('confirm-dialog', Confirm);
