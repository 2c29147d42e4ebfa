import { markPending, request, wordsOf } from '../elements/commands.js';
import { button, h, setText, show } from '../elements/dom.js';
import { notify } from '../elements/notices.js';
import { Widget } from '../elements/widget.js';
import { ApiError } from '../state/api.js';
import { api } from '../state/app.js';
import { t, textOf } from '../texts/texts.js';
import { brokerKeys, changesOf, modeKey, offerText } from './setup-model.js';

/** @typedef {import('./setup-model.js').Setting} Setting */
/** @typedef {import('./setup-model.js').BrokerOffer} BrokerOffer */

/** The first start's questions: a password, the broker, Home Assistant. The broker is tried before it is kept. */
export class SetupView extends Widget {
    /** @type {Map<string, Setting>} */
    settings = new Map();
    /** @type {BrokerOffer[]} */
    offers = [];
    newPassword = h('input', { id: 'setup-new', type: 'password', autocomplete: 'new-password', minLength: 8 });
    broker = h('select', { id: 'setup-broker', onchange: () => this.choose() }, h('option', { value: 'private' }, t('setup.private')), h('option', { value: 'other' }, t('setup.other')));
    host = h('input', { id: 'setup-host', autocapitalize: 'off', spellcheck: false, required: true });
    port = h('input', { id: 'setup-port', type: 'number', min: '1', max: '65535', placeholder: '1883' });
    username = h('input', { id: 'setup-username', autocomplete: 'off', autocapitalize: 'off', spellcheck: false });
    password = h('input', { id: 'setup-password', type: 'password', autocomplete: 'off' });
    tls = h('input', { id: 'setup-tls', type: 'checkbox' });
    mode = h('select', { id: 'setup-mode' }, ...['device', 'components', 'off'].map((word) => h('option', { value: word }, textOf('setup', word))));
    searching = h('small', { class: 'quiet', role: 'status' }, t('setup.searching'));
    failure = h('p', { class: 'failure-text', role: 'alert' });
    save = button('right', t('setup.save'), () => {}, { text: true, type: 'submit', class: 'button primary' });
    untried = button('right', t('setup.untried'), () => void this.store(true), { text: true, hidden: true });

    build() {
        const field = (/** @type {HTMLElement} */ input, /** @type {string} */ label, /** @type {Node|null} */ hint = null) =>
            h('div', { class: 'field' }, h('label', { for: input.id }, label), input, hint);
        const fixed = () => h('p', { class: 'quiet', hidden: true }, t('setup.fixed'));
        this.passwordField = field(this.newPassword, t('setup.password'), h('small', { class: 'quiet' }, t('setup.passwordHint')));
        this.address = h('div', { class: 'form-grid', hidden: true }, field(this.host, t('setup.host')), field(this.port, t('setup.port')),
            field(this.username, t('setup.username')), field(this.password, t('setup.brokerPassword')),
            h('label', { class: 'choice', for: 'setup-tls' }, this.tls, h('span', null, t('setup.tls'))));
        this.brokerPart = h('fieldset', null, fixed(), field(this.broker, t('setup.broker'), this.searching), this.address);
        this.modePart = h('fieldset', null, fixed(), field(this.mode, t('setup.homeAssistant')));
        this.form = h('form', { class: 'card load-form', hidden: true, onsubmit: (/** @type {Event} */ event) => { event.preventDefault(); void this.store(false); } },
            this.passwordField, this.brokerPart, this.modePart, h('div', { class: 'actions' }, this.save, this.untried));
        this.append(h('h1', { tabIndex: -1 }, t('setup.title')), this.form, this.failure);
    }

    shown() {
        void this.load();
    }

    async load() {
        try {
            /** @type {Setting[]} */
            const list = (await api.get('settings')).settings;
            this.settings = new Map(list.map((setting) => [setting.key, setting]));
        } catch (error) {
            return setText(this.failure, wordsOf(error));
        }
        const value = (/** @type {string} */ key) => this.settings.get(key)?.value ?? null;
        this.broker.value = value('mqtt.host') === null ? 'private' : 'other';
        this.host.value = value('mqtt.host') ?? '';
        this.port.value = value('mqtt.port') ?? '';
        this.username.value = value('mqtt.username') ?? '';
        this.tls.checked = value('mqtt.tls.enabled') === true;
        this.mode.value = value(modeKey) ?? 'device';
        if (value('mqtt.password') !== null) this.password.placeholder = t('setup.kept');
        fix(this.brokerPart, brokerKeys.some((key) => !this.settings.get(key)?.choosable));
        fix(this.modePart, !this.settings.get(modeKey)?.choosable);
        if (this.passwordField) show(this.passwordField, api.session?.first_password === true);
        this.choose();
        if (this.form) show(this.form, true);
        if (!this.brokerPart?.disabled) await this.search();
    }

    async search() {
        try {
            this.offers = (await api.get('brokers')).brokers;
        } catch {
            this.offers = [];
        }
        show(this.searching, false);
        this.broker.prepend(...this.offers.map((offer, index) => h('option', { value: String(index) }, offerText(offer, t('setup.thisMachine')))));
    }

    /** A broker of the list fills the fields; what it does not say, its user and password, is asked for. */
    choose() {
        const offer = this.offers[Number(this.broker.value)];
        if (offer) [this.host.value, this.port.value, this.tls.checked] = [offer.host, String(offer.port), offer.tls];
        const isPrivate = this.broker.value === 'private';
        this.host.disabled = isPrivate;
        if (this.address) show(this.address, !isPrivate);
        show(this.untried, false);
        setText(this.failure, '');
    }

    /** @param {boolean} untried */
    async store(untried) {
        const done = markPending(untried ? this.untried : this.save);
        this.save.disabled = this.untried.disabled = true;
        setText(this.failure, '');
        try {
            if (this.newPassword.value !== '') {
                await api.chooseFirstPassword(undefined, this.newPassword.value);
                this.newPassword.value = '';
                if (this.passwordField) show(this.passwordField, false);
            }
            const changes = changesOf(this.settings, {
                host: this.broker.value === 'private' ? '' : this.host.value.trim(), port: this.port.value, username: this.username.value.trim(),
                password: this.password.value, tls: this.tls.checked, mode: this.mode.value,
            });
            const answer = Object.keys(changes).length === 0 ? { restart: [] } : await api.request('POST', untried ? 'settings?untried=1' : 'settings', changes);
            location.hash = '#/';
            if (answer.restart.length === 0) notify(t('setup.saved'));
            else if ((await request('restart')) !== null) notify(t('setup.restarting'));
        } catch (error) {
            const fault = error instanceof ApiError ? textOf('fault', error.code) : null;
            setText(this.failure, fault ?? (error instanceof ApiError && error.message ? error.message : wordsOf(error)));
            show(this.untried, error instanceof ApiError && !['bad_payload', 'forbidden', 'unreachable'].includes(error.code));
        } finally {
            done();
            this.save.disabled = this.untried.disabled = false;
        }
    }
}
customElements.define('setup-view', SetupView);

/**
 * What file or environment set can't be chosen.
 * @param {HTMLFieldSetElement|undefined} part @param {boolean} isFixed
 */
function fix(part, isFixed) {
    if (!part) return;
    part.disabled = isFixed;
    if (part.firstElementChild instanceof HTMLElement) show(part.firstElementChild, isFixed);
}
