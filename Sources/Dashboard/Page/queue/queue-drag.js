import { rowHeight } from './queue-row.js';

/** Distance from the edge of the window within which dragging scrolls, in pixels. */
const edge = 90;

/**
 * Moves an item of the queue by its handle, with mouse, pen or finger. The item is known by its id, because the queue may change
 * meanwhile; its row stays in the list wherever the page is scrolled to.
 */
export class QueueDrag {
    /** @param {import('./queue-view.js').QueueView} view */
    constructor(view) {
        this.view = view;
        /** @type {{row: import('./queue-row.js').QueueRow, item: number, pointer: number, offset: number, y: number, frame: number}|null} */
        this.held = null;
        /** Index that the item would get. */
        this.target = 0;
    }

    /** @param {PointerEvent} event @param {import('./queue-row.js').QueueRow} row */
    begin(event, row) {
        if (event.button !== 0 || this.held || !row.item) return;
        event.preventDefault();
        this.held = {
            row, item: row.item.item, pointer: event.pointerId, offset: event.clientY - row.getBoundingClientRect().top, y: event.clientY, frame: 0,
        };
        this.target = row.index;
        row.toggleAttribute('data-dragging', true);
        row.handle.setPointerCapture(event.pointerId);
        row.handle.addEventListener('lostpointercapture', this.cancel);
        for (const type of ['pointermove', 'pointerup', 'pointercancel']) addEventListener(type, this.pointer);
        addEventListener('blur', this.cancel);
        this.held.frame = requestAnimationFrame(this.scroll);
    }

    /** Index of the dragged item now; -1 when there is none. */
    from() {
        const item = this.held?.item;
        return this.view.list.indexOf(item);
    }

    /** Places the rows as they would be after the move. */
    follow() {
        const from = this.from();
        if (!this.held) return;
        if (from < 0) return this.cancel();
        const at = this.held.y - this.held.offset - this.view.rows.getBoundingClientRect().top;
        this.target = Math.min(Math.max(Math.round(at / rowHeight), 0), this.view.list.lastTarget);
        for (const other of /** @type {Iterable<any>} */ (this.view.rows.children)) {
            const shift = other.index > from && other.index <= this.target ? -1 : other.index < from && other.index >= this.target ? 1 : 0;
            other.style.setProperty('--top', `${other === this.held.row ? at : (other.index + shift) * rowHeight}px`);
        }
    }

    scroll = () => {
        if (!this.held) return;
        if (this.held.y < edge + 60) scrollBy(0, -12);
        else if (this.held.y > innerHeight - edge - 80) scrollBy(0, 12);
        this.follow();
        if (this.held) this.held.frame = requestAnimationFrame(this.scroll);
    };

    /** @param {Event} event */
    pointer = (event) => {
        if (!(event instanceof PointerEvent) || event.pointerId !== this.held?.pointer) return;
        this.held.y = event.clientY;
        if (event.type === 'pointercancel') return this.cancel();
        this.follow();
        if (event.type === 'pointerup') this.drop();
    };

    drop() {
        const from = this.from();
        const to = this.target;
        this.cancel();
        if (from >= 0 && to !== from) void this.view.move(from, to);
    }

    /** Ends the drag and leaves the queue as it is. */
    cancel = () => {
        const held = this.held;
        if (!held) return;
        this.held = null;
        cancelAnimationFrame(held.frame);
        held.row.handle.removeEventListener('lostpointercapture', this.cancel);
        for (const type of ['pointermove', 'pointerup', 'pointercancel']) removeEventListener(type, this.pointer);
        removeEventListener('blur', this.cancel);
        held.row.toggleAttribute('data-dragging', false);
        this.view.draw();
    };
}
