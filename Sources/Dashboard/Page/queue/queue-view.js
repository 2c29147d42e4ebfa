import { detailOf, send, wordsOf } from '../elements/commands.js';
import { open } from '../elements/dialog.js';
import { button, h, patchList, setAttribute, setIcon, setLabel, setText, show } from '../elements/dom.js';
import { announce, notify } from '../elements/notices.js';
import { Widget } from '../elements/widget.js';
import { ApiError } from '../state/api.js';
import { api, choice, store } from '../state/app.js';
import { nameOf } from '../state/devices.js';
import { number } from '../texts/format.js';
import { t, textOf } from '../texts/texts.js';
import { InsertDialog } from './insert-dialog.js';
import { QueueDrag } from './queue-drag.js';
import { QueueList } from './queue-list.js';
import { rowsToShow, visibleRows } from './queue-model.js';
import { QueueRow, rowHeight, titleOf } from './queue-row.js';

/** Time after a request that failed, in milliseconds. */
const readPause = 5_000;

const repeats = ['off', 'all', 'one'];

/** The queue of the controlled device: a list of any length, of which only the visible rows exist. */
export class QueueView extends Widget {
    /** @type {string|null} */
    slug = null;
    list = new QueueList();
    focused = 0;
    /**
     * The document that the list has taken.
     * @type {import('../state/types.js').QueueDocument|undefined}
     */
    taken = undefined;
    /** Whether a part of the queue is being read; there is one request at a time. */
    reading = false;
    /** When the next request may be sent, after one that failed. */
    readAt = 0;

    headline = h('h1', { tabIndex: -1 });
    count = h('span', { class: 'quiet' });
    shuffle = button('shuffle', t('shuffle'), () => this.toggleShuffle(), { 'aria-pressed': 'false' });
    repeat = button('repeat', t('repeat.off'), () => this.nextRepeat());
    clear = button('remove', t('queue.clear'), () => this.confirm.showModal(), { text: true });
    add = button('plus', t('queue.add'), () => this.insert(), { text: true, 'aria-haspopup': 'dialog' });
    bar = h('div', { class: 'toolbar' }, this.count, this.add, this.shuffle, this.repeat, this.clear);
    rows = h('ul', { class: 'queue-list', 'aria-describedby': 'queue-keys' });
    hint = h('p', { class: 'quiet', id: 'queue-keys' }, t('queue.keys'));
    partial = h('p', { class: 'quiet' });
    empty = h('div', { class: 'nothing' }, h('strong', null, t('queue.empty')), h('p', { class: 'quiet' }, t('queue.emptyHint')));
    /** @type {HTMLDialogElement} */
    confirm = h('dialog', { class: 'dialog small', 'aria-labelledby': 'queue-clear' }, h('div', { class: 'dialog-content' },
        h('p', { id: 'queue-clear' }, t('queue.clearAsk')), h('div', { class: 'actions' },
            button('remove', t('queue.clear'), () => this.clearAll(), { text: true, class: 'button danger' }),
            button('close', t('cancel'), () => this.confirm.close(), { text: true }))));
    drag = new QueueDrag(this);

    build() {
        this.append(this.headline, this.bar, this.hint, this.rows, this.partial, this.empty, this.confirm);
        this.rows.addEventListener('keydown', (event) => this.key(event));
        this.rows.addEventListener('focusin', (event) => {
            const row = event.target instanceof Element ? event.target.closest('queue-row') : null;
            if (row instanceof QueueRow) this.focused = row.index;
        });
    }

    shown() {
        this.onScroll = () => this.draw();
        addEventListener('scroll', this.onScroll, { passive: true });
        addEventListener('resize', this.onScroll);
    }

    onScroll = () => {};

    gone() {
        removeEventListener('scroll', this.onScroll);
        removeEventListener('resize', this.onScroll);
        this.drag.cancel();
    }

    document() {
        return this.slug === null ? undefined : store.state.devices.get(this.slug)?.queue;
    }

