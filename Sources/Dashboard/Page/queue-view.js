import { api, choice, store } from './app.js';
import { ApiError } from './api.js';
import { detailOf, send, wordsOf } from './commands.js';
import { nameOf } from './devices.js';
import { button, h, patchList, setAttribute, setIcon, setLabel, setText, show } from './dom.js';
import { announce, notify } from './notices.js';
import { number } from './format.js';
import { merged, moved, movePayload, rowsToShow, visibleRows } from './queue-model.js';
import { QueueDrag } from './queue-drag.js';
import { QueueRow, rowHeight } from './queue-row.js';
import { t, textOf } from './texts.js';
import { Widget } from './widget.js';

/** @typedef {import('./types.js').QueueItem} QueueItem */

const repeats = ['off', 'all', 'one'];

/** The queue of the controlled device: a list of any length, of which only the visible rows exist. */
export class QueueView extends Widget {
    /** @type {string|null} */
    slug = null;
    /** @type {QueueItem[]} */
    items = [];
    whole = false;
    /** What the list was read for, so that it is read again when the queue changes. */
    readFor = '';
    focused = 0;
    /**
     * The document that the list has taken.
     * @type {import('./types.js').QueueDocument|undefined}
     */
    taken = undefined;

    headline = h('h1', { tabIndex: -1 });
    count = h('span', { class: 'quiet' });
    shuffle = button('shuffle', t('shuffle'), () => this.toggleShuffle(), { 'aria-pressed': 'false' });
    repeat = button('repeat', t('repeat.off'), () => this.nextRepeat());
    clear = button('remove', t('queue.clear'), () => this.confirm.showModal(), { text: true });
    bar = h('div', { class: 'toolbar' }, this.count, this.shuffle, this.repeat, this.clear);
    list = h('ul', { class: 'queue-list', 'aria-describedby': 'queue-keys' });
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
        this.append(this.headline, this.bar, this.hint, this.list, this.partial, this.empty, this.confirm);
        this.list.addEventListener('keydown', (event) => this.key(event));
        this.list.addEventListener('focusin', (event) => {
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
            this.items = [];
            this.whole = false;
            this.readFor = '';
            this.taken = undefined;
            this.drag.cancel();
        }
        setText(this.headline, slug === null ? t('control.queue') : t('queue.title', { device: nameOf(store.state, slug) }));
        const queue = this.document();
        const state = slug === null ? undefined : store.state.devices.get(slug)?.state;
        const some = !!queue && queue.items.length > 0;
        for (const part of [this.bar, this.list, this.hint]) show(part, some);
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
        for (const control of [this.shuffle, this.repeat, this.clear]) control.disabled = !may;
        this.takeWindow(queue);
        const total = queue.length ?? this.items.length;
        setText(this.count, t('queue.items', { count: number(total) }));
        show(this.partial, this.whole && this.items.length < total);
        setText(this.partial, t('queue.partial', { count: number(this.items.length), total: number(total) }));
        this.draw();
    }

    /**
     * The document has the items around the current one; the rest is read when it is not known or not right any more.
     * @param {import('./types.js').QueueDocument} queue
     */
    takeWindow(queue) {
        // The state changes far more often than the queue; what was moved here meanwhile must not jump back.
        if (queue === this.taken) return;
        this.taken = queue;
        if (queue.complete) {
            this.items = queue.items;
            this.whole = true;
            return;
        }
        const together = this.whole ? merged(this.items, queue.items) : null;
        const right = together !== null && (queue.length === null || queue.length === this.items.length || this.items.length >= 5_000);
        this.items = together ?? (this.items.length > 0 ? this.items : queue.items);
        const key = `${queue.length} ${queue.items.map(({ item }) => item).join(',')}`;
        if (right || this.readFor === key) return;
        this.readFor = key;
        void this.readAll();
    }

