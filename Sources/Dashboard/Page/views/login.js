import { detailOf, wordsOf } from '../elements/commands.js';
import { button, h, setText } from '../elements/dom.js';
import { Widget } from '../elements/widget.js';
import { ApiError } from '../state/api.js';
import { api } from '../state/app.js';
import { t } from '../texts/texts.js';

/** Asks for the password or the setup code. */
export class LoginView extends Widget {
    /** @param {() => void} onSignedIn */
    constructor(onSignedIn) {
        super();
        this.onSignedIn = onSignedIn;
    }

    isFirst = api.session?.first_password && !api.session.setup_code;
    code = h('input', { id: 'code', type: 'password', required: true });
    password = h('input', { id: 'password', type: 'password', autocomplete: this.isFirst ? 'new-password' : 'current-password', required: true });
    failure = h('p', { class: 'failure-text', role: 'alert' });
    submit = button('right', t('login.button'), () => {}, { text: true, type: 'submit', class: 'button primary' });

    build() {
        this.append(h('form', { class: 'card login', onsubmit: (/** @type {Event} */ event) => { event.preventDefault(); void this.signIn(); } },
            h('h1', { tabIndex: -1 }, t('login.title')),
            h('input', { type: 'text', autocomplete: 'username', value: 'cast2mqtt', hidden: true, 'aria-hidden': 'true' }),
            this.isFirst ? h('div', { class: 'field' }, h('label', { for: 'code' }, t('login.code')), this.code) : null,
            api.session?.first_password ? h('p', { class: 'quiet' }, t('login.codeHint')) : null,
            h('div', { class: 'field' }, h('label', { for: 'password' }, t(this.isFirst ? 'login.first' : api.session?.setup_code ? 'login.code' : 'login.password')), this.password),
            this.failure, this.submit));
    }

    shown() {
        (this.isFirst ? this.code : this.password).focus();
    }

    async signIn() {
        this.submit.disabled = true;
        try {
            if (this.isFirst) {
                await api.chooseFirstPassword(this.code.value, this.password.value);
                history.replaceState(null, '', '#/setup');
            } else await api.signIn(this.password.value);
            this.onSignedIn();
        } catch (error) {
            const code = error instanceof ApiError ? error.code : '';
            setText(this.failure, code === 'wrong_password' ? t('login.wrong') : code === 'rate_limited' ? t('login.limited') : [wordsOf(error), detailOf(error)].filter(Boolean).join(' '));
            this.password.select();
        } finally {
            this.submit.disabled = false;
        }
    }
}
customElements.define('login-view', LoginView);
