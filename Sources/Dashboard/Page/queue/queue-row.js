import { Artwork } from '../elements/artwork.js';
import { button, h, setAttribute, setText, show } from '../elements/dom.js';
import { clockTime } from '../texts/format.js';
import { t } from '../texts/texts.js';

/** Height of a row in pixels; the stylesheet has the same. */
export const rowHeight = 64;

/** An item of the queue. */
export class QueueRow extends HTMLElement {
    /** @param {import('./queue-view.js').QueueView} view */
    constructor(view) {
        super();
        this.view = view;
        /** @type {import('../state/types.js').QueueItem|null} */
        this.item = null;
        this.index = 0;
    }

    artwork = new Artwork();
    place = h('span', { class: 'queue-place' });
    headline = h('span', { dir: 'auto' });
    line = h('span', { class: 'quiet', dir: 'auto' });
    time = h('span', { class: 'queue-time' });
    main = h('button', { type: 'button', class: 'row', 'aria-keyshortcuts': 'Alt+ArrowUp Alt+ArrowDown Delete Insert', onclick: () => this.view.jump(this.index, this.main) },
        this.place, this.artwork, h('span', { class: 'row-text' }, this.headline, this.line), this.time);
    handle = button('drag', '', () => {}, { class: 'icon-button handle', tabIndex: -1, onpointerdown: (/** @type {PointerEvent} */ event) => this.view.drag.begin(event, this) });
    next = button('queue', t('queue.playNext'), () => this.view.playNext(this.index));
    insert = button('plus', t('queue.addBefore'), () => this.view.insert(this.index), { class: 'icon-button before', 'aria-haspopup': 'dialog' });
    remove_ = button('remove', t('queue.remove'), () => this.view.delete(this.index));
    keep = button('undo', t('undo'), () => this.view.keep(this.index), { text: true });

    connectedCallback() {
        if (this.childElementCount > 0) return;
        this.setAttribute('role', 'listitem');
        this.append(this.main, this.next, this.insert, this.remove_, this.handle, this.keep);
    }

    /**
     * @param {import('../state/types.js').QueueItem} item @param {number} index @param {number} count
     * @param {{slug: string, current: boolean, past: boolean, preloaded: boolean, may: boolean, leaving: boolean,
     *   selected: boolean|null}} more `selected` is null unless several items are being chosen.
     */
    show(item, index, count, { slug, current, past, preloaded, may, leaving, selected }) {
        this.item = item;
        this.index = index;
        this.style.setProperty('--top', `${index * rowHeight}px`);
        setAttribute(this, 'aria-setsize', String(count));
        setAttribute(this, 'aria-posinset', String(index + 1));
        setAttribute(this.main, 'aria-current', current ? 'true' : null);
        const title = titleOf(item);
        setText(this.place, String(index + 1));
        setText(this.headline, title);
        setText(this.line, leaving ? t('queue.leaving') : [item.artist, current ? t('queue.current') : preloaded ? t('queue.preloaded') : null, item.autoplay === false ? t('queue.autoplayOff') : null].filter(Boolean).join(' · '));
        setText(this.time, clockTime(item.duration));
        setAttribute(this.handle, 'aria-label', t('queue.drag', { title }));
        setAttribute(this.next, 'aria-label', `${t('queue.playNext')}: ${title}`);
        setAttribute(this.insert, 'aria-label', `${t('queue.addBefore')}: ${title}`);
        setAttribute(this.remove_, 'aria-label', `${t('queue.remove')}: ${title}`);
        this.toggleAttribute('data-past', past && !current);
        this.toggleAttribute('data-unread', item.unread === true);
        this.main.disabled = !may;
        setAttribute(this.main, 'aria-pressed', selected === null ? null : String(selected));
        const focused = this.contains(document.activeElement) && this.hasAttribute('data-leaving') !== leaving;
        this.toggleAttribute('data-leaving', leaving);
        setAttribute(this.keep, 'aria-label', `${t('undo')}: ${title}`);
        show(this.next, may && !current && !leaving && selected === null);
        show(this.insert, may && !leaving && selected === null);
        show(this.remove_, may && !leaving && selected === null);
        show(this.handle, may && !leaving && selected === null);
        show(this.keep, leaving);
        if (focused && document.activeElement !== this.main) (leaving ? this.keep : this.main).focus();
        this.artwork.showItem(slug, item, 44);
    }
}
customElements.define('queue-row', QueueRow);

/** @param {import('../state/types.js').QueueItem} item */
export function titleOf(item) {
    return item.title ?? item.content_id?.split(/[?#]/)[0].split('/').pop() ?? t('queue.item', { item: item.item });
}
