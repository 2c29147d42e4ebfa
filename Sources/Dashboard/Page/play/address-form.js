import { button, h, setText, show } from '../elements/dom.js';
import { language, t, textOf } from '../texts/texts.js';
import { afterDrop, guessTitle, loadCommand, pairSubtitles, readAddresses, readLines } from './load-model.js';

/** @typedef {'play'|'next'|'enqueue'|'check'|'show'} Action */

const kinds = ['movie', 'tv_show', 'music', 'photo', 'audiobook_chapter'];
const address = { spellcheck: false, inputMode: 'url', autocapitalize: 'off' };

/** Addresses to play, pasted or dropped. Title and subtitles are guessed from them; everything else is asked for only under "More". */
export class AddressForm extends HTMLElement {
    /** @param {(action: Action, command: [string, any], control: HTMLButtonElement) => Promise<boolean>} run Returns whether it succeeded. */
    constructor(run) {
        super();
        this.run = run;
    }

    addresses = h('textarea', { id: 'load-url', rows: 1, required: true, ...address, placeholder: 'https://…', 'aria-describedby': 'load-url-hint' });
    hint = h('small', { id: 'load-url-hint', class: 'quiet' }, t('load.urlHint'));
    mediaTitle = h('input', { id: 'load-title', type: 'text' });
    artist = h('input', { id: 'load-artist', type: 'text' });
    kind = h('select', { id: 'load-kind' }, h('option', { value: '' }, t('load.kindRead')), ...kinds.map((value) => h('option', { value }, textOf('kind', value))));
    picture = h('input', { id: 'load-picture', type: 'url', ...address });
    subtitles = h('textarea', { id: 'load-subtitles', rows: 1, ...address });
    start = h('input', { id: 'load-start', type: 'text', placeholder: '0:00' });
    live = h('input', { id: 'load-live', type: 'checkbox' });
    play = button('play', t('load.play'), () => {}, { text: true, type: 'submit', class: 'button primary' });
    next = button('next', t('load.next'), () => void this.act('next'), { text: true });
    enqueue = button('queue', t('load.enqueue'), () => void this.act('enqueue'), { text: true });
    check = button('search', t('load.check'), () => void this.act('check'), { text: true });
    options = h('details', null);
    show = button('tv', t('load.show'), () => void this.act('show'), { text: true });
    actions = h('div', { class: 'actions' }, this.play, this.next, this.enqueue);
    form = h('form', { class: 'card load-form', onsubmit: (/** @type {Event} */ event) => { event.preventDefault(); void this.act('play'); } });
    /** What the fields have that the user has not changed. */
    guessed = { title: '', subtitles: '' };
    hasQueue = false;

    connectedCallback() {
        if (this.childElementCount > 0) return;
        const field = (/** @type {HTMLElement} */ input, /** @type {string} */ label, /** @type {Node|null} */ hint = null) =>
            h('div', { class: 'field' }, h('label', { for: input.id }, label), input, hint);
        this.form.append(
            field(this.addresses, t('load.url'), this.hint),
            this.options, this.actions);
        this.options.append(h('summary', null, t('load.options')), h('div', { class: 'form-grid' },
            field(this.mediaTitle, t('load.mediaTitle')), field(this.artist, t('meta.artist')), field(this.kind, t('load.kind')),
            field(this.picture, t('load.picture')), field(this.subtitles, t('load.subtitles')), field(this.start, t('load.start')),
            h('label', { class: 'choice', for: 'load-live' }, this.live, h('span', null, t('load.live')))), h('div', { class: 'actions' }, this.check, this.show));
        this.append(this.form);
        this.showOptions();
        this.addresses.addEventListener('input', () => this.guess());
        this.subtitles.addEventListener('input', () => this.subtitles.setCustomValidity(''));
    }

    /** @param {{may: boolean, hasQueue: boolean, hasScreen: boolean}} device What it lets one do. */
    setDevice({ may, hasQueue, hasScreen }) {
        show(this.show, hasScreen);
        this.hasQueue = hasQueue;
        for (const control of [this.play, this.next, this.enqueue, this.check, this.show]) control.disabled = !may;
        this.showOptions();
    }

    /** Without an address they have nothing to act on. */
    showOptions() {
        const some = this.addresses.value.trim() !== '';
        show(this.options, some);
        for (const control of [this.next, this.enqueue]) show(control, some && this.hasQueue);
    }

    /** @param {string} text */
    drop(text) {
        this.addresses.value = afterDrop(this.addresses.value, text);
        this.guess();
    }

    guess() {
        const first = pairSubtitles(readAddresses(this.addresses.value).addresses)[0];
        const guessed = { title: first ? guessTitle(first.url) : '', subtitles: first ? first.subtitles.join('\n') : '' };
        if (this.mediaTitle.value === this.guessed.title) this.mediaTitle.value = guessed.title;
        if (this.subtitles.value === this.guessed.subtitles) this.subtitles.value = guessed.subtitles;
        for (const area of [this.addresses, this.subtitles]) {
            area.rows = Math.min(Math.max(1, area.value.split('\n').length), 8);
            area.setCustomValidity('');
        }
        this.guessed = guessed;
        this.showOptions();
        setText(this.hint, guessed.title === '' ? t('load.urlHint') : guessed.title);
    }

    /** @param {Action} action */
    async act(action) {
        const { addresses, wrong } = readAddresses(this.addresses.value);
        const isWrong = addresses.length === 0 || wrong.length > 0;
        if (isWrong || readLines(this.subtitles.value).wrong.length > 0) {
            const area = isWrong ? this.addresses : this.subtitles;
            area.setCustomValidity(t('load.badUrl'));
            // A field that is folded away can't show what is wrong with it.
            const details = area.closest('details');
            if (details) details.open = true;
            this.form.reportValidity();
            return;
        }
        const fields = {
            title: this.mediaTitle.value.trim(), artist: this.artist.value.trim(), kind: this.kind.value, image: this.picture.value.trim(),
            subtitles: readLines(this.subtitles.value).addresses, subtitlesName: t('tracks.text'), language: language(), live: this.live.checked,
            position: this.start.value.trim(),
        };
        const done = await this.run(action, loadCommand(action, addresses, fields, this.hasQueue), this[action]);
        // What was typed belongs to this address: the next one gets guesses again.
        if (done && action !== 'check') this.guessed = { title: this.mediaTitle.value, subtitles: this.subtitles.value };
    }
}
customElements.define('address-form', AddressForm);
