import { markPending } from '../elements/commands.js';
import { button, h, patchList, setText, show } from '../elements/dom.js';
import { icon } from '../elements/icons.js';
import { notify } from '../elements/notices.js';
import { Widget } from '../elements/widget.js';
import { api, choice, settings, store } from '../state/app.js';
import { hasMedia, isOnline, listedDevice, listedDevices, nameOf } from '../state/devices.js';
import { t } from '../texts/texts.js';
import { AddressForm } from './address-form.js';
import { FailureCard } from './failure-card.js';
import { MediaList } from './media-list.js';
import { foldersAbove, foundAgain, playCommand } from './media-model.js';

/** @typedef {import('./media-model.js').MediaEntry} MediaEntry */

/** What is said when an action succeeded. */
const successes = /** @type {const} */ ({ play: 'load.playing', next: 'load.enqueuedNext', enqueue: 'load.enqueued', check: 'load.checked', show: 'load.shown' });
/** Pause in typing after which a search begins, in milliseconds; the bridge takes two a second. */
const typingPause = 400;
/** Recents and presets that are shown before the others are asked for. */
const shownFirst = 6;

/** Device that was chosen here, and the one that was chosen for the page then. A folder is another view, and keeps it. */
const target = { slug: '', room: /** @type {string|null} */ (null) };

/** Something to choose: an address, a file, presets, what was played, folders. With a path it is the view of that folder. */
export class PlaceView extends Widget {
    /** @param {string} path */
    constructor(path) {
        super();
        this.path = path;
    }

    headline = h('h1', { tabIndex: -1 });
    device = h('select', { id: 'load-device', onchange: () => {
        target.slug = this.device.value;
        this.update(null);
    } });
    form = new AddressForm((action, command, control) => this.run(action, command, control));
    file = h('input', { type: 'file', id: 'load-file', accept: 'audio/*,video/*,image/*', class: 'visually-hidden', onchange: () => {
        const [file] = this.file.files ?? [];
        if (file) void this.upload(file);
        this.file.value = '';
    } });
    fileLabel = h('label', { for: 'load-file', class: 'button' }, icon('upload'), h('span', null, t('load.file')));
    progress = h('progress', { max: 1, hidden: true, 'aria-label': t('load.file') });
    failure = new FailureCard();
    search = h('input', { type: 'search', 'aria-label': t('load.search'), placeholder: t('load.search'), oninput: () => {
        clearTimeout(this.timer);
        this.timer = window.setTimeout(() => void this.find(), typingPause);
    } });
    timer = 0;
    act = (/** @type {MediaEntry} */ entry, /** @type {'play'|'enqueue'} */ action, /** @type {HTMLButtonElement} */ control) => void this.choose(entry, action, control);
    lists = {
        presets: new MediaList(t('load.presets'), this.act, shownFirst),
        recents: new MediaList(t('load.recents'), this.act, shownFirst),
        folder: new MediaList(t('load.folders'), this.act),
    };
    found = new MediaList(t('load.found'), this.act);
    nothing = h('p', { class: 'quiet', role: 'status' });

    build() {
        setText(this.headline, this.path === '' ? t('nav.play') : this.path.split('/').at(-1) ?? '');
        const above = foldersAbove(this.path).map((path) => h('a', { href: `#/play/${encodeURIComponent(path)}` }, path.split('/').at(-1)));
        const way = h('nav', { class: 'way', 'aria-label': t('load.folders') }, h('a', { href: '#/play', class: 'back-link' }, icon('back'), h('span', null, t('nav.play'))), ...above);
        const isFolder = this.path !== '';
        if (isFolder) this.lists.folder.headline.textContent = t('load.inFolder');
        this.form.actions.append(this.fileLabel, this.file);
        this.append(...(isFolder ? [way] : []), h('div', { class: 'place-head' }, this.headline,
            h('div', { class: 'inline' }, h('label', { for: this.device.id }, t('load.device')), this.device)),
            ...(isFolder ? [this.failure] : [this.form, this.progress, this.failure]), h('div', { class: 'toolbar' }, this.search), this.nothing, this.found,
            h('div', { class: 'columns' }, ...(isFolder ? [this.lists.folder] : Object.values(this.lists))));
        this.addEventListener('dragover', (event) => {
            event.preventDefault();
            this.toggleAttribute('data-drop', true);
        });
        this.addEventListener('dragleave', () => this.toggleAttribute('data-drop', false));
        this.addEventListener('drop', (event) => this.drop(event));
    }

    shown() {
        void this.read();
    }

    gone() {
        clearTimeout(this.timer);
    }

    /** @param {Set<string>|null} changed */
    update(changed) {
        if (changed && !changed.has('bridge/devices') && !changed.has('choice') && !changed.has(this.device.value) && !changed.has('session')) return;
        const { slug, isChosen } = choice.room;
        // It stays until a person chooses another one, here or for the page.
        const wanted = isChosen && slug !== target.room ? slug : target.slug || slug;
        target.room = isChosen ? slug : null;
        const online = (/** @type {string} */ one) => isOnline(store.state.devices.get(one));
        const devices = listedDevices(store.state).filter((device) => online(device.slug) || device.slug === wanted);
        patchList(this.device, devices, (device) => device.slug, (device) => h('option', { value: device.slug }),
            (option, device) => setText(option, online(device.slug) ? device.name : `${device.name} · ${t('device.offline')}`));
        if (wanted && devices.some((device) => device.slug === wanted)) this.device.value = wanted;
        target.slug = this.device.value;
        const may = api.may('control');
        const hasQueue = hasMedia(store.state.devices.get(this.device.value)?.state);
        const hasScreen = !!listedDevice(store.state, this.device.value)?.capabilities.includes('video_out');
        this.form.setDevice({ may, hasQueue, hasScreen });
        this.file.disabled = !may || this.isSending;
        show(this.fileLabel, may);
        for (const list of [...Object.values(this.lists), this.found]) list.follow(hasQueue);
    }

