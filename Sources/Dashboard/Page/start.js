import { api, base, memory, setConnection, settings, store, token } from './app.js';
import { ApiError } from './api.js';
import { connect } from './connection.js';
import { LoginView } from './login.js';
import { chooseLanguage } from './texts.js';
import { applyTheme, startTheme } from './theme.js';

/**
 * What both pages do first: settings, language, theme, session, stream.
 * @param {HTMLElement} main Where the login is shown.
 * @param {() => void} ready Called once somebody is signed in.
 */
export async function start(main, ready) {
    chooseLanguage(memory.get('language') ?? settings.language);
    startTheme();
    let page = await untilAnswered(async () => {
        const [answer] = await Promise.all([api.get('page').catch(withoutLogin), api.loadSession()]);
        return answer;
    });
    let begun = false;
    const begin = async () => {
        page ??= await api.get('page').catch(withoutLogin);
        Object.assign(settings, page);
        chooseLanguage(memory.get('language') ?? settings.language);
        applyTheme();
        begun = true;
        main.replaceChildren();
        ready();
        setConnection(connect(base, (event) => {
            if (event.type === 'link' && event.link === 'login') signIn();
            store.handle(event);
        }, token));
    };
    const signIn = () => {
        if (main.querySelector('login-view')) return;
        if (begun && token !== null) return;
        main.replaceChildren(new LoginView(() => (begun ? location.reload() : void begin())));
    };
    api.onLoginRequired = signIn;
    if (api.session?.signed_in || token !== null || api.session?.login_required === false) await begin();
    else signIn();
}

/**
 * The settings of the page need a login; null until there is one.
 * @param {unknown} error
 */
function withoutLogin(error) {
    if (error instanceof ApiError && error.code !== 'unreachable') return null;
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