    async readAll() {
        const slug = this.slug;
        if (slug === null) return;
        try {
            const answer = await api.command(`${encodeURIComponent(slug)}/get/queue`, { all: true });
            const items = answer.data?.items;
            if (slug !== this.slug || !Array.isArray(items)) return;
            this.items = items;
            this.whole = true;
            this.update(null);
        } catch (error) {
            // Receivers that don't list their queue: the window is all there is.
            if (!(error instanceof ApiError)) throw error;
        }
    }

    draw() {
        const box = this.list.getBoundingClientRect();
        this.list.style.setProperty('--height', `${this.items.length * rowHeight}px`);
        // The rows that have the focus or are dragged stay, or both would be lost by scrolling.
        const focused = document.activeElement?.closest('queue-row');
        const kept = focused instanceof QueueRow && this.items[focused.index]?.item === focused.item?.item ? focused.index : -1;
        const shown = rowsToShow(visibleRows(-box.top, innerHeight, rowHeight, this.items.length), [kept, this.drag.from()])
            .map((index) => ({ item: this.items[index], index }));
        const queue = this.document();
        patchList(this.list, shown, ({ item }) => String(item.item), () => new QueueRow(this), (row, { item, index }) => {
            row.show(item, index, this.items.length, {
                slug: this.slug ?? '', current: item.item === queue?.current_item, past: index < this.currentIndex(), preloaded: item.item === queue?.preloaded_item,
                may: api.may('control'),
            });
        });
        this.drag.follow();
    }

    currentIndex() {
        const current = this.document()?.current_item;
        return this.items.findIndex(({ item }) => item === current);
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
            this.focusRow(Math.min(Math.max(row.index + by, 0), this.items.length - 1));
        } else if (event.key === 'Delete') {
            event.preventDefault();
            void this.delete(row.index);
        }
    }

    /**
     * Scrolls a row into view and gives it the focus.
     * @param {number} index
     */
    focusRow(index) {
        if (this.items.length === 0) return;
        this.focused = index;
        const top = this.list.getBoundingClientRect().top + index * rowHeight;
        const foot = innerHeight - 180;
        if (top < 90) scrollBy(0, top - 90);
        else if (top + rowHeight > foot) scrollBy(0, top + rowHeight - foot);
        this.draw();
        for (const row of this.list.children) if (row instanceof QueueRow && row.index === index) row.main.focus();
    }

    /** @param {number} from @param {number} to @param {boolean} [focus] */
    async move(from, to, focus = false) {
        if (this.slug === null || to < 0 || to >= this.items.length || from === to || !api.may('control')) return;
        const { slug } = this;
        const item = this.items[from];
        const before = this.items;
        const whole = this.whole && this.items.length >= (this.document()?.length ?? 0);
        // The document tells the index of its current item in the whole queue.
        const first = this.whole ? 0 : Math.max(0, (this.document()?.index ?? 0) - Math.max(0, this.currentIndex()));
        // The list shows the wish; when the device refuses, it goes back.
        this.items = moved(this.items, from, to);
        this.draw();
        if (focus) this.focusRow(to);
        const answer = await send(this.slug, 'cmd/queue_move', movePayload(this.items, to, { whole, first }));
        if (answer === null && this.slug === slug) this.items = before;
        else announce(t('queue.moved', { title: titleOf(item), index: to + 1, count: this.items.length }));
        this.draw();
    }

    /** @param {number} index */
    async delete(index) {
        if (this.slug === null || !api.may('control')) return;
        const item = this.items[index];
        const answer = await send(this.slug, 'cmd/queue_remove', item.item);
        if (answer === null) return;
        this.items = this.items.filter(({ item: id }) => id !== item.item);
        announce(t('queue.removed', { title: titleOf(item) }));
        this.draw();
        this.focusRow(Math.min(index, this.items.length - 1));
    }

    /** @param {number} index @param {Element} control */
    jump(index, control) {
        if (this.slug !== null) void send(this.slug, 'cmd/queue_jump', { item: this.items[index].item }, control);
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

/** @param {QueueItem} item */
export function titleOf(item) {
    return item.title ?? item.content_id?.split(/[?#]/)[0].split('/').pop() ?? t('queue.item', { item: item.item });
}
