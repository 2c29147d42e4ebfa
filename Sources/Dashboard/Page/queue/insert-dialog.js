import { send } from '../elements/commands.js';
import { Dialog } from '../elements/dialog.js';
import { button, h, setText } from '../elements/dom.js';
import { notify } from '../elements/notices.js';
import { loadItems, noFields, readAddresses } from '../play/load-model.js';
import { t } from '../texts/texts.js';
import { titleOf } from './queue-row.js';

/** @typedef {'next'|'before'|'end'|'replace'} Place */

/** Adds addresses to the queue: behind what plays, before an item, or at the end. */
export class InsertDialog extends Dialog {
    /**
     * @param {import('./queue-view.js').QueueView} view
     * @param {number} [index] Of the item before which to add them.
     */
    constructor(view, index) {
        super();
        this.view = view;
        this.slug = view.slug ?? '';
        /** Id of the item before which to add them: the queue may change meanwhile. */
        this.target = view.list.order[index ?? Math.max(0, view.currentIndex())];
        this.places[index === undefined ? 'next' : 'before'].checked = true;
    }

    addresses = h('textarea', { id: 'insert-url', rows: 3, required: true, spellcheck: false, inputMode: 'url', autocapitalize: 'off', placeholder: 'https://…', 'aria-describedby': 'insert-url-hint', oninput: () => this.addresses.setCustomValidity('') });
    number = h('input', { id: 'insert-number', type: 'number', min: '1', inputMode: 'numeric', 'aria-label': t('queue.addNumber'), 'aria-describedby': 'insert-title', oninput: () => this.choose() });
    itemTitle = h('span', { id: 'insert-title', class: 'quiet' });
    form = h('form', { onsubmit: (/** @type {Event} */ event) => { event.preventDefault(); void this.add(); } });
    submit = button('plus', t('queue.add'), () => {}, { text: true, type: 'submit', class: 'button primary' });
    places = { next: radio('next'), before: radio('before'), end: radio('end'), replace: radio('replace') };

    build() {
        super.build();
        this.heading.append(t('queue.addTitle'));
        const choice = (/** @type {Place} */ place, /** @type {string} */ text) => h('label', { class: 'choice' }, this.places[place], h('span', null, text));
        this.form.append(
            h('div', { class: 'field' }, h('label', { for: this.addresses.id }, t('load.url')), this.addresses, h('small', { id: 'insert-url-hint', class: 'quiet' }, t('load.urlHint'))),
            h('fieldset', null, h('legend', null, t('queue.addWhere')),
                choice('next', t('queue.addNext')),
                h('div', { class: 'insert-before' }, choice('before', t('queue.addBeforeNumber')), this.number, this.itemTitle),
                choice('end', t('queue.addEnd')), choice('replace', t('queue.addReplace'))),
            h('div', { class: 'actions' }, this.submit));
        this.content.append(this.form);
        this.showTarget();
    }

    update() {
        if (document.activeElement !== this.number) this.showTarget();
    }

    /** Shows where the item is now. */
    showTarget() {
        const { list } = this.view;
        const index = list.indexOf(this.target);
        this.number.max = String(list.length);
        if (index < 0) return;
        this.number.value = String(index + 1);
        setText(this.itemTitle, titleOf(list.at(index)));
    }

    /** Takes the item with the typed number. */
    choose() {
        this.places.before.checked = true;
        const index = Number(this.number.value) - 1;
        if (!this.number.validity.valid || this.view.list.order[index] === undefined) return setText(this.itemTitle, '');
        this.target = this.view.list.order[index];
        setText(this.itemTitle, titleOf(this.view.list.at(index)));
    }

    async add() {
        const { addresses, wrong } = readAddresses(this.addresses.value);
        if (addresses.length === 0 || wrong.length > 0) {
            this.addresses.setCustomValidity(t('load.badUrl'));
            this.form.reportValidity();
            return;
        }
        const place = this.places.before.checked ? { before: this.target } : { at: this.places.next.checked ? 'next' : 'end' };
        const items = loadItems(addresses, noFields);
        const answer = this.places.replace.checked ? await send(this.slug, 'cmd/queue_load', { items }, this.submit)
            : await send(this.slug, 'cmd/queue_insert', { items, ...place }, this.submit);
        if (answer === null) return;
        notify(t('queue.added'));
        if (this.isConnected) this.close();
    }
}
customElements.define('insert-dialog', InsertDialog);

/** @param {Place} value */
function radio(value) {
    return h('input', { type: 'radio', name: 'insert-place', value });
}
