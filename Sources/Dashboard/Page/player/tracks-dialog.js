import { send, Wish } from '../elements/commands.js';
import { Dialog, open } from '../elements/dialog.js';
import { button, h, patchList, show } from '../elements/dom.js';
import { api, store } from '../state/app.js';
import { languageName } from '../texts/format.js';
import { t, textOf } from '../texts/texts.js';
import { TextStyleDialog } from './text-style.js';

/** @typedef {import('../state/types.js').Track} Track */

const kinds = /** @type {const} */ (['text', 'audio', 'video']);

/** @param {Track|null|undefined} track */
const keyOf = (track) => String(track?.id ?? 'off');

/** Chooses subtitles, audio and video tracks. */
export class TracksDialog extends Dialog {
    /** @param {string} slug */
    constructor(slug) {
        super();
        this.slug = slug;
    }

    groups = kinds.map((kind) => {
        const list = h('div', { class: 'choices' });
        return { kind, list, wish: new Wish(() => this.update(null)), set: h('fieldset', null, h('legend', null, t(`tracks.${kind}`)), list) };
    });
    none = h('p', { class: 'quiet' }, t('tracks.none'));
    styleButton = button('captions', t('tracks.style'), () => open(new TextStyleDialog(this.slug)), { text: true });

    build() {
        super.build();
        this.heading.append(t('tracks.title'));
        this.content.append(...this.groups.map(({ set }) => set), this.none, this.styleButton);
    }

    /** @param {Set<string>|null} changed */
    update(changed) {
        if (changed && !changed.has(this.slug)) return;
        const tracks = store.state.devices.get(this.slug)?.tracks;
        let some = false;
        for (const { kind, list, wish, set } of this.groups) {
            const present = tracks?.[kind] ?? [];
            // One audio track leaves no choice; subtitles can always be turned off.
            show(set, kind === 'text' ? present.length > 0 : present.length > 1);
            some ||= !set.hidden;
            /** @type {(Track|null)[]} */
            const choices = kind === 'text' ? [null, ...present] : present;
            const active = wish.shown(keyOf(present.find((track) => track.active)));
            patchList(list, choices, keyOf, (track) => this.choice(kind, track, wish), (row, track) => {
                const input = /** @type {HTMLInputElement} */ (row.querySelector('input'));
                input.checked = keyOf(track) === active;
                input.disabled = !api.may('control');
            });
        }
        show(this.none, !some);
        show(this.styleButton, (tracks?.text.length ?? 0) > 0 && api.may('control'));
    }

    /** @param {'text'|'audio'|'video'} kind @param {Track|null} track @param {Wish} wish */
    choice(kind, track, wish) {
        const input = h('input', {
            type: 'radio', name: `track-${kind}`,
            onchange: () => void wish.make(keyOf(track), send(this.slug, `set/${kind}_track`, track === null ? 'Off' : keyOf(track), input.parentElement)),
        });
        const subtype = track?.subtype && track.subtype !== 'subtitles' ? textOf('subtype', track.subtype) ?? track.subtype : null;
        const spoken = languageName(track?.language);
        const name = track === null ? t('tracks.off') : spoken ?? track.name ?? t('tracks.number', { id: track.id });
        const more = track === null ? null : [spoken !== null && track.name !== spoken ? track.name : null, subtype].filter(Boolean).join(' · ');
        return h('label', { class: 'choice' }, input, h('span', { class: 'row-text' }, h('span', null, name), more && h('span', { class: 'quiet' }, more)));
    }
}
customElements.define('tracks-dialog', TracksDialog);
