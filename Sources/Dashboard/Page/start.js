import { h } from './elements/dom.js';
import { liftNotices } from './elements/notices.js';
import { applyTheme, startTheme } from './elements/theme.js';
import { ApiError } from './state/api.js';
import { api, base, memory, setConnection, settings, setupCode, store, token, wantedLog } from './state/app.js';
import { connect } from './state/connection.js';
import { bootOf } from './state/store.js';
import { chooseLanguage, t } from './texts/texts.js';
import { LoginView } from './views/login.js';

/** Errors that go away by themselves. */
const passing = ['unreachable', 'not_ready', 'rate_limited'];

/**
 * What both pages do first: settings, language, theme, session, stream.
 * @param {HTMLElement} main Where the login is shown.
 * @param {() => void} ready Called once a user is signed in.
 */
export async function start(main, ready) {
    await chooseLanguage(memory.get('language') ?? settings.language);
    startTheme();
    let page = await untilAnswered(async () => {
        if (setupCode !== null) await api.signIn(setupCode).catch(withoutLogin);
        const [answer] = await Promise.all([api.get('page').catch(withoutLogin), api.loadSession().catch(withoutLogin)]);
        return answer;
    });
    // A code in the address bar would be copied with it.
    if (setupCode !== null) history.replaceState(null, '', location.pathname);
    let begun = false;
    /** @type {string|null} */
    let boot = null;
    const begin = async () => {
        page ??= await api.get('page').catch(withoutLogin);
        Object.assign(settings, page);
        await chooseLanguage(memory.get('language') ?? settings.language);
        applyTheme();
        begun = true;
        main.replaceChildren();
        ready();
        setConnection(connect(base, (event) => {
            if (event.type === 'link' && event.link === 'login') signIn();
            // A user signed in on another page of this browser.
            if (event.type === 'link' && (event.link === 'live' || event.link === 'polling') && main.querySelector('login-view')) location.reload();
            store.handle(event);
            if ((event.type !== 'snapshot' && event.type !== 'changes') || bootOf(event.id) === boot) return;
            // A bridge that started again has another token against forged requests, and perhaps other roles.
            if (boot !== null) void renewSession();
            boot = bootOf(event.id);
        }, token, wantedLog()));
    };
    const signIn = () => {
        if (token !== null) return refuse(main);
        if (main.querySelector('login-view')) return;
        closeDialogs();
        main.replaceChildren(new LoginView(() => (begun ? location.reload() : void begin())));
    };
    api.onLoginRequired = signIn;
    if (api.session?.signed_in || api.session?.login_required === false) await begin();
    else signIn();
}

/**
 * A page with a token has no login: it shows what is wrong.
 * @param {HTMLElement} main
 */
function refuse(main) {
    if (main.querySelector('.refused')) return;
    closeDialogs();
    main.replaceChildren(h('div', { class: 'nothing refused', role: 'alert' }, h('strong', null, t('login.badToken')), h('p', { class: 'quiet' }, t('login.badTokenHint'))));
}

/** What the login asks for must not lie behind a dialog. */
function closeDialogs() {
    for (const dialog of document.querySelectorAll('dialog')) if (dialog.open) dialog.close();
    liftNotices();
}

async function renewSession() {
    try {
        await api.loadSession();
        store.notify(new Set(['session']));
    } catch {
        // The next command tries again.
    }
}

/**
 * The settings of the page need a login; null until there is one.
 * @param {unknown} error
 */
function withoutLogin(error) {
    if (error instanceof ApiError && !passing.includes(error.code)) return null;
    throw error;
}

/**
 * Tries until it succeeds: the bridge may be starting.
 * @template T
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
async function untilAnswered(work) {
    for (;;) {
        try {
            return await work();
        } catch {
            store.handle({ type: 'link', link: 'lost' });
            await new Promise((resolve) => setTimeout(resolve, 2_000));
        }
    }
}
