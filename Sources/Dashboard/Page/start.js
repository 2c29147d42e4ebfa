import { api, base, memory, setConnection, settings, store, token } from './app.js';
import { ApiError } from './api.js';
import { connect } from './connection.js';
import { LoginView } from './login.js';
import { chooseLanguage } from './texts.js';
import { startTheme } from './theme.js';

/**
 * What both pages do first: settings, language, theme, session, stream.
 * @param {HTMLElement} main Where the login is shown.
 * @param {() => void} ready Called once somebody is signed in.
 */
export async function start(main, ready) {
    await untilAnswered(async () => {
        const [page] = await Promise.all([api.get('page').catch(withoutLogin), api.loadSession()]);
        Object.assign(settings, page);
    }, () => {
        chooseLanguage(memory.get('language') ?? 'auto');
        startTheme();
    });
    chooseLanguage(memory.get('language') ?? settings.language);
    startTheme();
    let begun = false;
    const begin = async () => {
        // Until somebody signed in, the settings may have been refused.
        Object.assign(settings, await api.get('page').catch(withoutLogin));
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
 * The settings of the page may need a login; then the defaults hold until there is one.
 * @param {unknown} error
 */
function withoutLogin(error) {
    if (error instanceof ApiError && error.code !== 'unreachable') return {};
    throw error;
}

/**
 * Tries until it succeeds: the bridge may be starting.
 * @param {() => Promise<void>} work @param {() => void} onFailure
 */
async function untilAnswered(work, onFailure) {
    for (let attempt = 0; ; attempt += 1) {
        try {
            return await work();
        } catch (error) {
            if (attempt === 0) onFailure();
            store.handle({ type: 'link', link: 'lost' });
            await new Promise((resolve) => setTimeout(resolve, 2_000));
        }
    }
}
