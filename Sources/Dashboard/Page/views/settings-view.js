import { field } from '../cast/device-dialog.js';
import { detailOf, markPending, request, wordsOf } from '../elements/commands.js';
import { Confirm } from '../elements/confirm.js';
import { open } from '../elements/dialog.js';
import { button, h, patchList, setText, show } from '../elements/dom.js';
import { notify } from '../elements/notices.js';
import { Widget } from '../elements/widget.js';
import { ApiError } from '../state/api.js';
import { api } from '../state/app.js';
import { t, textOf } from '../texts/texts.js';
import { controlOf, sections, textOfValue, valueOf } from './settings-model.js';

/** @typedef {import('./settings-model.js').Setting} Setting */

/** The bridge's settings, for the role `admin`: who may do what, devices, presets, and every key with the place of its value. */
export class SettingsView extends Widget {
    /** @type {Setting[]} */
    settings = [];
    /** @type {string[]} */
    waiting = [];
    failure = h('p', { class: 'failure-text', role: 'alert' });
    restart = button('refresh', t('admin.restart'), () => open(new Confirm(t('admin.restartAsk'), ['refresh', t('admin.restart')], () => void this.startAgain())), { text: true });
    waits = h('p', { class: 'quiet' });
    tokens = h('ul');
    presets = h('ul');
    filter = h('input', { type: 'search', 'aria-label': t('admin.filter'), placeholder: t('admin.filter'), oninput: () => this.draw() });
    all = h('div', { class: 'settings-list' });

    build() {
        const roles = ['admin', 'control', 'view'];
        const passwords = roles.map((role) => {
            const input = h('input', { type: 'password', autocomplete: 'new-password', minLength: 8, required: true });
            return this.form([field(input, t('admin.passwordOf', { role: textOf('role', role) ?? role }))], async () => {
                await api.request('POST', `settings/passwords/${role}`, { password: input.value });
                // Browsers with the former password are signed out, this one too.
                if (role === 'admin' && api.token === null) await api.signIn(input.value);
                input.value = '';
            });
        });
        const name = h('input', { required: true, maxLength: 40, pattern: '[A-Za-z0-9_.\\-]+' });
        const role = h('select', null, ...['view', 'control', 'admin'].map((word) => h('option', { value: word }, textOf('role', word))));
        const made = h('output', { class: 'token' });
        const address = h('input', { required: true, placeholder: '192.168.1.20', autocapitalize: 'off', spellcheck: false });
        const preset = h('input', { required: true, maxLength: 100 });
        const url = h('input', { type: 'url', required: true, placeholder: 'http://' });
        this.append(h('h1', { tabIndex: -1 }, t('admin.title')), this.failure, h('div', { class: 'toolbar' }, this.restart, this.waits), h('div', { class: 'columns' },
            card('admin.passwords', h('p', { class: 'quiet' }, t('admin.passwordsHint')), ...passwords),
            card('admin.tokens', this.tokens, this.form([field(name, t('admin.name')), field(role, t('admin.role'))], async () => {
                setText(made, (await api.request('POST', 'settings/tokens', { name: name.value, role: role.value })).token);
                name.value = '';
            }, 'plus', t('admin.makeToken')), h('p', { class: 'quiet' }, t('admin.tokenOnce')), made),
            card('admin.addDevice', this.form([field(address, t('device.address'))], async () => {
                await api.command('bridge/request/device/add', address.value.trim());
                address.value = '';
            }, 'plus', t('admin.add'))),
            card('admin.presets', this.presets, this.form([field(preset, t('admin.name')), field(url, t('admin.url'))], async () => {
                await api.command('bridge/request/preset/set', { name: preset.value.trim(), url: url.value.trim() });
                preset.value = url.value = '';
            }, 'plus', t('admin.add')))),
        card('admin.all', h('div', { class: 'toolbar' }, this.filter), this.all));
    }

    shown() {
        void this.load();
    }

    async load() {
        try {
            const [answer, tokens] = await Promise.all([api.get('settings'), api.get('settings/tokens')]);
            [this.settings, this.waiting] = [answer.settings, answer.restart];
            patchList(this.tokens, /** @type {{name: string, role: string}[]} */ (tokens.tokens), (token) => `${token.name} ${token.role}`, (token) =>
                row(token.name, textOf('role', token.role) ?? token.role, () => this.ask(token.name, async () => void (await api.request('DELETE', `settings/tokens/${encodeURIComponent(token.name)}`)))));
        } catch (error) {
            return setText(this.failure, wordsOf(error));
        }
        const presets = this.settings.find(({ key }) => key === 'presets')?.value ?? {};
        patchList(this.presets, Object.keys(presets), (name) => name, (name) =>
            row(name, presets[name]?.url ?? presets[name]?.file ?? '', () => this.ask(name, async () => void (await api.command('bridge/request/preset/remove', { name })))));
        setText(this.waits, this.waiting.length > 0 ? t('admin.waits', { keys: this.waiting.join(', ') }) : '');
        this.draw();
    }

