import { request } from '../elements/commands.js';
import { button, h, setAttribute, setText, show } from '../elements/dom.js';
import { Widget } from '../elements/widget.js';
import { api, store } from '../state/app.js';
import { listedDevices } from '../state/devices.js';
import { t, textOf } from '../texts/texts.js';
import { nothingFound } from './nothing-found-model.js';

/** How long devices have to answer before the page says that none did, in milliseconds. */
const patience = 4_000;

/** Why no device is found and what to do, with a button that searches again. */
export class NothingFound extends Widget {
    headline = h('strong');
    why = h('p');
    remedy = h('p', { class: 'quiet' });
    /** Where the devices are, while this bridge is the standby of a pair. */
    leader = h('a', { class: 'button primary' }, t('pair.toLeader'));
    again = button('refresh', t('nothing.again'), () => void this.search(), { text: true, class: 'button primary' });
    isSearching = false;
    isLate = false;
    timer = 0;
    /** @type {import('./nothing-found-model.js').Finding|null} */
    answer = null;

    build() {
        this.classList.add('nothing');
        this.append(h('div', { role: 'status' }, this.headline, this.why, this.remedy), this.leader, this.again);
    }

    shown() {
        this.timer = window.setTimeout(() => void this.ask(), patience);
    }

    gone() {
        clearTimeout(this.timer);
    }

    /** Asks the bridge for the cause, which it reports by itself only after a minute. */
    async ask() {
        this.isLate = true;
        this.update();
        if (this.getClientRects().length === 0 || !api.may('admin') || store.state.bridge.info?.pair?.role === 'standby') return;
        const answer = await api.command('bridge/request/discover').catch(() => null);
        if (answer !== null && this.answer === null) this.answer = { cause: answer.data?.cause ?? null, ts: answer.ts };
        this.update();
    }

    update() {
        const { health, info } = store.state.bridge;
        if (this.isStandby(info?.pair)) return;
        const { title, cause, remedy } = nothingFound({
            isSearching: this.isSearching,
            devices: listedDevices(store.state).length,
            report: health ? { cause: health.discovery?.cause ?? null, ts: health.ts } : null,
            answer: this.answer,
            isLate: this.isLate && store.state.id !== null,
        });
        setText(this.headline, t(title));
        setText(this.why, textOf('cause', cause) ?? '');
        setText(this.remedy, textOf('remedy', remedy) ?? '');
        show(this.why, cause !== null);
        show(this.remedy, remedy !== null);
        show(this.again, api.may('admin'));
    }

    /**
     * Says where the devices are, if this bridge waits as the standby.
     *
     * @param {any} pair
     */
    isStandby(pair) {
        const isStandby = pair?.role === 'standby';
        const page = pair?.members.find((/** @type {any} */ member) => member.owner === pair.leader)?.page ?? null;
        show(this.leader, isStandby && page !== null);
        if (!isStandby) return false;
        setText(this.headline, t('pair.standby'));
        setText(this.why, pair.leader === null ? t('pair.none') : t('pair.leader', { name: pair.leader }));
        setAttribute(this.leader, 'href', page);
        show(this.why, true);
        for (const part of [this.remedy, this.again]) show(part, false);
        return true;
    }

    async search() {
        if (this.isSearching) return;
        this.isSearching = true;
        this.update();
        const answer = await request('discover', undefined, this.again);
        this.isSearching = false;
        if (answer !== null) this.answer = { cause: answer.data?.cause ?? null, ts: answer.ts };
        this.update();
    }
}
customElements.define('nothing-found', NothingFound);
