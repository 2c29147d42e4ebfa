import { detailOf, markPending, wordsOf } from '../elements/commands.js';
import { button, h, patchList, setText, show } from '../elements/dom.js';
import { notify } from '../elements/notices.js';
import { Widget } from '../elements/widget.js';
import { ApiError } from '../state/api.js';
import { api, choice, settings, store } from '../state/app.js';
import { hasMedia, isOnline, listedDevices, nameOf } from '../state/devices.js';
import { findingText, language, t, textOf } from '../texts/texts.js';
import { afterDrop, guessTitle, guessType, loadCommand, pairSubtitles, readAddresses, readLines } from './load-model.js';

/** @typedef {import('../state/types.js').Finding} Finding */

/** What is said when an action succeeded. */
const successes = /** @type {const} */ ({ play: 'load.playing', next: 'load.enqueuedNext', enqueue: 'load.enqueued', check: 'load.checked' });

/** Plays an address: paste or drop it; when it fails, what is wrong with it in words. */
export class LoadView extends Widget {
    headline = h('h1', { tabIndex: -1 }, t('load.title'));
    addresses = h('textarea', { id: 'load-url', rows: 3, required: true, spellcheck: false, inputMode: 'url', autocapitalize: 'off', placeholder: 'https://…', 'aria-describedby': 'load-url-hint' });
    device = h('select', { id: 'load-device' });
    mediaTitle = h('input', { id: 'load-title', type: 'text' });
    type = h('input', { id: 'load-type', type: 'text', autocapitalize: 'off', spellcheck: false });
    subtitles = h('textarea', { id: 'load-subtitles', rows: 1, spellcheck: false, inputMode: 'url', autocapitalize: 'off' });
    start = h('input', { id: 'load-start', type: 'text', placeholder: '0:00' });
    live = h('input', { id: 'load-live', type: 'checkbox' });
    play = button('play', t('load.play'), () => {}, { text: true, type: 'submit', class: 'button primary' });
    next = button('next', t('load.next'), () => void this.run('next'), { text: true });
    enqueue = button('queue', t('load.enqueue'), () => void this.run('enqueue'), { text: true });
    check = button('search', t('load.check'), () => void this.run('check'), { text: true });
    failure = h('p', { class: 'load-failure' });
    findings = h('ul', { class: 'findings' });
    result = h('section', { class: 'card', hidden: true, 'aria-live': 'polite' }, this.failure, this.findings);

    build() {
        const field = (/** @type {HTMLElement} */ input, /** @type {string} */ label, /** @type {Node|null} */ hint = null) =>
            h('div', { class: 'field' }, h('label', { for: input.id }, label), input, hint);
        this.form = h('form', { class: 'card load-form', onsubmit: (/** @type {Event} */ event) => { event.preventDefault(); void this.run('play'); } },
            field(this.addresses, t('load.url'), h('small', { id: 'load-url-hint', class: 'quiet' }, t('load.urlHint'))),
            field(this.device, t('load.device')),
            h('div', { class: 'form-grid' }, field(this.mediaTitle, t('load.mediaTitle')), field(this.subtitles, t('load.subtitles'))),
            h('details', null, h('summary', null, t('load.options')), h('div', { class: 'form-grid' },
                field(this.type, t('load.type')), field(this.start, t('load.start')),
                h('label', { class: 'choice', for: 'load-live' }, this.live, h('span', null, t('load.live'))))),
            h('div', { class: 'actions' }, this.play, this.next, this.enqueue, this.check));
        this.append(this.headline, h('p', { class: 'quiet' }, t('load.text')), this.form, this.result);
        this.addresses.addEventListener('input', () => this.guess());
        this.subtitles.addEventListener('input', () => this.subtitles.setCustomValidity(''));
        this.addEventListener('dragover', (event) => {
            event.preventDefault();
            this.toggleAttribute('data-drop', true);
        });
        this.addEventListener('dragleave', () => this.toggleAttribute('data-drop', false));
        this.addEventListener('drop', (event) => this.drop(event));
    }

    /** @type {HTMLFormElement|null} */
    form = null;

    /** @param {Set<string>|null} changed */
    update(changed) {
        if (changed && !changed.has('bridge/devices') && !changed.has('choice')) return;
        const devices = listedDevices(store.state).filter((device) => isOnline(store.state.devices.get(device.slug)));
        const wanted = this.device.value || choice.controlled() || choice.slug;
        patchList(this.device, devices, (device) => device.slug, (device) => h('option', { value: device.slug }), (option, device) => setText(option, device.name));
        if (wanted && devices.some(({ slug }) => slug === wanted)) this.device.value = wanted;
        for (const control of [this.play, this.next, this.enqueue, this.check]) control.disabled = !api.may('control');
    }

