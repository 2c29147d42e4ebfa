import { send } from '../elements/commands.js';
import { Dialog } from '../elements/dialog.js';
import { button, h, newId, show } from '../elements/dom.js';
import { store } from '../state/app.js';
import { number } from '../texts/format.js';
import { t, textOf } from '../texts/texts.js';
import { cueStyle, edges, families } from './cue-style.js';

/** @typedef {import('../state/types.js').TextStyle} TextStyle */

/** How a receiver shows subtitles that nobody has changed. */
const castStyle = {
    font_scale: 1, font_generic_family: 'sans_serif', font_style: 'normal', foreground_color: '#FFFFFFFF', background_color: '#00000000',
    edge_type: 'outline', edge_color: '#000000FF', window_type: 'none',
};

/** Chooses how subtitles look, with a preview; sent when applied. */
export class TextStyleDialog extends Dialog {
    /** @param {string} slug */
    constructor(slug) {
        super();
        this.slug = slug;
        /** @type {TextStyle} */
        this.chosen = {};
    }

    cue = h('span', { class: 'cue' }, t('style.preview'));
    window = h('span', { class: 'cue-window' }, this.cue);

    build() {
        super.build();
        this.heading.append(t('tracks.style'));
        const style = this.style0 = store.state.devices.get(this.slug)?.tracks?.text_style ?? {};
        const words = (/** @type {string} */ group, /** @type {string[]} */ values) => values.map((value) => [value, textOf(group, value) ?? value]);
        const form = h('form', { class: 'style-form', onsubmit: (/** @type {Event} */ event) => { event.preventDefault(); void this.apply(); } },
            this.select('font_scale', t('style.scale'), [0.5, 0.75, 1, 1.25, 1.5, 2].map((scale) => [String(scale), `${number(scale * 100)} %`]), Number),
            this.fontName(),
            this.select('font_generic_family', t('style.family'), words('family', families)),
            this.select('font_style', t('style.style'), words('weight', ['normal', 'bold', 'italic', 'bold_italic'])),
            this.color('foreground_color', t('style.foreground'), t('style.foregroundOpacity'), '#FFFFFFFF'),
            this.color('background_color', t('style.background'), t('style.backgroundOpacity'), '#00000080'),
            this.select('edge_type', t('style.edge'), words('edge', edges)),
            this.color('edge_color', t('style.edgeColor'), t('style.edgeOpacity'), '#000000FF'),
            this.select('window_type', t('style.window'), words('window', ['none', 'normal', 'rounded_corners'])),
            this.radius = this.select('window_rounded_corner_radius', t('style.windowRadius'), [2, 4, 8, 12, 16, 24].map((radius) => [String(radius), `${number(radius)} px`]), Number),
            this.color('window_color', t('style.windowColor'), t('style.windowOpacity'), '#00000080'),
            h('div', { class: 'actions' }, this.submit, button('undo', t('style.reset'), () => {
                this.chosen = { ...castStyle };
                void this.apply();
            }, { text: true })));
        this.content.append(h('div', { class: 'cue-stage' }, this.window), form);
        this.preview(style);
    }

    /** @type {TextStyle} */
    style0 = {};
    /** The radius of the window, which only rounded corners have. */
    radius = h('div');
    submit = button('check', t('style.apply'), () => {}, { text: true, type: 'submit', class: 'button primary' });

    /** @param {string} name @param {string} label @param {string[][]} choices @param {(value: string) => string|number} [read] */
    select(name, label, choices, read = (value) => value) {
        const id = newId();
        const select = h('select', { id, onchange: () => this.change(name, select.value === '' ? null : read(select.value)) },
            ...choices.map(([value, text]) => h('option', { value }, text)));
        const present = this.style0[name];
        // Receivers keep every value that a request leaves out: there is no way back to their own choice.
        if (present == null) select.prepend(h('option', { value: '' }, t('style.default')));
        // One that this page doesn't know stays until another one is chosen.
        else if (!choices.some(([value]) => value === String(present))) select.prepend(h('option', { value: '' }, String(present)));
        select.value = choices.some(([value]) => value === String(present)) ? String(present) : '';
        return h('div', { class: 'field' }, h('label', { for: id }, label), select);
    }

    /** The name of a font; the kind of font counts where the device lacks it. */
    fontName() {
        const id = newId();
        const present = String(this.style0.font_family ?? '');
        const input = h('input', { id, type: 'text', value: present, placeholder: t('style.default'), maxLength: 100, autocomplete: 'off', spellcheck: false,
            oninput: () => this.change('font_family', input.value.trim() === '' ? null : input.value.trim()) });
        return h('div', { class: 'field' }, h('label', { for: id }, t('style.fontName')), input);
    }

    /** @param {string} name @param {string} label @param {string} opacityLabel @param {string} initial */
    color(name, label, opacityLabel, initial) {
        const value = typeof this.style0[name] === 'string' ? String(this.style0[name]) : initial;
        const color = h('input', { type: 'color', value: value.slice(0, 7).toLowerCase(), 'aria-label': label });
        const opacity = h('input', { type: 'range', class: 'slider', min: '0', max: '100', step: '5', 'aria-label': opacityLabel });
        opacity.value = String(Math.round((parseInt(value.slice(7, 9) || 'FF', 16) / 255) * 100));
        const change = () => {
            const alpha = Math.round((Number(opacity.value) / 100) * 255);
            opacity.style.setProperty('--fill', `${opacity.value}%`);
            this.change(name, `${color.value}${alpha.toString(16).padStart(2, '0')}`.toUpperCase());
        };
        opacity.style.setProperty('--fill', `${opacity.value}%`);
        color.addEventListener('input', change);
        opacity.addEventListener('input', change);
        return h('div', { class: 'field' }, h('span', null, label), h('span', { class: 'color-row' }, color, opacity));
    }

    /** @param {string} name @param {string|number|null} value */
    change(name, value) {
        if (value === null) delete this.chosen[name];
        else this.chosen[name] = value;
        this.preview({ ...this.style0, ...this.chosen });
    }

    /** @param {TextStyle} style */
    preview(style) {
        const { cue, window } = cueStyle(style);
        for (const [name, value] of Object.entries(cue)) this.cue.style.setProperty(name, value);
        for (const [name, value] of Object.entries(window)) this.window.style.setProperty(name, value);
        show(this.radius, style.window_type === 'rounded_corners');
    }

    async apply() {
        if (Object.keys(this.chosen).length === 0) return this.close();
        const answer = await send(this.slug, 'set/text_style', this.chosen, this.submit);
        if (answer !== null && this.isConnected) this.close();
    }
}
customElements.define('text-style-dialog', TextStyleDialog);