    /** Reads presets, recents and folders. What there is none of is absent. */
    async read() {
        // A list of what one may not play is of no use.
        if (!api.may('control')) return show(this.search, false);
        const { presets, recents, folder } = this.lists;
        const reads = this.path === '' ? [presets.read('list=presets'), recents.read('list=recents'), folder.read('path=')] : [folder.read(`path=${encodeURIComponent(this.path)}`)];
        const results = await Promise.allSettled(reads);
        const entries = Object.values(this.lists).reduce((sum, list) => sum + list.entries.length, 0);
        show(this.search, folder.entries.length > 0 || entries > shownFirst);
        // Without folders that is no failure: the bridge serves none.
        const failed = results.find(({ status }) => status === 'rejected');
        if (this.path !== '' && failed?.status === 'rejected') this.failure.showError(this.path, failed.reason);
        else setText(this.nothing, this.path !== '' && entries === 0 ? t('load.emptyFolder') : '');
    }

    async find() {
        const typed = this.search.value.trim();
        for (const list of Object.values(this.lists)) list.classList.toggle('covered', typed !== '');
        this.found.entries = [];
        this.found.next = null;
        try {
            if (typed === '') this.found.query = '';
            else await this.found.read(`query=${encodeURIComponent(typed)}`);
        } catch (error) {
            this.failure.showError(t('load.search'), error);
        }
        this.found.draw();
        setText(this.nothing, typed !== '' && this.found.entries.length === 0 ? t('load.nothingFound') : '');
    }

    /** @param {MediaEntry} entry @param {'play'|'enqueue'} action @param {HTMLButtonElement} control */
    async choose(entry, action, control) {
        let [command, payload] = playCommand(entry);
        if (entry.kind === 'recent') {
            // Its number is another one after each load, of whomever; without that of now, another entry would play.
            try {
                await this.lists.recents.read('list=recents');
            } catch (error) {
                return void this.failure.showError(entry.name, error);
            }
            const now = foundAgain(this.lists.recents.entries, entry);
            if (now === null) return void notify(t('load.recentGone', { name: entry.name }), { failure: true });
            [command, payload] = playCommand(now);
        }
        if (action === 'enqueue') [command, payload] = ['cmd/queue_insert', { items: [payload], at: 'end' }];
        await this.run(action, [command, payload], control);
    }

    /** @param {DragEvent} event */
    drop(event) {
        event.preventDefault();
        this.toggleAttribute('data-drop', false);
        const [file] = event.dataTransfer?.files ?? [];
        if (file) return void this.upload(file);
        const text = event.dataTransfer?.getData('text/uri-list') || event.dataTransfer?.getData('text/plain');
        if (text) this.form.drop(text);
    }

    /** Whether a file is on its way. One at a time. */
    isSending = false;

    /**
     * Gives a file of this phone or computer to the bridge, and plays it.
     * @param {File} file
     */
    async upload(file) {
        if (!api.may('control') || this.isSending) return;
        // Of the room that is chosen now: sending a film takes minutes.
        const slug = this.chosen();
        if (!slug) return;
        this.failure.hide();
        show(this.progress, true);
        this.file.disabled = this.isSending = true;
        try {
            const { id } = await api.upload(file, (part) => (this.progress.value = part));
            await this.run('play', ['cmd/load', { file: id }], this.form.play, slug);
        } catch (error) {
            this.failure.showError(file.name, error);
        } finally {
            show(this.progress, false);
            this.isSending = false;
            this.file.disabled = !api.may('control');
            this.progress.value = 0;
        }
    }

    /** The device that is chosen; tells when none is. */
    chosen() {
        if (!this.device.value) notify(t('load.noDevice'), { failure: true });
        return this.device.value;
    }

    /**
     * @param {import('./address-form.js').Action} action @param {[command: string, payload: any]} command @param {HTMLButtonElement} control
     * @param {string} [slug] The device; by default the chosen one.
     * @returns {Promise<boolean>} Whether it succeeded.
     */
    async run(action, [command, payload], control, slug = this.chosen()) {
        if (!slug) return false;
        this.failure.hide();
        const done = markPending(control);
        control.disabled = true;
        const device = nameOf(store.state, slug);
        try {
            const answer = await api.command(`${encodeURIComponent(slug)}/${command}`, payload);
            const findings = answer.data?.findings ?? [];
            if (findings.length > 0) this.failure.show(t('load.findings'), '', '', findings);
            else notify(t(successes[action], { device }));
            if (action === 'play') {
                choice.choose(slug);
                if (settings.opens_expanded) document.dispatchEvent(new CustomEvent('expand', { detail: slug }));
                if (this.isConnected && this.path === '') void this.lists.recents.read('list=recents').catch(() => {});
            }
            return true;
        } catch (error) {
            this.failure.showError(device, error);
            return false;
        } finally {
            done();
            control.disabled = false;
        }
    }
}
customElements.define('place-view', PlaceView);