    /** @param {DragEvent} event */
    drop(event) {
        event.preventDefault();
        this.toggleAttribute('data-drop', false);
        const text = event.dataTransfer?.getData('text/uri-list') || event.dataTransfer?.getData('text/plain');
        if (!text) return;
        this.addresses.value = afterDrop(this.addresses.value, text);
        this.guess();
    }

    /** What the fields have that the user has not changed. */
    guessed = { title: '', subtitles: '' };

    guess() {
        const first = pairSubtitles(readAddresses(this.addresses.value).addresses)[0];
        const type = first ? guessType(first.url) : null;
        this.type.placeholder = type === null ? '' : t('load.guessed', { type });
        const guessed = { title: first ? guessTitle(first.url) : '', subtitles: first ? first.subtitles.join('\n') : '' };
        if (this.mediaTitle.value === this.guessed.title) this.mediaTitle.value = guessed.title;
        if (this.subtitles.value === this.guessed.subtitles) this.subtitles.value = guessed.subtitles;
        this.subtitles.rows = Math.max(1, this.subtitles.value.split('\n').length);
        this.guessed = guessed;
        this.addresses.setCustomValidity('');
        this.subtitles.setCustomValidity('');
    }

    /** @returns {import('./load-model.js').LoadFields} */
    fields() {
        return {
            type: this.type.value.trim(), title: this.mediaTitle.value.trim(), subtitles: readLines(this.subtitles.value).addresses,
            subtitlesName: t('tracks.text'), language: language(), live: this.live.checked, position: this.start.value.trim(),
        };
    }

    /** @param {'play'|'next'|'enqueue'|'check'} action */
    async run(action) {
        const { addresses, wrong } = readAddresses(this.addresses.value);
        const isWrong = addresses.length === 0 || wrong.length > 0;
        if (isWrong || readLines(this.subtitles.value).wrong.length > 0) {
            (isWrong ? this.addresses : this.subtitles).setCustomValidity(t('load.badUrl'));
            this.form?.reportValidity();
            return;
        }
        const slug = this.device.value;
        if (!slug) return notify(t('load.noDevice'), { failure: true });
        const [command, payload] = loadCommand(action, addresses, this.fields(), hasMedia(store.state.devices.get(slug)?.state));
        show(this.result, false);
        const control = this[action];
        const done = markPending(control);
        control.disabled = true;
        const device = nameOf(store.state, slug);
        try {
            const answer = await api.command(`${encodeURIComponent(slug)}/${command}`, payload);
            const findings = answer.data?.findings ?? [];
            if (findings.length > 0) this.showResult(t('load.findings'), null, findings);
            else notify(t(successes[action], { device }));
            // What was typed belongs to this address: the next one gets guesses again.
            if (action !== 'check') this.guessed = { title: this.mediaTitle.value, subtitles: this.subtitles.value };
            if (action === 'play') {
                choice.choose(slug);
                if (settings.opens_expanded) document.dispatchEvent(new CustomEvent('expand', { detail: slug }));
            }
        } catch (error) {
            const answer = error instanceof ApiError ? error.answer : null;
            this.showResult(`${device}: ${wordsOf(error)}`, [error instanceof ApiError ? `${error.code}` : null, detailOf(error)].filter(Boolean).join(' · '), answer?.data?.findings ?? []);
        } finally {
            done();
            control.disabled = false;
        }
    }

    /** @param {string} title @param {string|null} detail @param {Finding[]} findings */
    showResult(title, detail, findings) {
        this.failure.replaceChildren(h('strong', null, title), detail ? h('span', { class: 'quiet' }, detail) : '');
        patchList(this.findings, findings, (finding) => `${finding.code} ${finding.subject}`, (finding) =>
            h('li', { class: `finding ${finding.severity === 'error' ? 'error' : 'warning'}` },
                h('span', { class: 'badge' }, textOf('severity', finding.severity) ?? finding.severity),
                h('span', { class: 'row-text' },
                    ...findingText(finding).map((text, index) => h(index === 0 ? 'strong' : 'span', null, text)),
                    finding.url ? h('small', { class: 'quiet' }, finding.url) : null)));
        show(this.result, true);
        this.result.scrollIntoView({ block: 'nearest' });
    }
}
customElements.define('load-view', LoadView);
