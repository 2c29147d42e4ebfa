import { NothingFound } from '../cast/nothing-found.js';
import { PastEvents } from '../cast/past-events.js';
import { h, patchList, setAttribute, setIcon, setText, show } from '../elements/dom.js';
import { Widget } from '../elements/widget.js';
import { store } from '../state/app.js';
import { listedDevices } from '../state/devices.js';
import { linkText } from '../state/link-texts.js';
import { number, span, timeOfDay } from '../texts/format.js';
import { t, textOf } from '../texts/texts.js';
import { HealthGraph, healthRecord } from './health-graph.js';

/** @typedef {[key: string, label: string, value: string, graph: ((health: any) => number)|null, isCounter: boolean]} Figure */

/** What shows at one look whether the bridge works: devices, broker, Cast links, process, search. */
export class HealthView extends Widget {
    headline = h('h1', { tabIndex: -1 }, t('health.title'));
    words = h('span');
    verdict = h('p', { class: 'verdict' }, this.words);
    problems = h('ul', { class: 'problems' });
    /** Devices that are off, which is nothing that needs a person. */
    off = h('p', { class: 'quiet' });
    groups = h('div', { class: 'columns' });
    nothing = new NothingFound();
    hint = h('p', { class: 'quiet' }, t('health.since'));

    build() {
        this.append(this.headline, h('section', { class: 'card verdict-card' }, this.verdict, this.problems, this.off), this.nothing,
            h('section', { class: 'card' }, h('h2', null, t('past.title')), new PastEvents(null)), this.groups, this.hint);
    }

    /** @param {Set<string>|null} changed */
    update(changed) {
        if (changed && ![...changed].some((name) => name.startsWith('bridge/') || name === 'link')) return;
        const { health, info } = store.state.bridge;
        const link = linkText(store.state);
        const cause = health?.discovery?.cause;
        show(this.hint, !!health);
        show(this.nothing, !!cause || !listedDevices(store.state).some((device) => device.online));
        const offline = listedDevices(store.state).filter((device) => !device.online).map(({ name }) => name);
        show(this.off, offline.length > 0);
        setText(this.off, `${t('device.offline')}: ${offline.join(', ')}`);
        const problems = [
            ...(link === null || link === 'link.polling' ? [] : [{ key: link, text: t(link) }]),
            ...(cause ? [{ key: 'cause', text: textOf('cause', cause) ?? cause }] : []),
            ...((health?.mqtt?.dropped ?? 0) > 0 && health ? [{ key: 'dropped', text: `${t('health.broker')}: ${t('health.dropped')} ${number(health.mqtt.dropped)}` }] : []),
            ...((health?.mqtt?.refused ?? 0) > 0 && health ? [{ key: 'refused', text: `${t('health.broker')}: ${t('health.refused')} ${number(health.mqtt.refused)}` }] : []),
        ];
        setText(this.words, !health ? t('health.none') : problems.length === 0 ? t('health.healthy') : t('health.attention'));
        setIcon(this.verdict, problems.length === 0 ? 'check' : 'warning');
        setAttribute(this.verdict, 'data-ok', problems.length === 0 ? '' : null);
        patchList(this.problems, problems, ({ key }) => key, () => h('li', null), (row, { text }) => setText(row, text));
        if (!health) return;
        const figure = (/** @type {string} */ key, /** @type {string} */ label, /** @type {any} */ value, /** @type {((health: any) => number)|null} */ graph = null, isCounter = false) =>
            /** @type {Figure} */ ([key, label, typeof value === 'number' ? number(value, 1) : value ?? '–', graph, isCounter]);
        const counter = (/** @type {string} */ key, /** @type {string} */ label, /** @type {number} */ value, /** @type {(health: any) => number} */ read) =>
            figure(key, label, value, read, true);
        const groups = /** @type {[string, Figure[]][]} */ ([
            [t('health.devices'), [
                figure('online', t('health.online'), health.devices.online, (x) => x.devices.online),
                figure('known', t('health.known'), health.devices.known),
                figure('unverified', t('health.unverified'), health.devices.unverified),
                figure('excluded', t('health.excluded'), health.devices.excluded)]],
            [t('health.cast'), [
                figure('links', t('health.connects'), health.cast.connections, (x) => x.cast.connections),
                figure('reconnects', t('health.reconnects'), health.cast.reconnects),
                counter('requests', t('health.requests'), health.cast.requests, (x) => x.cast.requests),
                figure('timeouts', t('health.timeouts'), health.cast.timeouts),
                figure('late', t('health.late'), `${number(health.cast.heartbeat_late_ms_max)} ms`, (x) => x.cast.heartbeat_late_ms_max)]],
            [t('health.broker'), [
                counter('published', t('health.published'), health.mqtt.published, (x) => x.mqtt.published),
                counter('received', t('health.received'), health.mqtt.received, (x) => x.mqtt.received),
                figure('queued', t('health.queued'), health.mqtt.queued, (x) => x.mqtt.queued),
                figure('dropped', t('health.dropped'), health.mqtt.dropped),
                figure('connects', t('health.connects'), health.mqtt.connects)]],
            ...(info?.pair ? [[t('health.pair'), info.pair.members.map((/** @type {any} */ { owner }) =>
                figure(owner, owner, owner === info.pair.leader ? t('pair.leads') : t('pair.waits')))]] : []),
            [t('health.process'), [
                figure('uptime', t('health.uptime'), span(health.uptime_s)),
                figure('memory', t('health.memory'), `${number(health.process.rss_mb, 1)} MB`, (x) => x.process.rss_mb),
                figure('cpu', t('health.cpu'), `${number(health.process.cpu_percent, 1)} %`, (x) => x.process.cpu_percent),
                figure('version', t('health.version'), info?.version)]],
        ]);
        patchList(this.groups, groups, ([name]) => name, ([name]) => h('section', { class: 'card' }, h('h2', null, name), h('dl', { class: 'figures' })),
            (section, [, figures]) => patchList(/** @type {HTMLElement} */ (section.lastElementChild), figures, ([key]) => key,
                ([, label, , graph, isCounter]) => h('div', null, h('dt', null, label), h('dd', null, h('span'), graph && new HealthGraph(label, graph, isCounter))),
                (row, [, , value]) => {
                    setText(/** @type {Element} */ (row.querySelector('dd span')), value);
                    const graph = row.querySelector('health-graph');
                    if (graph instanceof HealthGraph) graph.draw(healthRecord.values);
                }));
        setText(this.hint, `${t('health.since')} · ${timeOfDay(health.ts)}`);
    }
}
customElements.define('health-view', HealthView);
