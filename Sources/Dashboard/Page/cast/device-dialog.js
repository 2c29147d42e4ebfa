import { request } from '../elements/commands.js';
import { Confirm } from '../elements/confirm.js';
import { Dialog, open } from '../elements/dialog.js';
import { button, h, newId } from '../elements/dom.js';
import { notify } from '../elements/notices.js';
import { store } from '../state/app.js';
import { listedDevice, nameOf } from '../state/devices.js';
import { t } from '../texts/texts.js';

/** What an admin chooses for a device: its name in topics, its room, further names, its loudest volume; and hiding or removing it. */
export class DeviceDialog extends Dialog {
    /** @param {string} slug */
    constructor(slug) {
        super();
        this.slug = slug;
    }

    name = h('input', { required: true, pattern: '[a-z0-9\\-]{1,64}', autocapitalize: 'off', spellcheck: false });
    area = h('input', { maxLength: 100 });
    aliases = h('input', { pattern: '[a-z0-9, \\-]*', autocapitalize: 'off', spellcheck: false });
    loudest = h('input', { type: 'number', min: '0', max: '100', placeholder: '100' });
    inactive = h('input', { type: 'checkbox' });
    fields = h('fieldset', { class: 'form-grid', disabled: true });
    /**
     * As the bridge has them.
     * @type {Record<string, any>}
     */
    options = {};
    save = button('check', t('device.save'), () => {}, { text: true, type: 'submit', class: 'button primary' });

    build() {
        super.build();
        const title = nameOf(store.state, this.slug);
        this.heading.append(title);
        this.name.value = this.slug;
        const hide = (/** @type {boolean} */ forget) => open(new Confirm(t(forget ? 'device.removeAsk' : 'device.hideAsk', { device: title }),
            ['close', t(forget ? 'device.remove' : 'device.hide')], () => void this.hide(forget)));
        // What a person writes before the options have come would be overwritten.
        this.fields.append(
            field(this.name, t('device.slug'), t('device.slugHint')), field(this.area, t('device.area')), field(this.aliases, t('device.aliases'), t('device.aliasesHint')),
            field(this.loudest, t('device.loudest')),
            h('label', { class: 'choice' }, this.inactive, h('span', null, t('device.inactive'))),
            h('div', { class: 'actions' }, this.save, button('close', t('device.hide'), () => hide(false), { text: true }),
                button('remove', t('device.remove'), () => hide(true), { text: true, class: 'button danger' })));
        this.content.append(h('form', { onsubmit: (/** @type {Event} */ event) => { event.preventDefault(); void this.store(); } }, this.fields));
        void this.load();
    }

    async load() {
        const answer = await request('device/options', { device: this.slug });
        const info = store.state.devices.get(this.slug)?.info ?? listedDevice(store.state, this.slug);
        this.options = { area: info?.area ?? null, aliases: info?.aliases ?? [], ...answer?.data?.options };
        this.area.value = this.options.area ?? '';
        this.aliases.value = (this.options.aliases ?? []).join(', ');
        this.loudest.value = this.options.max_volume ?? '';
        this.inactive.checked = this.options.inactive_input_is_off === true;
        this.fields.disabled = false;
    }

    async store() {
        const chosen = {
            area: this.area.value.trim() || null,
            aliases: this.aliases.value.split(',').map((text) => text.trim()).filter(Boolean),
            max_volume: this.loudest.value === '' ? null : Number(this.loudest.value),
            inactive_input_is_off: this.inactive.checked,
        };
        const changes = Object.fromEntries(Object.entries(chosen).filter(([key, value]) => JSON.stringify(value) !== JSON.stringify(this.options[key] ?? (key === 'aliases' ? [] : key === 'inactive_input_is_off' ? false : null))));
        if (Object.keys(changes).length > 0 && (await request('device/options', { device: this.slug, ...changes }, this.save)) === null) return;
        const slug = this.name.value.trim();
        if (slug !== this.slug && (await request('device/rename', { device: this.slug, slug }, this.save)) === null) return;
        notify(t('setup.saved'));
        this.close();
        if (slug !== this.slug) location.hash = `#/device/${encodeURIComponent(slug)}`;
    }

    /** @param {boolean} forget */
    async hide(forget) {
        if ((await request('device/remove', { device: this.slug, forget }, this.save)) === null) return;
        this.close();
        location.hash = '#/';
    }
}
customElements.define('device-dialog', DeviceDialog);

/**
 * A labelled field of a form.
 * @param {HTMLInputElement|HTMLSelectElement|HTMLTextAreaElement} input @param {string} label @param {string} [hint]
 */
export function field(input, label, hint) {
    input.id ||= newId();
    return h('div', { class: 'field' }, h('label', { for: input.id }, label), input, hint ? h('small', { class: 'quiet' }, hint) : null);
}
