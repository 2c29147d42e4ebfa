import { Artwork } from '../elements/artwork.js';
import { connectTo, send } from '../elements/commands.js';
import { PlayPauseButton } from '../elements/control-button.js';
import { Dialog, open } from '../elements/dialog.js';
import { button, h, patchList, setAttribute, setText, show } from '../elements/dom.js';
import { icon } from '../elements/icons.js';
import { api, choice, store } from '../state/app.js';
import { describe, follows, hasApplication, hasMedia, isConnected, isOnline, listedDevices, nameOf } from '../state/devices.js';
import { t, textOf } from '../texts/texts.js';
import { NothingFound } from './nothing-found.js';
import { TransferDialog } from './transfer-dialog.js';
import { volumeControl, VolumeControl } from './volume-control.js';

/** The Cast dialog: a list of devices, or what the connected one plays, its volume, and the two ways to end. */
export class CastDialog extends Dialog {
    /** Shows the list although a device is chosen. */
    choosing = false;
    /** @type {string|null} */
    builtFor = null;
    list = h('ul', { class: 'rows' });
    nothing = new NothingFound();
    chooser = h('div', null, this.list, this.nothing);
    session = h('div', { class: 'cast-session' });

    build() {
        super.build();
        this.content.append(this.chooser, this.session);
    }

    /** The device whose session the dialog shows; null for the list. */
    sessionSlug() {
        if (this.choosing) return null;
        // A page that chose nothing follows the connection that the bridge has, as its button does.
        const controlled = choice.controlled();
        const slug = choice.slug ?? (controlled !== null && isConnected(store.state.devices.get(controlled)) ? controlled : null);
        if (slug === null || !isOnline(store.state.devices.get(slug))) return null;
        const device = store.state.devices.get(slug);
        return isConnected(device) || hasMedia(device?.state) || choice.pending || hasApplication(device) ? slug : null;
    }

    update() {
        const slug = this.sessionSlug();
        show(this.chooser, slug === null);
        show(this.session, slug !== null);
        if (slug === null) this.updateChooser();
        else this.updateSession(slug);
    }

    updateChooser() {
        setText(this.heading, t('cast.to'));
        const devices = listedDevices(store.state).filter((device) => isOnline(store.state.devices.get(device.slug)));
        show(this.list, devices.length > 0);
        show(this.nothing, devices.length === 0);
        patchList(this.list, devices, (device) => device.slug, (device) => this.row(device), (row, device) => {
            const documents = store.state.devices.get(device.slug);
            const chosen = device.slug === choice.slug;
            const busy = hasApplication(documents);
            const lines = row.querySelectorAll('span span');
            setText(lines[0], device.name);
            const title = describe(documents?.state, documents?.media).title;
            const connecting = chosen && choice.castState() === 'connecting';
            setText(lines[1], connecting ? connectingTo(device.slug)
                : busy ? [t('cast.casting', { app: documents?.state?.app.name ?? '' }), hasMedia(documents?.state) ? title : '', textOf('device', device.type)].filter(Boolean).join(' · ')
                : follows(documents?.state) ? [textOf('player', documents?.state?.player), documents?.state?.group.name, textOf('device', device.type)].filter(Boolean).join(' · ')
                : textOf('device', device.type) ?? '');
            setAttribute(/** @type {Element} */ (row.firstElementChild), 'aria-current', chosen ? 'true' : null);
        });
    }

    /** @param {import('../state/types.js').ListedDevice} device */
    row(device) {
        const choose = h('button', { type: 'button', class: 'row', onclick: () => this.choose(device.slug, choose) },
            icon(iconOf(device.type)), h('span', { class: 'row-text' }, h('span', null, device.name), h('span', { class: 'quiet' })));
        return h('li', null, choose);
    }

    /** @param {string} slug @param {Element} control */
    async choose(slug, control) {
        this.choosing = false;
        await connectTo(slug, control);
    }

