import { Artwork } from '../elements/artwork.js';
import { connectTo, send } from '../elements/commands.js';
import { Confirm } from '../elements/confirm.js';
import { PlayPauseButton } from '../elements/control-button.js';
import { Dialog, open } from '../elements/dialog.js';
import { button, h, patchList, setText, show } from '../elements/dom.js';
import { api, choice, store } from '../state/app.js';
import { describe, hasApplication, hasMedia, isConnected, isOnline, nameOf } from '../state/devices.js';
import { t } from '../texts/texts.js';
import { DeviceChooser } from './device-chooser.js';
import { MemberVolumes } from './member-volumes.js';
import { NothingFound } from './nothing-found.js';
import { TransferDialog } from './transfer-dialog.js';
import { volumeControl } from './volume-control.js';

/** The Cast dialog: a list of devices, or what the connected one plays, its volume, and the two ways to end. */
export class CastDialog extends Dialog {
    /** Shows the list although a device is chosen. */
    choosing = false;
    /** @type {string|null} */
    builtFor = null;
    /**
     * The device whose session was shown.
     * @type {string|null}
     */
    kept = null;
    off = h('p', { class: 'quiet' });
    devices = new DeviceChooser((slug, control) => void this.choose(slug, control), undefined,
        (slug) => (slug === choice.slug && choice.castState() === 'connecting' ? connectingTo(slug) : null));
    nothing = new NothingFound();
    chooser = h('div', null, this.off, this.devices, this.nothing);
    session = h('div', { class: 'cast-session' });

    build() {
        super.build();
        this.content.append(this.chooser, this.session);
    }

    /** The device whose session the dialog shows; null for the list. */
    sessionSlug() {
        const { slug, isChosen } = choice.room;
        if (this.choosing || slug === null) return null;
        const device = store.state.devices.get(slug);
        if (isOnline(device) && (isConnected(device) || (isChosen && (hasMedia(device?.state) || hasApplication(device))))) return (this.kept = slug);
        if (choice.pending) return slug;
        // A session that ends while a person looks at it does not become a list of other devices under the finger.
        return this.kept === slug ? slug : null;
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
        const count = this.devices.update();
        show(this.devices, count > 0);
        show(this.nothing, count === 0);
        show(this.off, count > 0 && choice.slug !== null && !isOnline(store.state.devices.get(choice.slug)));
        setText(this.off, t('now.off', { device: nameOf(store.state, choice.slug) }));
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
        const playing = isOnline(device) && hasMedia(device?.state);
        const connecting = choice.castState() === 'connecting' && !playing;
        const online = isOnline(device);
        setText(this.headline, playing ? title : connecting ? connectingTo(slug) : !online ? t('now.off', { device: nameOf(store.state, slug) })
            : hasApplication(device) ? t('cast.idle') : t('now.nothing'));
        setText(this.lines, playing ? lines.join(' · ') : device?.state?.app.name ?? '');
        this.toggleAttribute('data-playing', playing);
        this.artwork.show(slug, 64, 'cast');
        this.play.set(slug);
        show(this.play, playing);
        const may = api.may('control') && online;
        const { media, info } = device ?? {};
        show(this.streamBox, may && playing && media?.volume != null && !!media.supported_commands?.names.includes('stream_volume'));
        if (document.activeElement !== this.stream) this.stream.value = String(media?.volume ?? 1);
        this.stream.style.setProperty('--fill', `${Number(this.stream.value) * 100}%`);
        const names = may ? /** @type {string[]} */ (info?.applications ?? []).filter((name) => name !== device?.state?.app.name) : [];
        show(this.appBox, names.length > 0);
        show(this.more, !this.streamBox.hidden || names.length > 0);
        patchList(this.apps, names, (name) => name, (name) => {
            const start = button('play', name, () => void this.launch(name, start), { text: true });
            return start;
        });
        this.stopButton.disabled = !may || !(connecting || hasApplication(device));
        show(this.leaveButton, may && isConnected(device));
        show(this.moveButton, may && playing);
    }

    headline = h('strong', { dir: 'auto' });
    lines = h('span', { class: 'quiet', dir: 'auto' });
    artwork = new Artwork();
    play = new PlayPauseButton();
    stream = h('input', { type: 'range', class: 'slider', min: '0', max: '1', step: '0.05', 'aria-label': t('cast.streamVolume'),
        onchange: () => this.builtFor !== null && void send(this.builtFor, 'set/stream_volume', Number(this.stream.value), this.stream) });
    streamBox = h('div', { class: 'field' }, h('span', null, t('cast.streamVolume')), this.stream);
    apps = h('div', { class: 'actions' });
    appBox = h('div', null, h('h3', null, t('cast.apps')), this.apps);
    more = h('details', null, h('summary', null, t('more')), this.streamBox, this.appBox);
    stopButton = button('stop', t('cast.stop'), () => this.stop(), { text: true, title: t('cast.stopHint'), class: 'button danger' });
    leaveButton = button('leave', t('cast.disconnect'), () => void this.end(this.builtFor, 'cmd/leave'), { text: true, title: t('cast.disconnectHint') });
    moveButton = button('transfer', t('control.transfer'), () => this.move(), { text: true });
    otherButton = button('cast', t('cast.otherDevice'), () => this.other(), { text: true });

    /** @param {string} slug */
    buildSession(slug) {
        this.builtFor = slug;
        const now = h('button', { type: 'button', class: 'now', onclick: () => this.expand() }, this.artwork,
            h('span', { class: 'row-text' }, this.headline, this.lines));
        this.session.replaceChildren(
            h('div', { class: 'now-row' }, now, this.play),
            volumeControl(slug), new MemberVolumes(slug), this.more,
            h('div', { class: 'actions' }, this.moveButton, this.otherButton, this.leaveButton, this.stopButton),
        );
    }

    expand() {
        const slug = this.builtFor;
        if (slug === null || !hasMedia(store.state.devices.get(slug)?.state)) return;
        this.close();
        document.dispatchEvent(new CustomEvent('expand', { detail: slug }));
    }

    /** Others may hear or have started what it ends. */
    stop() {
        // The device that the question is about: the dialog behind it may go on to another one.
        const slug = this.builtFor;
        const device = slug === null ? undefined : store.state.devices.get(slug);
        const members = device?.group?.role === 'leader' ? device.group.members.length : 0;
        if (members === 0 && (device?.app?.ours || !hasApplication(device))) return void this.end(slug, 'cmd/quit_app');
        const name = nameOf(store.state, slug);
        const question = members > 0 ? t('cast.stopGroup', { device: name, count: members }) : t('cast.stopOther', { device: name, app: device?.app?.name ?? '' });
        open(new Confirm(question, ['stop', t('cast.stop')], () => void this.end(slug, 'cmd/quit_app')));
    }

    /** @param {string|null} slug @param {string} command */
    async end(slug, command) {
        if (slug === null) return;
        const answer = await send(slug, command, undefined, command === 'cmd/leave' ? this.leaveButton : this.stopButton);
        if (answer === null) return;
        if (choice.slug !== slug) return;
        choice.choose(null);
        this.close();
    }

    /** @param {string} name Of an application, which ends what plays. @param {Element} control */
    launch(name, control) {
        const slug = this.builtFor;
        const start = () => void (slug !== null && send(slug, 'set/app', name, control));
        const { state, media } = store.state.devices.get(slug ?? '') ?? {};
        if (!hasMedia(state)) return start();
        open(new Confirm(t('cast.appAsk', { app: name, title: describe(state, media).title }), ['play', name], start));
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
