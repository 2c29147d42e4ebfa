import { detailOf, send, wordsOf } from '../elements/commands.js';
import { open } from '../elements/dialog.js';
import { button, h, patchList, setAttribute, setIcon, setLabel, setText, show } from '../elements/dom.js';
import { announce, notify } from '../elements/notices.js';
import { Widget } from '../elements/widget.js';
import { ApiError } from '../state/api.js';
import { api, choice, store } from '../state/app.js';
import { isOnline, nameOf } from '../state/devices.js';
import { number } from '../texts/format.js';
import { t, textOf } from '../texts/texts.js';
import { InsertDialog } from './insert-dialog.js';
import { NowBeside } from './now-beside.js';
import { QueueDrag } from './queue-drag.js';
import { QueueList } from './queue-list.js';
import { rowsToShow, visibleRows } from './queue-model.js';
import { QueueRow, rowHeight, titleOf } from './queue-row.js';

/** Time after a request that failed, in milliseconds. */
const readPause = 5_000;

/** How long a removed item can be kept, in milliseconds. */
const undoTime = 5_000;

const repeats = ['off', 'all', 'one'];

/** @typedef {{slug: string, list: QueueList, item: import('../state/types.js').QueueItem, session: number|null|undefined}} Removal */

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
    /**
     * Items that are removed in a moment, by id.
     * @type {Map<number, Removal>}
     */
    leaving = new Map();
    /**
     * Ids of the chosen items, while several are being chosen.
     * @type {Set<number>|null}
     */
    selected = null;
    /** The media session that it is of. */
    selectedIn = /** @type {ReturnType<typeof sessionOf>} */ (undefined);
    /** Whether a part of the queue is being read; there is one request at a time. */
    reading = false;
    /** Until the view shows what plays. */
    opensAtCurrent = true;
    /** When the next request may be sent, after one that failed. */
    readAt = 0;

    headline = h('h1', { tabIndex: -1 });
    count = h('span', { class: 'quiet' });
    shuffle = button('shuffle', t('shuffle'), () => this.toggleShuffle(), { 'aria-pressed': 'false' });
    repeat = button('repeat', t('repeat.off'), () => this.nextRepeat());
    clear = button('remove', t('queue.clear'), () => this.confirm.showModal(), { text: true });
    add = button('plus', t('queue.add'), () => this.insert(), { text: true, 'aria-haspopup': 'dialog' });
    select = button('check', t('queue.select'), () => this.choose(this.selected === null ? new Set() : null), { text: true, 'aria-pressed': 'false' });
    nextSelected = button('next', t('queue.playNext'), () => void this.moveSelected(), { text: true });
    removeSelected = button('remove', t('queue.remove'), () => this.deleteSelected(), { text: true });
    bar = h('div', { class: 'toolbar' }, this.count, this.add, this.select, this.nextSelected, this.removeSelected, this.shuffle, this.repeat, this.clear);
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
        this.append(new NowBeside(), h('div', null, this.headline, this.bar, this.hint, this.rows, this.partial, this.empty), this.confirm);
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
        addEventListener('pagehide', this.onHide);
    }

    onScroll = () => {};
    onHide = () => this.removeNow();

    gone() {
        removeEventListener('scroll', this.onScroll);
        removeEventListener('resize', this.onScroll);
        removeEventListener('pagehide', this.onHide);
        this.removeNow();
        this.drag.cancel();
    }

    may() {
        return api.may('control') && this.slug !== null && isOnline(store.state.devices.get(this.slug));
    }

    document() {
        return this.slug === null ? undefined : store.state.devices.get(this.slug)?.queue;
    }

    /** @param {Set<string>|null} changed */
    update(changed) {
        const { slug } = choice;
        if (changed && slug === this.slug && !(slug !== null && changed.has(slug))) return;
        if (slug !== this.slug) {
            this.removeNow();
            this.slug = slug;
            this.list = new QueueList();
            this.taken = undefined;
            this.readAt = 0;
            this.opensAtCurrent = true;
            this.selected = null;
            this.drag.cancel();
            // It asks about the queue of the former one.
            this.confirm.close();
        }
        // Another queue has other items with the same ids.
        if (this.selected !== null && slug !== null && sessionOf(slug) !== this.selectedIn) this.selected = null;
        setText(this.headline, slug === null ? t('control.queue') : t('queue.title', { device: nameOf(store.state, slug) }));
        const queue = this.document();
        if (queue && queue.items.length > 0 && queue !== this.taken) {
            // The state changes far more often than the queue; what was moved here meanwhile must not jump back.
            this.list.takeDocument((this.taken = queue));
        }
        for (const removal of this.leaving.values()) if (!isMarked(removal)) this.leaving.delete(removal.item.item);
        const state = slug === null ? undefined : store.state.devices.get(slug)?.state;
        const some = !!queue && queue.items.length > 0;
        for (const part of [this.bar, this.rows, this.hint]) show(part, some);
        show(this.empty, !some);
        show(this.partial, false);
        if (!queue || !some || slug === null) return;
        const may = this.may();
        const shuffled = queue.shuffle ?? state?.queue.shuffle ?? false;
        setAttribute(this.shuffle, 'aria-pressed', String(shuffled));
        const mode = queue.repeat ?? 'off';
        setIcon(this.repeat, mode === 'one' ? 'repeat-one' : 'repeat');
        setLabel(this.repeat, textOf('repeat', mode) ?? t('repeat.off'));
        this.repeat.toggleAttribute('data-active', mode !== 'off');
        for (const control of [this.add, this.shuffle, this.repeat, this.clear, this.select]) control.disabled = !may;
        this.showSelection();
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

    /** What plays may be the thousandth item. */
    showCurrent() {
        const current = this.currentIndex();
        if (!this.opensAtCurrent || !this.list.whole || current < 0) return;
        this.opensAtCurrent = false;
        const top = this.rows.getBoundingClientRect().top + current * rowHeight;
        // A person who has already scrolled stays where they are.
        if (scrollY === 0 && top > innerHeight - 240) scrollTo(0, top - innerHeight / 3);
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
                may: this.may(), leaving: this.leaving.has(item.item), selected: this.selected && this.selected.has(item.item),
            });
        });
        this.drag.follow();
        void this.read(visible);
        // After the page has gone to its top.
        if (this.opensAtCurrent) requestAnimationFrame(() => this.isConnected && this.showCurrent());
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
            if (this.leaving.has(row.item?.item ?? -1)) this.keep(row.index);
            else this.delete(row.index, true);
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
        if (slug === null || to < 0 || to > list.lastTarget || from === to || !this.may()) return;
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

    /**
     * Removes an item some seconds later: until then it is marked, and can be kept.
     * @param {number} index
     * @param {boolean} [focus] Whether the focus goes on to the next row.
     */
    delete(index, focus = false) {
        if (!this.deleteItems([this.list.at(index)])) return;
        announce(t('queue.removed', { title: titleOf(this.list.at(index)) }));
        if (focus) this.focusRow(Math.min(index + 1, this.list.length - 1));
    }

    /**
     * @param {import('../state/types.js').QueueItem[]} items
     * @returns {Removal[]|null} Null when there is nothing to remove.
     */
    deleteItems(items) {
        const { slug, list } = this;
        const marked = items.filter(({ item }) => !this.leaving.has(item));
        if (slug === null || !this.may() || marked.length === 0) return null;
        const removals = marked.map((item) => ({ slug, list, item, session: sessionOf(slug) }));
        for (const removal of removals) this.leaving.set(removal.item.item, removal);
        setTimeout(() => void this.remove_(removals), undoTime);
        this.draw();
        return removals;
    }

    /** @param {number} index */
    keep(index) {
        this.leaving.delete(this.list.order[index]);
        announce(t('queue.kept', { title: titleOf(this.list.at(index)) }));
        this.draw();
    }

    /** @param {readonly Removal[]} removals Those that were not kept meanwhile are carried out. @param {boolean} [closes] Whether the page may be closed. */
    async remove_(removals, closes = false) {
        const left = removals.filter((removal) => this.leaving.get(removal.item.item) === removal);
        const still = left.filter(isMarked);
        for (const removal of closes ? left : left.filter((one) => !still.includes(one))) this.leaving.delete(removal.item.item);
        if (still.length === 0) return;
        const [{ slug, list }] = still;
        const ids = still.map(({ item }) => item.item);
        const payload = ids.length === 1 ? ids[0] : ids;
        const answer = closes ? await api.command(`${encodeURIComponent(slug)}/cmd/queue_remove`, payload, true).catch(() => null)
            : await send(slug, 'cmd/queue_remove', payload);
        for (const removal of still) if (this.leaving.get(removal.item.item) === removal) this.leaving.delete(removal.item.item);
        if (answer !== null) for (const id of ids) list.remove(id);
        if (list !== this.list || !this.isConnected) return;
        this.draw();
        if (answer !== null) this.settle(list);
    }

    /** Nobody sees any more what could be kept. */
    removeNow() {
        void this.remove_([...this.leaving.values()], true);
    }

    /** @param {Set<number>|null} selected Null ends the choice of several items. */
    choose(selected) {
        this.selected = selected;
        this.selectedIn = this.slug === null ? undefined : sessionOf(this.slug);
        this.showSelection();
        this.draw();
    }

    showSelection() {
        const { selected } = this;
        setAttribute(this.select, 'aria-pressed', String(selected !== null));
        setText(/** @type {Element} */ (this.select.lastElementChild), selected?.size ? t('queue.selected', { count: selected.size }) : t('queue.select'));
        for (const control of [this.nextSelected, this.removeSelected]) {
            show(control, selected !== null);
            control.disabled = !selected?.size || !this.may();
        }
        for (const control of [this.add, this.clear]) show(control, selected === null);
    }

    /** The chosen items, in the order of the queue. */
    chosen() {
        return this.list.order.filter((id) => this.selected?.has(id));
    }

    async moveSelected() {
        const { slug, list } = this;
        const items = this.chosen().filter((id) => id !== this.document()?.current_item);
        this.choose(null);
        if (slug === null || items.length === 0 || await send(slug, 'cmd/queue_move', { items, at: 'next' }) === null) return;
        list.stale = true;
        this.settle(list);
    }

    deleteSelected() {
        const removals = this.deleteItems(this.chosen().map((id) => this.list.at(this.list.indexOf(id))));
        this.choose(null);
        if (!removals) return;
        const notice = notify(t('queue.removedCount', { count: removals.length }), { undo: () => {
            for (const { item } of removals) this.leaving.delete(item.item);
            this.draw();
        } });
        setTimeout(() => notice.remove(), undoTime);
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
        if (this.may()) open(new InsertDialog(this, index));
    }

    /** @param {number} index @param {Element} control */
    jump(index, control) {
        const id = this.list.order[index];
        if (this.selected) return this.choose(new Set(this.selected.has(id) ? [...this.selected].filter((one) => one !== id) : [...this.selected, id]));
        if (this.slug !== null && !this.leaving.has(id)) void send(this.slug, 'cmd/queue_jump', { item: id }, control);
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

/** @param {string} slug Of the media that plays there. */
function sessionOf(slug) {
    return store.state.devices.get(slug)?.state?.media.session;
}

/**
 * Whether an item is still the one that was marked. Another queue has other items with the same ids.
 * @param {Removal} removal
 */
function isMarked({ slug, list, item, session }) {
    return sessionOf(slug) === session && (item.content_id === null || list.known.get(item.item)?.content_id === item.content_id);
}
