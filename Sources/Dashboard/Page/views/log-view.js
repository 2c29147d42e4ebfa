import { button, h, setText, show } from '../elements/dom.js';
import { Widget } from '../elements/widget.js';
import { api, memory, store, wantLog } from '../state/app.js';
import { levels } from '../state/stream.js';
import { dateAndTime, number, timeOfDay } from '../texts/format.js';
import { t } from '../texts/texts.js';
import { fits, isToday, metadataText, plainText } from './log-model.js';

/** @typedef {import('../state/types.js').LogLine} LogLine */

/** Lines that are kept and shown. */
const limit = 1_000;
/** Lines that are drawn in a frame: a slow phone takes half a millisecond for each. */
const slice = 40;

/** The log of the bridge as it comes, with level and filter. */
export class LogView extends Widget {
    /** @type {LogLine[]} */
    lines = [];
    paused = false;
    /** @type {LogLine[]} */
    held = [];

    headline = h('h1', { tabIndex: -1 }, t('log.title'));
    level = h('select', { id: 'log-level', onchange: () => this.changeLevel() }, ...levels.map((name) => h('option', { value: name }, name)));
    filter = h('input', { id: 'log-filter', type: 'search', placeholder: t('log.filterHint'), autocapitalize: 'off', spellcheck: false, oninput: () => this.redraw() });
    pause = button('pause', t('log.pause'), () => this.togglePause(), { text: true });
    clear = button('remove', t('log.clear'), () => this.empty(), { text: true });
    save = button('down', t('log.save'), () => this.download(), { text: true });
    count = h('span', { class: 'quiet' });
    rows = h('tbody');
    markers = this.rows.getElementsByClassName('missed');
    table = h('table', { class: 'log' }, h('thead', { class: 'visually-hidden' }, h('tr', null, ...[t('log.time'), t('log.level'), t('log.source'), t('log.message')].map((name) => h('th', { scope: 'col' }, name)))), this.rows);
    none = h('p', { class: 'quiet' }, t('log.empty'));

    build() {
        this.level.value = memory.get('logLevel') ?? 'info';
        if (this.level.value === '') this.level.value = 'info';
        this.append(this.headline, h('div', { class: 'toolbar' },
            h('label', { class: 'inline', for: 'log-level' }, h('span', null, t('log.level')), this.level),
            h('label', { class: 'inline grow', for: 'log-filter' }, h('span', null, t('log.filter')), this.filter), this.pause, this.clear, this.save, this.count),
        h('div', { class: 'card log-box', tabIndex: 0, role: 'region', 'aria-label': t('log.title') }, this.none, this.table));
    }

    stopListening = () => {};

    shown() {
        this.stopListening = store.listen((event) => {
            if (event.type === 'log') this.take(event.line);
            else if (event.type === 'missed' && event.lines > 0) this.take(missing(event.lines));
        });
        void this.changeLevel();
    }

    gone() {
        this.stopListening();
        cancelAnimationFrame(this.later);
        wantLog(null);
    }

    async changeLevel() {
        memory.set('logLevel', this.level.value);
        wantLog(this.level.value);
        try {
            const { lines } = await api.get(`log?level=${this.level.value}`);
            const last = lines.length > 0 ? lines[lines.length - 1].ts : '';
            this.lines = [...lines, ...this.lines.filter((line) => line.ts > last)].slice(-limit);
        } catch {
            // Without the last lines the new ones still come.
        }
        this.redraw();
    }

    /** @param {LogLine} line */
    take(line) {
        // Another page of this browser may ask for more.
        if (!fits(line, this.level.value, '')) return;
        if (this.paused) {
            this.held.push(line);
            if (this.held.length > limit) this.held.shift();
            return;
        }
        this.lines.push(line);
        if (this.lines.length > limit) this.lines.shift();
        if (!fits(line, this.level.value, this.filter.value)) return;
        this.rows.prepend(this.row(line));
        while (this.rows.children.length > limit) this.rows.lastElementChild?.remove();
        this.counted();
    }

    /** @param {LogLine} line */
    row(line) {
        const time = h('time', { dateTime: line.ts, title: dateAndTime(line.ts) ?? '' }, isToday(line.ts) ? timeOfDay(line.ts) : dateAndTime(line.ts));
        if (line.missed !== undefined) return h('tr', { class: 'missed level-warning' }, h('td', null, time), h('td', { colSpan: 3 }, line.message));
        const more = metadataText(line);
        return h('tr', { class: `level-${levels.includes(line.level) ? line.level : 'info'}` },
            h('td', null, time), h('td', null, h('span', { class: 'level' }, line.level)),
            h('td', null, line.source), h('td', null, h('span', null, line.message), more && h('span', { class: 'quiet' }, ` ${more}`)));
    }

    redraw() {
        this.rows.replaceChildren();
        this.draw(this.lines.filter((line) => fits(line, this.level.value, this.filter.value)).reverse());
    }

    later = 0;

    /** @param {LogLine[]} lines Older than those that are shown, the newest first. */
    draw(lines) {
        cancelAnimationFrame(this.later);
        this.rows.append(...lines.slice(0, slice).map((line) => this.row(line)));
        this.counted();
        if (lines.length > slice) this.later = requestAnimationFrame(() => this.draw(lines.slice(slice)));
    }

    counted() {
        show(this.none, this.rows.children.length === 0);
        setText(this.count, t('log.count', { count: this.rows.children.length - this.markers.length }));
    }

    togglePause() {
        this.paused = !this.paused;
        setText(/** @type {Element} */ (this.pause.lastElementChild), t(this.paused ? 'log.resume' : 'log.pause'));
        if (this.paused) return;
        const held = this.held;
        this.held = [];
        for (const line of held) this.take(line);
    }

    /** The lines that are shown, oldest first, as a file. */
    download() {
        const shown = this.lines.filter((line) => fits(line, this.level.value, this.filter.value));
        const address = URL.createObjectURL(new Blob([plainText(shown)], { type: 'text/plain' }));
        h('a', { href: address, download: `cast2mqtt-${new Date().toISOString().slice(0, 19).replaceAll(':', '-')}.log` }).click();
        setTimeout(() => URL.revokeObjectURL(address), 10_000);
    }

    empty() {
        this.lines = [];
        this.held = [];
        this.redraw();
    }
}
customElements.define('log-view', LogView);

/**
 * A line in place of those that the bridge dropped.
 * @param {number} missed
 * @returns {LogLine}
 */
function missing(missed) {
    return { ts: new Date(store.now()).toISOString(), level: 'warning', source: '', message: t('log.missed', { count: number(missed) }), data: {}, missed };
}
