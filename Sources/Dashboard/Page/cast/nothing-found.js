import { api, store } from '../app.js';
import { button, h, setText, show } from '../elements/dom.js';
import { t, textOf } from '../elements/texts.js';
import { Widget } from '../elements/widget.js';
import { request } from '../state/commands.js';

/** Why no device is found and what to do, with a button that searches again. */
export class NothingFound extends Widget {
    headline = h('strong');
    why = h('p');
    remedy = h('p', { class: 'quiet' });
    again = button('refresh', t('nothing.again'), () => void this.search(), { text: true, class: 'button primary' });
    /** @type {string|null} */
    cause = null;

    build() {
        this.classList.add('nothing');
        this.append(this.headline, this.why, this.remedy, this.again);
    }

    update() {
        const health = store.state.bridge.health;
        const cause = health?.discovery?.cause ?? this.cause;
        setText(this.headline, cause ? t('nothing.title') : t('nothing.searching'));
        setText(this.why, textOf('cause', cause) ?? '');
        setText(this.remedy, textOf('remedy', cause) ?? '');
        show(this.why, cause !== null);
        show(this.remedy, cause !== null);
        show(this.again, api.may('admin'));
    }

    async search() {
        const answer = await request('discover', undefined, this.again);
        this.cause = answer?.data?.cause ?? null;
        this.update();
    }
}
customElements.define('nothing-found', NothingFound);
