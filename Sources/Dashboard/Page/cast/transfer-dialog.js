import { send } from '../elements/commands.js';
import { Dialog } from '../elements/dialog.js';
import { h, patchList, setText, show } from '../elements/dom.js';
import { icon } from '../elements/icons.js';
import { announce, notify } from '../elements/notices.js';
import { choice, store } from '../state/app.js';
import { hasApplication, isOnline, listedDevices, nameOf } from '../state/devices.js';
import { t, textOf } from '../texts/texts.js';

/** Moves what plays to another device. */
export class TransferDialog extends Dialog {
    /** @param {string} slug The device that plays. */
    constructor(slug) {
        super();
        this.slug = slug;
    }

    list = h('ul', { class: 'rows' });
    none = h('p', { class: 'quiet' }, t('transfer.none'));

    build() {
        super.build();
        this.heading.append(t('transfer.title'));
        this.content.append(h('p', { class: 'quiet' }, t('transfer.text')), this.list, this.none);
    }

    update() {
        const devices = listedDevices(store.state).filter((device) => device.slug !== this.slug && isOnline(store.state.devices.get(device.slug)));
        show(this.none, devices.length === 0);
        patchList(this.list, devices, (device) => device.slug, (device) => {
            const choose = h('button', { type: 'button', class: 'row', onclick: () => this.move(device.slug, choose) },
                icon({ cast: 'tv', audio: 'speaker', group: 'group', stereo_pair: 'stereo_pair' }[device.type] ?? 'cast'),
                h('span', { class: 'row-text' }, h('span', null, device.name), h('span', { class: 'quiet' })));
            return h('li', null, choose);
        }, (row, device) => {
            const documents = store.state.devices.get(device.slug);
            setText(/** @type {Element} */ (row.querySelector('.quiet')), hasApplication(documents)
                ? t('cast.casting', { app: documents?.state?.app.name ?? '' }) : textOf('device', device.type) ?? '');
        });
    }

    /** @param {string} to @param {Element} control */
    async move(to, control) {
        const device = nameOf(store.state, to);
        announce(t('transfer.working', { device }));
        const answer = await send(this.slug, 'cmd/transfer', { to }, control);
        if (answer === null) return;
        notify(t('transfer.done', { device }));
        choice.choose(to);
        if (this.isConnected) this.close();
    }
}
customElements.define('transfer-dialog', TransferDialog);
