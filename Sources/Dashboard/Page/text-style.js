import { store } from './app.js';
import { send } from './commands.js';
import { Dialog } from './dialog.js';
import { button, h, newId } from './dom.js';
import { t, textOf } from './texts.js';
import { number } from './format.js';

/** @typedef {import('./types.js').TextStyle} TextStyle */

const families = ['sans_serif', 'serif', 'monospaced_sans_serif', 'monospaced_serif', 'casual', 'cursive', 'small_capitals'];
/** Fonts of the preview. */
const fonts = /** @type {Record<string, string>} */ ({
    sans_serif: 'sans-serif', serif: 'serif', monospaced_sans_serif: 'monospace', monospaced_serif: '"Courier New", monospace',
    casual: 'fantasy', cursive: 'cursive', small_capitals: 'sans-serif',
});
const shadows = /** @type {Record<string, (color: string) => string>} */ ({
    none: () => 'none',
    outline: (c) => `-1px -1px ${c}, 1px -1px ${c}, -1px 1px ${c}, 1px 1px ${c}`,
    drop_shadow: (c) => `2px 2px 3px ${c}`,
    raised: (c) => `1px 1px ${c}, 2px 2px ${c}`,
    depressed: (c) => `-1px -1px ${c}, -2px -2px ${c}`,
});

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
            this.select('font_scale', t('style.scale'), [0.5, 0.75, 1, 1.25, 1.5, 2].map((scale) => [String(scale), `${number(scale * 100)} %`]), (v) => Number(v)),
            this.select('font_generic_family', t('style.family'), words('family', families)),
            this.select('font_style', t('style.style'), words('weight', ['normal', 'bold', 'italic', 'bold_italic'])),
            this.color('foreground_color', t('style.foreground'), t('style.foregroundOpacity'), '#FFFFFFFF'),
            this.color('background_color', t('style.background'), t('style.backgroundOpacity'), '#00000080'),
            this.select('edge_type', t('style.edge'), words('edge', Object.keys(shadows))),
            this.color('edge_color', t('style.edgeColor'), null, '#000000FF'),
            this.select('window_type', t('style.window'), words('window', ['none', 'normal', 'rounded_corners'])),
            this.color('window_color', t('style.windowColor'), t('style.windowOpacity'), '#00000080'),
            h('div', { class: 'actions' }, this.submit));
        this.content.append(h('div', { class: 'cue-stage' }, this.window), form);
        this.preview(style);
    }

    /** @type {TextStyle} */
    style0 = {};
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

    /** @param {string} name @param {string} label @param {string|null} opacityLabel @param {string} initial */
    color(name, label, opacityLabel, initial) {
        const value = typeof this.style0[name] === 'string' ? String(this.style0[name]) : initial;
        const color = h('input', { type: 'color', value: value.slice(0, 7).toLowerCase(), 'aria-label': label });
        const opacity = h('input', { type: 'range', class: 'slider', min: '0', max: '100', step: '5', 'aria-label': opacityLabel ?? label });
        opacity.value = String(Math.round((parseInt(value.slice(7, 9) || 'FF', 16) / 255) * 100));
        const change = () => {
            const alpha = opacityLabel === null ? 255 : Math.round((Number(opacity.value) / 100) * 255);
            opacity.style.setProperty('--fill', `${opacity.value}%`);
            this.change(name, `${color.value}${alpha.toString(16).padStart(2, '0')}`.toUpperCase());
        };
        opacity.style.setProperty('--fill', `${opacity.value}%`);
        color.addEventListener('input', change);
        opacity.addEventListener('input', change);
        return h('div', { class: 'field' }, h('span', null, label), h('span', { class: 'color-row' }, color, opacityLabel === null ? null : opacity));
    }

    /** @param {string} name @param {string|number|null} value */
    change(name, value) {
        if (value === null) delete this.chosen[name];
        else this.chosen[name] = value;
        this.preview({ ...this.style0, ...this.chosen });
    }

    /** @param {TextStyle} style */
    preview(style) {
        const set = (/** @type {HTMLElement} */ element, /** @type {string} */ name, /** @type {any} */ value) => element.style.setProperty(name, value);
        const family = String(style.font_generic_family ?? 'sans_serif');
        set(this.cue, 'font-size', `${Number(style.font_scale ?? 1) * 1.2}rem`);
        set(this.cue, 'font-family', fonts[family] ?? 'sans-serif');
        set(this.cue, 'font-variant', family === 'small_capitals' ? 'small-caps' : 'normal');
        set(this.cue, 'font-weight', String(style.font_style ?? '').includes('bold') ? '700' : '400');
        set(this.cue, 'font-style', String(style.font_style ?? '').includes('italic') ? 'italic' : 'normal');
        set(this.cue, 'color', style.foreground_color ?? '#FFFFFF');
        set(this.cue, 'background-color', style.background_color ?? '#00000080');
        set(this.cue, 'text-shadow', (shadows[String(style.edge_type ?? 'none')] ?? shadows.none)(String(style.edge_color ?? '#000000')));
        const framed = style.window_type != null && style.window_type !== 'none';
        set(this.window, 'background-color', framed ? style.window_color ?? '#00000080' : 'transparent');
        set(this.window, 'border-radius', style.window_type === 'rounded_corners' ? '12px' : '0');
    }

    async apply() {
        if (Object.keys(this.chosen).length === 0) return this.close();
        const answer = await send(this.slug, 'set/text_style', this.chosen, this.submit);
        if (answer !== null && this.isConnected) this.close();
    }
}
customElements.define('text-style-dialog', TextStyleDialog);