    /** @param {Set<string>|null} changed */
    update(changed) {
        const slug = choice.controlled();
        if (changed && slug === this.slug && !(slug !== null && changed.has(slug))) return;
        if (slug !== this.slug) {
            this.slug = slug;
            this.list = new QueueList();
            this.taken = undefined;
            this.readAt = 0;
            this.drag.cancel();
        }
        setText(this.headline, slug === null ? t('control.queue') : t('queue.title', { device: nameOf(store.state, slug) }));
        const queue = this.document();
        const state = slug === null ? undefined : store.state.devices.get(slug)?.state;
        const some = !!queue && queue.items.length > 0;
        for (const part of [this.bar, this.rows, this.hint]) show(part, some);
        show(this.empty, !some);
        show(this.partial, false);
        if (!queue || !some || slug === null) return;
        const may = api.may('control');
        const shuffled = queue.shuffle ?? state?.queue.shuffle ?? false;
        setAttribute(this.shuffle, 'aria-pressed', String(shuffled));
        const mode = queue.repeat ?? 'off';
        setIcon(this.repeat, mode === 'one' ? 'repeat-one' : 'repeat');
        setLabel(this.repeat, textOf('repeat', mode) ?? t('repeat.off'));
        this.repeat.toggleAttribute('data-active', mode !== 'off');
        for (const control of [this.add, this.shuffle, this.repeat, this.clear]) control.disabled = !may;
        // The state changes far more often than the queue; what was moved here meanwhile must not jump back.
        if (queue !== this.taken) this.list.takeDocument((this.taken = queue));
        const total = queue.length ?? this.list.length;
        setText(this.count, t('queue.items', { count: number(total) }));
        show(this.partial, !this.list.whole && this.list.length < total);
        setText(this.partial, t('queue.partial', { count: number(this.list.length), total: number(total) }));
        this.draw();
    }

    /** Rows that are in view. */
    visible() {
        return visibleRows(-this.rows.getBoundingClientRect().top, innerHeight, rowHeight, this.list.length);
    }

    /**
     * Reads what is missing: the order, and the items of these rows.
     * @param {{first: number, end: number}} [rows]
     */
    async read(rows = this.visible()) {
        const { slug, list } = this;
        if (slug === null || this.reading || Date.now() < this.readAt) return;
        this.reading = true;
        try {
            for (let page = list.nextPage(rows); page !== null && list === this.list && this.isConnected; page = list.nextPage(this.visible())) {
                const { data } = await api.command(`${encodeURIComponent(slug)}/get/queue`, page);
                if (!data) break;
                list.takePage(page, /** @type {any} */ (data));
                if (list === this.list) this.update(null);
            }
        } catch (error) {
            if (!(error instanceof ApiError)) throw error;
            this.readAt = Date.now() + readPause;
        } finally {
            this.reading = false;
        }
        // Another device was chosen meanwhile.
        if (list !== this.list) void this.read();
    }

    draw() {
        this.rows.style.setProperty('--height', `${this.list.length * rowHeight}px`);
        // The rows that have the focus or are dragged stay, or both would be lost by scrolling.
        const focused = document.activeElement?.closest('queue-row');
        const kept = focused instanceof QueueRow && this.list.order[focused.index] === focused.item?.item ? focused.index : -1;
        const visible = this.visible();
        const shown = rowsToShow(visible, [kept, this.drag.from()]).map((index) => ({ item: this.list.at(index), index }));
        const queue = this.document();
        const current = this.currentIndex();
        patchList(this.rows, shown, ({ item }) => String(item.item), () => new QueueRow(this), (row, { item, index }) => {
            row.show(item, index, this.list.length, {
                slug: this.slug ?? '', current: index === current, past: index < current, preloaded: item.item === queue?.preloaded_item,
                may: api.may('control'),
            });
        });
        this.drag.follow();
        void this.read(visible);
    }

    currentIndex() {
        return this.list.indexOf(this.document()?.current_item);
    }