    draw() {
        const found = [...sections(this.settings, this.filter.value)];
        const isSearch = this.filter.value.trim() !== '';
        patchList(this.all, found, ([name]) => name, ([name]) => h('details', null, h('summary', null, name), h('div')), (part, [, list]) => {
            if (isSearch) part.open = true;
            patchList(/** @type {HTMLElement} */ (part.lastElementChild), list, (setting) => `${setting.key} ${setting.place} ${JSON.stringify(setting.value)}`, (setting) => this.setting(setting));
        });
    }

    /** @param {Setting} setting */
    setting(setting) {
        const { kind, words, least, most } = controlOf(setting);
        const text = textOfValue(setting.value);
        const options = kind === 'flag' ? ['true', 'false'] : words ?? [];
        const input = options.length > 0 ? h('select', null, ...options.map((word) => h('option', { value: word }, word)))
            : kind === 'json' ? h('textarea', { rows: Math.min(8, text.split('\n').length), spellcheck: false })
                : h('input', { type: kind === 'number' ? 'number' : 'text', min: least ?? null, max: most ?? null, step: kind === 'number' ? 'any' : null, placeholder: setting.default });
        if (text === '…') {
            // A secret is not shown: what is typed replaces it.
            Object.assign(input, { type: 'password', autocomplete: 'new-password', placeholder: text, required: true });
        } else {
            input.value = text;
        }
        input.disabled = !setting.choosable;
        const reset = button('undo', t('admin.reset', { key: setting.key }), () => void this.change(reset, () => api.request('DELETE', `settings/${setting.key}`)));
        show(reset, setting.place === 'settings');
        const form = this.form([field(input, setting.key, setting.meaning)], () => api.request('POST', 'settings', { [setting.key]: valueOf(setting, input.value) }));
        form.querySelector('.actions')?.append(reset, h('span', { class: 'badge' }, textOf('place', setting.place) ?? setting.place),
            setting.live ? '' : h('small', { class: 'quiet' }, t('admin.needsRestart')));
        show(/** @type {HTMLElement} */ (form.querySelector('[type=submit]')), setting.choosable);
        return form;
    }

    /**
     * @param {Node[]} fields @param {() => Promise<any>} act @param {string} [icon] @param {string} [label]
     */
    form(fields, act, icon = 'check', label = t('device.save')) {
        const save = button(icon, label, () => {}, { text: true, type: 'submit' });
        return h('form', { class: 'setting', onsubmit: (/** @type {Event} */ event) => { event.preventDefault(); void this.change(save, act); } },
            ...fields, h('div', { class: 'actions' }, save));
    }

    /** @param {Element} control @param {() => Promise<any>} act */
    async change(control, act) {
        const done = markPending(control);
        try {
            const answer = await act();
            notify(answer?.restart?.length > 0 ? t('admin.waits', { keys: answer.restart.join(', ') }) : t('setup.saved'));
            await this.load();
        } catch (error) {
            const words = error instanceof SyntaxError ? error.message : error instanceof ApiError && error.code === 'bad_payload' && error.message ? error.message : wordsOf(error);
            notify(words, { failure: true, detail: error instanceof ApiError && words !== error.message ? detailOf(error) : null });
        } finally {
            done();
        }
    }

    /** @param {string} name @param {() => Promise<void>} act */
    ask(name, act) {
        open(new Confirm(t('admin.removeAsk', { name }), ['remove', t('device.remove')], () => void this.change(this.restart, act)));
    }

    async startAgain() {
        if ((await request('restart', undefined, this.restart)) !== null) notify(t('setup.restarting'));
    }
}
customElements.define('settings-view', SettingsView);

/** @param {import('../texts/texts.js').TextKey} title @param {...Node} content */
function card(title, ...content) {
    return h('section', { class: 'card' }, h('h2', null, t(title)), ...content);
}

/** @param {string} name @param {string} detail @param {() => void} remove */
function row(name, detail, remove) {
    return h('li', { class: 'row' }, h('span', { class: 'row-text' }, h('span', { dir: 'auto' }, name), h('span', { class: 'quiet' }, detail)),
        button('remove', t('admin.removeOne', { name }), remove));
}
