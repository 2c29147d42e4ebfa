import { Dialog } from '../elements/dialog.js';
import { button, h, show } from '../elements/dom.js';
import { applyTheme } from '../elements/theme.js';
import { api, memory } from '../state/app.js';
import { follow } from '../player/lock-screen.js';
import { t } from '../texts/texts.js';

/** What this browser remembers about the page: appearance, language, keys; and signing out. */
export class SettingsDialog extends Dialog {
    signOut = button('leave', t('settings.signOut'), () => void this.end(), { text: true });

    build() {
        super.build();
        this.heading.append(t('settings.title'));
        const keys = h('input', { type: 'checkbox', checked: memory.get('keys') !== 'off', onchange: () => memory.set('keys', keys.checked ? null : 'off') });
        const session = h('input', { type: 'checkbox', checked: memory.get('lockScreen') === 'on', onchange: () => {
            memory.set('lockScreen', session.checked ? 'on' : null);
            follow();
        } });
        const choice = (/** @type {Node} */ input, /** @type {string} */ text, /** @type {string} */ hint) =>
            h('label', { class: 'choice' }, input, h('span', { class: 'row-text' }, h('span', null, text), h('span', { class: 'quiet wrap' }, hint)));
        this.content.append(
            this.choices('theme', t('settings.theme'), [['auto', t('settings.auto')], ['light', t('settings.light')], ['dark', t('settings.dark')]], () => applyTheme()),
            this.choices('language', t('settings.language'), [['auto', t('settings.languageAuto')], ['en', 'English'], ['de', 'Deutsch'], ['es', 'Español'], ['id', 'Bahasa Indonesia']], () => location.reload()),
            choice(keys, t('settings.keys'), t('settings.keysHint')),
            'mediaSession' in navigator ? choice(session, t('settings.session'), t('settings.sessionHint')) : '',
            h('div', { class: 'actions' },
                api.may('admin') ? button('settings', t('admin.title'), () => { this.close(); location.hash = '#/settings'; }, { text: true }) : null,
                api.may('admin') ? button('settings', t('settings.setup'), () => { this.close(); location.hash = '#/setup'; }, { text: true }) : null,
                button('info', t('settings.intro'), () => { memory.set('introduced', null); location.reload(); }, { text: true }), this.signOut),
            h('p', { class: 'quiet' }, t('settings.version', { version: api.session?.version ?? '' })));
        show(this.signOut, api.session?.login_required === true && api.token === null);
    }

    /** @param {string} key @param {string} label @param {string[][]} options @param {() => void} changed */
    choices(key, label, options, changed) {
        const present = memory.get(key) ?? 'auto';
        return h('fieldset', null, h('legend', null, label), h('div', { class: 'choices inline-choices' }, ...options.map(([value, text]) => {
            const input = h('input', { type: 'radio', name: `setting-${key}`, checked: value === present, onchange: () => { memory.set(key, value === 'auto' ? null : value); changed(); } });
            return h('label', { class: 'choice' }, input, h('span', null, text));
        })));
    }

    async end() {
        await api.signOut();
        location.reload();
    }
}
customElements.define('settings-dialog', SettingsDialog);
