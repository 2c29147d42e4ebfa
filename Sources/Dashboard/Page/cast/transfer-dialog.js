import { send } from '../elements/commands.js';
import { Confirm } from '../elements/confirm.js';
import { Dialog, open } from '../elements/dialog.js';
import { h, show } from '../elements/dom.js';
import { announce, notify } from '../elements/notices.js';
import { choice, store } from '../state/app.js';
import { describe, hasApplication, hasMedia, nameOf } from '../state/devices.js';
import { t } from '../texts/texts.js';
import { DeviceChooser } from './device-chooser.js';

/** Moves what plays to another device. Asks before that ends what plays there. */
export class TransferDialog extends Dialog {
    /** @param {string} slug The device that plays. */
    constructor(slug) {
        super();
        this.slug = slug;
    }

    chooser = new DeviceChooser((to, control) => this.choose(to, control), ({ slug }) => slug !== this.slug);
    none = h('p', { class: 'quiet' }, t('transfer.none'));

    build() {
        super.build();
        this.heading.append(t('transfer.title'));
        this.content.append(h('p', { class: 'quiet' }, t('transfer.text')), this.chooser, this.none);
    }

    update() {
        show(this.none, this.chooser.update() === 0);
    }

    /** @param {string} to @param {Element|null} [control] */
    choose(to, control = null) {
        const { state, media } = store.state.devices.get(to) ?? {};
        if (!hasMedia(state)) return void this.move(to, control);
        const question = t('transfer.ask', { device: nameOf(store.state, to), title: describe(state, media).title });
        open(new Confirm(question, ['transfer', t('transfer.replace')], () => void this.move(to, control)));
    }

    /** @param {string} to @param {Element|null} control */
    async move(to, control) {
        const target = store.state.devices.get(to);
        const replaces = hasMedia(target?.state) || hasApplication(target);
        announce(t('transfer.working', { device: nameOf(store.state, to) }));
        if (await send(this.slug, 'cmd/transfer', { to }, control) === null) return;
        choice.choose(to);
        if (this.isConnected) this.close();
        // An undo does not bring back what the move has ended.
        const undo = replaces ? null : () => new TransferDialog(to).choose(this.slug);
        const notice = notify(t('transfer.done', { device: nameOf(store.state, to) }), { undo });
        if (undo) removeWhenEnded(notice, to);
    }
}
customElements.define('transfer-dialog', TransferDialog);

/**
 * Removes the message about moved media once something else or nothing plays on the device.
 * @param {HTMLElement} notice @param {string} slug
 */
function removeWhenEnded(notice, slug) {
    /** @type {number|null|undefined} */
    let session;
    const unsubscribe = store.subscribe(() => {
        const { state } = store.state.devices.get(slug) ?? {};
        const plays = hasMedia(state) ? state?.media.session : undefined;
        // The answer may come before the document with the moved media.
        session ??= plays;
        if (notice.isConnected && plays === session) return;
        notice.remove();
        unsubscribe();
    });
}
