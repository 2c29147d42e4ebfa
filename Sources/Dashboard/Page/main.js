import './cast/cast-button.js';
import { DeviceList } from './cast/device-list.js';
import { DeviceView } from './cast/device-view.js';
import { introduceOnce } from './cast/introduction.js';
import { startKeyboard } from './cast/keyboard.js';
import { watchLink } from './cast/link-banner.js';
import { open } from './elements/dialog.js';
import { button, h, setAttribute, setText } from './elements/dom.js';
import { icon } from './elements/icons.js';
import { installNotices } from './elements/notices.js';
import { ExpandedController } from './player/expanded-controller.js';
import { PlaceView } from './play/place-view.js';
import './player/mini-controller.js';
import { QueueView } from './queue/queue-view.js';
import { start } from './start.js';
import { api, choice, settings, store } from './state/app.js';
import { hasMedia, isOnline } from './state/devices.js';
import { history } from './state/history.js';
import { startLockScreen } from './player/lock-screen.js';
import { t } from './texts/texts.js';
import { healthRecord } from './views/health-graph.js';
import { HealthView } from './views/health-view.js';
import { LogView } from './views/log-view.js';
import { SettingsDialog } from './views/settings-dialog.js';
import { SettingsView } from './views/settings-view.js';
import { SetupView } from './views/setup-view.js';

/** @typedef {import('./texts/texts.js').TextKey} TextKey */

const byId = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));
const main = byId('main');

/** Views by the first part of the fragment; the second part is their argument. */
const views = /** @type {Record<string, {text: TextKey, icon?: string, make: (argument: string) => HTMLElement}>} */ ({
    '': { text: 'nav.devices', icon: 'devices', make: () => new DeviceList() },
    'play': { text: 'nav.play', icon: 'plus', make: (path) => new PlaceView(path) },
    'queue': { text: 'nav.queue', icon: 'queue', make: () => new QueueView() },
    'health': { text: 'nav.health', icon: 'health', make: () => new HealthView() },
    'log': { text: 'nav.log', icon: 'log', make: () => new LogView() },
    'settings': { text: 'admin.title', make: () => new SettingsView() },
    'setup': { text: 'setup.title', make: () => new SetupView() },
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
    if (!api.may('control')) document.body.insertBefore(h('p', { class: 'role-note' }, t('role.why')), main);
    const skip = h('button', { type: 'button', class: 'skip', onclick: () => main.focus() }, t('page.skip'));
    document.body.prepend(skip);
}

installNotices(document.body);
document.addEventListener('expand', (event) => {
    const slug = /** @type {CustomEvent<string>} */ (event).detail;
    choice.choose(slug);
    const expanded = new ExpandedController();
    expanded.expecting = isOnline(store.state.devices.get(slug)) && !hasMedia(store.state.devices.get(slug)?.state);
    open(expanded);
});
watchLink(byId('banner'));

void start(main, () => {
    healthRecord.start();
    history.start();
    buildBar();
    document.body.insertBefore(document.createElement('mini-controller'), main.nextSibling);
    startKeyboard();
    startLockScreen();
    introduceOnce();
    addEventListener('hashchange', () => route());
    route(true);
});
