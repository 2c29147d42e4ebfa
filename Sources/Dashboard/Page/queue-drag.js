import { rowHeight } from './queue-row.js';

/** Distance from the edge of the window within which dragging scrolls, in pixels. */
const edge = 90;

/** Moves an item of the queue by its handle, with mouse, pen or finger. */
export class QueueDrag {
    /** @param {import('./queue-view.js').QueueView} view */
    constructor(view) {
        this.view = view;
        this.target = 0;
        this.frame = 0;
    }

    /** @param {PointerEvent} event @param {import('./queue-row.js').QueueRow} row */
    begin(event, row) {
        if (event.button !== 0) return;
        event.preventDefault();
        const handle = row.handle;
        const from = row.index;
        const offset = event.clientY - row.getBoundingClientRect().top;
        let y = event.clientY;
        handle.setPointerCapture(event.pointerId);
        row.toggleAttribute('data-dragging', true);
        const follow = () => {
            const top = this.view.list.getBoundingClientRect().top;
            const at = y - offset - top;
            this.target = Math.min(Math.max(Math.round(at / rowHeight), 0), this.view.items.length - 1);
            row.style.setProperty('--top', `${at}px`);
            for (const other of /** @type {Iterable<any>} */ (this.view.list.children)) {
                if (other === row) continue;
                const shift = other.index > from && other.index <= this.target ? -1 : other.index < from && other.index >= this.target ? 1 : 0;
                other.style.setProperty('--top', `${(other.index + shift) * rowHeight}px`);
            }
        };
        const scroll = () => {
            if (y < edge + 60) scrollBy(0, -12);
            else if (y > innerHeight - edge - 80) scrollBy(0, 12);
            follow();
            this.frame = requestAnimationFrame(scroll);
        };
        const move = (/** @type {PointerEvent} */ next) => {
            y = next.clientY;
            follow();
        };
        const end = (/** @type {PointerEvent} */ last) => {
            cancelAnimationFrame(this.frame);
            handle.removeEventListener('pointermove', move);
            handle.removeEventListener('pointerup', end);
            handle.removeEventListener('pointercancel', end);
            row.toggleAttribute('data-dragging', false);
            const to = last.type === 'pointerup' ? this.target : from;
            if (to === from) this.view.draw();
            else void this.view.move(from, to);
        };
        this.target = from;
        handle.addEventListener('pointermove', move);
        handle.addEventListener('pointerup', end);
        handle.addEventListener('pointercancel', end);
        this.frame = requestAnimationFrame(scroll);
    }
}