    /** @param {KeyboardEvent} event */
    key(event) {
        const row = event.target instanceof Element ? event.target.closest('queue-row') : null;
        if (!(row instanceof QueueRow) || event.ctrlKey || event.metaKey) return;
        const by = { ArrowUp: -1, ArrowDown: 1, PageUp: -10, PageDown: 10, Home: -Infinity, End: Infinity }[event.key];
        if (by !== undefined && event.altKey && Math.abs(by) === 1) {
            event.preventDefault();
            void this.move(row.index, row.index + by, true);
        } else if (by !== undefined && !event.altKey) {
            event.preventDefault();
            this.focusRow(Math.min(Math.max(row.index + by, 0), this.list.length - 1));
        } else if (event.key === 'Delete') {
            event.preventDefault();
            void this.delete(row.index);
        } else if (event.key === 'Insert') {
            event.preventDefault();
            this.insert(row.index);
        }
    }

    /**
     * Scrolls a row into view and gives it the focus.
     * @param {number} index
     */
    focusRow(index) {
        if (this.list.length === 0) return;
        this.focused = index;
        const top = this.rows.getBoundingClientRect().top + index * rowHeight;
        const foot = innerHeight - 180;
        if (top < 90) scrollBy(0, top - 90);
        else if (top + rowHeight > foot) scrollBy(0, top + rowHeight - foot);
        this.draw();
        for (const row of this.rows.children) if (row instanceof QueueRow && row.index === index) row.main.focus();
    }

    /** @param {number} from @param {number} to @param {boolean} [focus] */
    async move(from, to, focus = false) {
        const { slug, list } = this;
        if (slug === null || to < 0 || to > list.lastTarget || from === to || !api.may('control')) return;
        const item = list.at(from);
        const before = list.order;
        // The list shows the wish; when the device refuses, it goes back.
        list.move(from, to);
        const wished = list.order;
        this.draw();
        if (focus) this.focusRow(to);
        const answer = await send(slug, 'cmd/queue_move', list.movePayload(to));
        // An order that was read meanwhile is the device's own.
        if (answer === null && list.order === wished) list.order = before;
        if (answer !== null) announce(t('queue.moved', { title: titleOf(item), index: to + 1, count: list.length }));
        this.draw();
        this.settle(list);
    }

    /** @param {number} index */
    async delete(index) {
        const { slug, list } = this;
        if (slug === null || !api.may('control')) return;
        const item = list.at(index);
        if (await send(slug, 'cmd/queue_remove', item.item) === null) return;
        list.remove(item.item);
        announce(t('queue.removed', { title: titleOf(item) }));
        this.draw();
        this.focusRow(Math.min(index, this.list.length - 1));
        this.settle(list);
    }

    /** @param {QueueList} list */
    settle(list) {
        // By then no older document is under way.
        setTimeout(() => {
            list.former = [];
            this.taken = undefined;
            if (this.isConnected) this.update(null);
        }, 4_000);
    }

    /**
     * Asks for addresses to add.
     * @param {number} [index] Of the item before which to add them.
     */
    insert(index) {
        if (this.slug !== null && api.may('control')) open(new InsertDialog(this, index));
    }

    /** @param {number} index @param {Element} control */
    jump(index, control) {
        if (this.slug !== null) void send(this.slug, 'cmd/queue_jump', { item: this.list.order[index] }, control);
    }

    /** @param {number} index */
    playNext(index) {
        const current = this.currentIndex();
        if (current >= 0) void this.move(index, index > current ? current + 1 : current);
    }

    toggleShuffle() {
        if (this.slug !== null) void send(this.slug, 'set/shuffle', this.shuffle.getAttribute('aria-pressed') !== 'true', this.shuffle);
    }

    nextRepeat() {
        const mode = this.document()?.repeat ?? 'off';
        if (this.slug !== null) void send(this.slug, 'set/repeat', repeats[(repeats.indexOf(mode) + 1) % repeats.length], this.repeat);
    }

    async clearAll() {
        this.confirm.close();
        if (this.slug === null) return;
        try {
            await api.command(`${encodeURIComponent(this.slug)}/cmd/queue_clear`, { keep_current: true });
        } catch (error) {
            notify(wordsOf(error), { failure: true, detail: detailOf(error) });
        }
    }
}
customElements.define('queue-view', QueueView);