    /** @param {string} slug */
    updateSession(slug) {
        const device = store.state.devices.get(slug);
        setText(this.heading, nameOf(store.state, slug));
        if (this.builtFor !== slug) this.buildSession(slug);
        const { title, lines } = describe(device?.state, device?.media);
        const playing = hasMedia(device?.state);
        const connecting = choice.castState() === 'connecting' && !playing;
        setText(this.headline, playing ? title : connecting ? connectingTo(slug) : t('cast.idle'));
        setText(this.lines, playing ? lines.join(' · ') : device?.state?.app.name ?? '');
        this.toggleAttribute('data-playing', playing);
        this.artwork.show(slug, 64, 'cast');
        this.play.set(slug);
        show(this.play, playing);
        const may = api.may('control');
        this.stopButton.disabled = !may || !(connecting || hasApplication(device));
        show(this.leaveButton, may && isConnected(device));
        show(this.moveButton, may && playing);
        const members = device?.group?.role === 'leader' ? device.group.members : [];
        show(this.memberBox, members.length > 0);
        patchList(this.memberList, members, ({ id, slug: own }) => `${id} ${own}`, (member) => this.member(slug, member), (row) => {
            const control = row.querySelector('volume-control');
            if (control instanceof VolumeControl) control.update(null);
        });
    }

    headline = h('strong');
    lines = h('span', { class: 'quiet' });
    artwork = new Artwork();
    play = new PlayPauseButton();
    memberList = h('ul', { class: 'members' });
    memberBox = h('details', { class: 'member-box' }, h('summary', null, t('cast.members')), this.memberList);
    stopButton = button('stop', t('cast.stop'), () => void this.end('cmd/quit_app'), { text: true, title: t('cast.stopHint'), class: 'button danger' });
    leaveButton = button('leave', t('cast.disconnect'), () => void this.end('cmd/leave'), { text: true, title: t('cast.disconnectHint') });
    moveButton = button('transfer', t('control.transfer'), () => this.move(), { text: true });
    otherButton = button('cast', t('cast.otherDevice'), () => this.other(), { text: true });

    /** @param {string} slug */
    buildSession(slug) {
        this.builtFor = slug;
        const now = h('button', { type: 'button', class: 'now', onclick: () => this.expand() }, this.artwork,
            h('span', { class: 'row-text' }, this.headline, this.lines));
        this.session.replaceChildren(
            h('div', { class: 'now-row' }, now, this.play),
            volumeControl(slug),
            this.memberBox,
            h('div', { class: 'actions' }, this.stopButton, this.leaveButton, this.moveButton, this.otherButton),
        );
    }

    /** @param {string} slug @param {import('../state/types.js').Member} member */
    member(slug, member) {
        const control = volumeControl(member.slug ?? '', {
            named: true, label: member.name,
            source: () => {
                const own = member.slug === null ? undefined : store.state.devices.get(member.slug)?.state?.volume;
                return own ?? store.state.devices.get(slug)?.group?.members.find(({ id }) => id === member.id)?.volume;
            },
        });
        return h('li', null, control);
    }

    expand() {
        const slug = this.builtFor;
        if (slug === null || !hasMedia(store.state.devices.get(slug)?.state)) return;
        this.close();
        document.dispatchEvent(new CustomEvent('expand', { detail: slug }));
    }

    /** @param {string} command */
    async end(command) {
        const slug = this.builtFor;
        if (slug === null) return;
        const answer = await send(slug, command, undefined, command === 'cmd/leave' ? this.leaveButton : this.stopButton);
        if (answer === null) return;
        choice.choose(null);
        this.close();
    }

    move() {
        const slug = this.builtFor;
        if (slug !== null) open(new TransferDialog(slug));
    }

    other() {
        this.choosing = true;
        this.update();
        this.heading.focus();
    }
}
customElements.define('cast-dialog', CastDialog);

/** @param {string} slug */
function connectingTo(slug) {
    const waits = store.state.devices.get(slug)?.app?.session.phase === 'waiting_for_permission';
    return waits ? t('phase.waiting_for_permission') : t('cast.connectingTo', { device: nameOf(store.state, slug) });
}

/**
 * The icon of a kind of device.
 * @param {string} type
 */
export function iconOf(type) {
    return { cast: 'tv', audio: 'speaker', group: 'group', stereo_pair: 'stereo_pair' }[type] ?? 'cast';
}

