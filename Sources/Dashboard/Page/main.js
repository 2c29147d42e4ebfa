import { choice, settings, store } from './app.js';
import './cast-button.js';
import { DeviceList } from './device-list.js';
import { DeviceView } from './device-view.js';
import { open } from './dialog.js';
import { button, h, setAttribute, setText } from './dom.js';
import { ExpandedController } from './expanded-controller.js';
import { hasMedia } from './devices.js';
import { healthRecord } from './health-graph.js';
import { HealthView } from './health-view.js';
import { history } from './history.js';
import { icon } from './icons.js';
import { introduceOnce } from './introduction.js';
import { startKeyboard } from './keyboard.js';
import { watchLink } from './link-banner.js';
import { LoadView } from './load-view.js';
import { LogView } from './log-view.js';
import './mini-controller.js';
import { installNotices } from './notices.js';
import { QueueView } from './queue-view.js';
import { SettingsDialog } from './settings-dialog.js';
import { start } from './start.js';
import { t } from './texts.js';

/** @typedef {import('./texts.js').TextKey} TextKey */

const byId = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));
const main = byId('main');

/** Views by the first part of the fragment; the second part is their argument. */
const views = /** @type {Record<string, {text: TextKey, icon?: string, make: (argument: string) => HTMLElement}>} */ ({
    '': { text: 'nav.devices', icon: 'devices', make: () => new DeviceList() },
    'play': { text: 'nav.play', icon: 'plus', make: () => new LoadView() },
    'queue': { text: 'nav.queue', icon: 'queue', make: () => new QueueView() },
    'health': { text: 'nav.health', icon: 'health', make: () => new HealthView() },
    'log': { text: 'nav.log', icon: 'log', make: () => new LogView() },
    'device': { text: 'nav.devices', make: (slug) => new DeviceView(slug) },
});

/** @param {boolean} [first] */
function route(first = false) {
    const [name = '', argument = ''] = location.hash.replace(/^#\/?/, '').split('/').map(decodePart);
    const view = Object.hasOwn(views, name) ? views[name] : views[''];
    main.replaceChildren(view.make(argument));
    for (const link of byId('nav').querySelectorAll('a')) {
        setAttribute(link, 'aria-current', link.dataset.view === name || (name === 'device' && link.dataset.view === '') ? 'page' : null);
    }
    document.title = name === '' ? settings.title : `${t(view.text)} · ${settings.title}`;
    if (first) return;
    scrollTo(0, 0);
    main.querySelector('h1')?.focus();
}

/** @param {string} part */
function decodePart(part) {
    try {
        return decodeURIComponent(part);
    } catch {
        return part;
    }
}

function buildBar() {
    setText(byId('title'), settings.title);
    const nav = byId('nav');
    nav.setAttribute('aria-label', t('page.menu'));
    nav.replaceChildren(...Object.entries(views).filter(([, view]) => view.icon).map(([name, view]) =>
        h('a', { href: `#/${name}`, 'data-view': name }, icon(view.icon ?? ''), h('span', null, t(view.text)))));
    byId('bar-end').replaceChildren(document.createElement('cast-button'),
        button('settings', t('page.settings'), () => open(new SettingsDialog()), { 'aria-haspopup': 'dialog' }));
    const skip = h('button', { type: 'button', class: 'skip', onclick: () => main.focus() }, t('page.skip'));
    document.body.prepend(skip);
}

installNotices(document.body);
document.addEventListener('expand', (event) => {
    const slug = /** @type {CustomEvent<string|undefined>} */ (event).detail ?? choice.controlled();
    if (slug === null) return;
    const expanded = new ExpandedController(slug);
    expanded.expecting = !hasMedia(store.state.devices.get(slug)?.state);
    open(expanded);
});
watchLink(byId('banner'));

void start(main, () => {
    healthRecord.start();
    history.start();
    buildBar();
    document.body.insertBefore(document.createElement('mini-controller'), main.nextSibling);
    startKeyboard();
    introduceOnce();
    addEventListener('hashchange', () => route());
    route(true);
});
