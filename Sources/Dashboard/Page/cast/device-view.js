import { Artwork } from '../elements/artwork.js';
import { connectTo } from '../elements/commands.js';
import { PlayPauseButton } from '../elements/control-button.js';
import { open } from '../elements/dialog.js';
import { button, h, patchList, setAttribute, setText, show } from '../elements/dom.js';
import { icon } from '../elements/icons.js';
import { Widget } from '../elements/widget.js';
import { api, choice, store } from '../state/app.js';
import { describe, hasMedia, isOnline, listedDevice, nameOf } from '../state/devices.js';
import { linkEventText } from '../state/link-texts.js';
import { dateAndTime } from '../texts/format.js';
import { t, textOf } from '../texts/texts.js';
import { iconOf, playerText } from './device-chooser.js';
import { DeviceDialog } from './device-dialog.js';
import { PastEvents } from './past-events.js';
import { volumeControl } from './volume-control.js';

/** Facts about a device, who it plays with, and what happened to it. */
export class DeviceView extends Widget {
    /** @param {string} slug */
    constructor(slug) {
        super();
        this.slug = slug;
    }

    headline = h('h1', { tabIndex: -1 });
    unknown = h('p', null, t('device.unknown'));
    facts = h('dl', { class: 'facts' });
    links = h('ol', { class: 'history' });
    linkCard = h('section', { class: 'card' }, h('h2', null, t('device.links')), this.links);
    members = h('ul', { class: 'members' });
    together = h('section', { class: 'card' }, h('h2', null, t('device.groups')), this.members);
    cast = button('cast', t('cast.to'), () => void connectTo(this.slug, this.cast), { text: true, class: 'button primary' });
    known = h('div', { class: 'columns' });
    edit = button('settings', t('device.edit'), () => open(new DeviceDialog(this.slug)), { text: true });
    artwork = new Artwork();
    songTitle = h('strong', { dir: 'auto' });
    line = h('span', { class: 'quiet', dir: 'auto' });
    play = new PlayPauseButton();
    now = h('div', { class: 'now-row' }, h('button', { type: 'button', class: 'now', onclick: () => document.dispatchEvent(new CustomEvent('expand', { detail: this.slug })) },
        this.artwork, h('span', { class: 'row-text' }, this.songTitle, this.line)), this.play);

    build() {
        this.known.append(
            h('section', { class: 'card' }, h('h2', null, t('device.history')), new PastEvents(this.slug)),
            this.together, h('section', { class: 'card' }, h('h2', null, t('device.facts')), this.facts), this.linkCard);
        this.play.set(this.slug);
        this.append(h('a', { href: '#/', class: 'back-link' }, icon('back'), h('span', null, t('nav.devices'))),
            this.headline, this.now, h('div', { class: 'toolbar' }, this.cast, h('div', { class: 'grow' }, volumeControl(this.slug)), this.edit), this.unknown, this.known);
    }

    /** @param {Set<string>|null} changed */
    update(changed) {
        if (changed && !changed.has(this.slug) && !changed.has('bridge/devices')) return;
        const listed = listedDevice(store.state, this.slug);
        const documents = store.state.devices.get(this.slug);
        const info = documents?.info ?? listed;
        setText(this.headline, nameOf(store.state, this.slug));
        show(this.unknown, !info);
        show(this.known, !!info);
        show(this.cast, isOnline(documents) && api.may('control') && choice.slug !== this.slug);
        show(this.edit, !!info && api.may('admin'));
        const playing = isOnline(documents) && hasMedia(documents?.state);
        show(this.now, playing);
        if (playing) {
            const { title, lines } = describe(documents?.state, documents?.media);
            setText(this.songTitle, title);
            setText(this.line, lines.join(' · '));
            setAttribute(this.now.firstElementChild ?? this.now, 'aria-label', t('device.show', { device: nameOf(store.state, this.slug) }));
            this.artwork.show(this.slug, 56, iconOf(info?.type ?? 'cast'));
        }
        if (!info) return;
        const app = documents?.app;
        /** @type {[string, string|null|undefined][]} */
        const facts = [
            [t('device.state'), isOnline(documents) ? playerText(info.type, documents?.state) : t('device.offline')],
            [t('device.model'), [textOf('device', info.type), info.model].filter(Boolean).join(' · ')],
            [t('device.manufacturer'), info.manufacturer],
            [t('device.firmware'), info.firmware],
            [t('device.address'), info.ip ? `${info.ip}:${info.port}` : null],
            [t('device.mac'), info.mac],
            [t('device.area'), info.area],
            [t('device.identity'), textOf('identity', info.identity)],
            [t('device.authentication'), textOf('authentication', info.authentication)],
            [t('device.application'), app?.name],
            [t('device.connection'), app?.id ? [textOf('phase', app.session.phase), textOf('connection', app.connection)].filter(Boolean).join(' · ') : null],
            [t('device.aliases'), (info.aliases ?? []).join(', ')],
            [t('device.slug'), info.slug],
            [t('device.id'), info.id],
            [t('device.capabilities'), (info.capabilities ?? []).join(', ').replaceAll('_', ' ')],
            [t('device.lastSeen'), isOnline(documents) ? null : dateAndTime(listed?.last_seen)],
        ];
        patchList(this.facts, facts.filter(([, value]) => value), ([name]) => name, ([name]) => h('div', null, h('dt', null, name), h('dd')),
            (row, [, value]) => setText(/** @type {Element} */ (row.lastElementChild), value ?? ''));
        this.updateTogether(documents);
        const availability = JSON.stringify([documents?.availability, info.authentication]);
        if (availability !== this.availability) void this.loadLinks(availability);
    }

    /** What was current when the link history was loaded last. */
    availability = '';

    /**
     * Loads the history of the device's link from the bridge.
     * @param {string} availability
     */
    async loadLinks(availability) {
        this.availability = availability;
        const { entries } = await api.get(`devices/${encodeURIComponent(this.slug)}/history`).catch(() => ({ entries: [] }));
        if (availability !== this.availability) return;
        /** @type {import('../state/types.js').LinkEvent[]} */
        const lines = entries.reverse();
        show(this.linkCard, lines.length > 0);
        patchList(this.links, lines, ({ event, code, at, count }) => `${event} ${code} ${at} ${count}`,
            (line) => h('li', null, h('time', { dateTime: line.at }, dateAndTime(line.at)), h('span', null, linkEventText(line))));
    }

    /** @param {import('../state/types.js').DeviceDocuments|undefined} documents */
    updateTogether(documents) {
        const group = documents?.group;
        const rows = group?.role === 'leader'
            ? group.members.map((member) => ({ id: member.id, slug: member.slug, name: member.name, type: 'audio', playing: false }))
            : (group?.groups ?? []).map((one) => ({ ...one, type: 'group' }));
        show(this.together, rows.length > 0);
        setText(/** @type {Element} */ (this.together.firstElementChild), t(group?.role === 'leader' ? 'device.members' : 'device.groups'));
        patchList(this.members, rows, ({ id }) => id, (row) => h('li', { class: 'row' }, icon(iconOf(row.type)),
            row.slug === null ? h('span', null, row.name) : h('a', { href: `#/device/${encodeURIComponent(row.slug)}` }, row.name), h('span', { class: 'quiet' })),
        (element, row) => setText(/** @type {Element} */ (element.lastElementChild), row.playing ? t('player.playing') : ''));
    }
}
customElements.define('device-view', DeviceView);
