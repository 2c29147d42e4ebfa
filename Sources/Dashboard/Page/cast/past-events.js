import { h, patchList, setText, show } from '../elements/dom.js';
import { Widget } from '../elements/widget.js';
import { api, store } from '../state/app.js';
import { nameOf } from '../state/devices.js';
import { history } from '../state/history.js';
import { dateAndTime } from '../texts/format.js';
import { t } from '../texts/texts.js';
import { isFailure, pastText } from './past-model.js';

/** @typedef {import('./past-model.js').PastEvent} PastEvent */

/** How long events are waited for before they are loaded again, in milliseconds: a hundred devices may come online at once. */
const calm = 1_000;

/** What happened, over restarts of the bridge: to one device, or what failed anywhere. */
export class PastEvents extends Widget {
    /** @param {string|null} slug Null: all devices. */
    constructor(slug) {
        super();
        this.slug = slug;
    }

    /** @type {PastEvent[]} */
    events = [];
    list = h('ol', { class: 'history' });
    none = h('p', { class: 'quiet' });
    failures = h('input', { type: 'checkbox', onchange: () => void this.load() });
    timer = 0;
    stopListening = () => {};

    build() {
        this.failures.checked = this.slug === null;
        this.append(h('label', { class: 'choice compact' }, this.failures, h('span', null, t('past.failures'))), this.none, this.list);
    }

    shown() {
        void this.load();
        this.stopListening = history.listen((slug) => {
            if (this.slug !== null && slug !== this.slug) return;
            if (this.timer === 0) this.timer = window.setTimeout(() => void this.load(), calm);
            this.draw();
        });
    }

    gone() {
        clearTimeout(this.timer);
        this.timer = 0;
        this.stopListening();
    }

    async load() {
        const device = this.slug === null ? '' : `device=${encodeURIComponent(this.slug)}&`;
        this.timer = 0;
        const failed = this.failures.checked ? 'failed=1&' : '';
        const answer = await api.get(`history?${device}${failed}limit=${this.slug === null ? 500 : 200}`).catch(() => null);
        if (answer === null || !this.isConnected) return;
        this.events = answer.events;
        this.draw();
    }

    draw() {
        // What the bridge does not keep is known since the page was opened.
        const own = this.slug === null ? [] : history.of(this.slug).map(({ key, time, text }) => ({ key, time, text, isFailure: false, name: '' }));
        const kept = this.events.map((event) => ({
            key: `${event.ts} ${event.event_type} ${event.slug}`, time: event.ts, text: pastText(event), isFailure: isFailure(event),
            name: this.slug === null ? nameOf(store.state, event.slug) || event.name : '',
        }));
        const lines = [...own, ...kept].filter((line) => line.isFailure || !this.failures.checked).sort((a, b) => (a.time < b.time ? 1 : -1)).slice(0, 200);
        show(this.none, lines.length === 0);
        setText(this.none, t(this.failures.checked ? 'past.noFailures' : 'past.none'));
        patchList(this.list, lines, ({ key }) => key, (line) => h('li', { class: line.isFailure ? 'failed' : null },
            h('time', { dateTime: line.time }, dateAndTime(line.time)), h('span', { dir: 'auto' }, line.name ? `${line.name}: ${line.text}` : line.text)));
    }
}
customElements.define('past-events', PastEvents);
