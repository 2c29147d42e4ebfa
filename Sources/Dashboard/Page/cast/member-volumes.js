import { h, patchList, setText, show } from '../elements/dom.js';
import { Widget } from '../elements/widget.js';
import { store } from '../state/app.js';
import { t } from '../texts/texts.js';
import { volumeControl, VolumeControl } from './volume-control.js';

/** The speakers of a group, folded: the volume of each. */
export class MemberVolumes extends Widget {
    /** @param {string} slug Of the group. */
    constructor(slug) {
        super();
        this.slug = slug;
    }

    summary = h('summary');
    list = h('ul', { class: 'members' });

    build() {
        this.append(h('details', { class: 'member-box' }, this.summary, this.list));
    }

    members() {
        const group = store.state.devices.get(this.slug)?.group;
        return group?.role === 'leader' ? group.members : [];
    }

    /** @param {Set<string>|null} changed */
    update(changed) {
        if (changed && !changed.has(this.slug) && !this.members().some(({ slug }) => slug !== null && changed.has(slug))) return;
        const members = this.members();
        show(this, members.length > 0);
        setText(this.summary, t('cast.members', { count: members.length }));
        patchList(this.list, members, ({ id, slug }) => `${id} ${slug}`, (member) => this.member(member), (row) => {
            const control = row.querySelector('volume-control');
            if (control instanceof VolumeControl) control.update(null);
        });
    }

    /** @param {import('../state/types.js').Member} member */
    member({ id, slug, name }) {
        return h('li', null, volumeControl(slug ?? '', { named: true, label: name, source: () =>
            (slug === null ? undefined : store.state.devices.get(slug)?.state?.volume) ?? this.members().find((one) => one.id === id)?.volume }));
    }
}
customElements.define('member-volumes', MemberVolumes);
