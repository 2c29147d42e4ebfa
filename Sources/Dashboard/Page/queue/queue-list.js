/**
 * What the page knows of a queue of any length: the order of all items, and those items that were read. Pure.
 *
 * @typedef {import('../state/types.js').QueueItem} QueueItem
 * @typedef {import('../state/types.js').QueueDocument} QueueDocument
 * @typedef {{from: number, count: number, ids?: boolean}} QueuePage
 */

/** Most items in one request; more than a screen has rows. */
const pageSize = 60;

export class QueueList {
    /**
     * Ids of the items.
     * @type {number[]}
     */
    order = [];
    /** Whether `order` is that of the whole queue; otherwise it is that of the items around the current one. */
    whole = false;
    /** Whether the order has to be read: it is not known, or the document contradicts it. */
    stale = false;
    /**
     * Orders before changes that were made here: a document under way may have one of them.
     * @type {string[]}
     */
    former = [];
    /**
     * Items that were read, by id.
     * @type {Map<number, QueueItem>}
     */
    known = new Map();
    /**
     * Items that the receiver did not report when they were read.
     * @type {Set<number>}
     */
    untold = new Set();

    get length() {
        return this.order.length;
    }

    /**
     * The item at an index; without any value when it was not read.
     * @param {number} index
     * @returns {QueueItem}
     */
    at(index) {
        return this.known.get(this.order[index]) ?? unread(this.order[index]);
    }

    /** @param {number|null|undefined} item Its id. */
    indexOf(item) {
        return item === null || item === undefined ? -1 : this.order.indexOf(item);
    }

    /**
     * Takes the document, which has the items around the current one.
     * @param {QueueDocument} queue
     */
    takeDocument(queue) {
        const ids = queue.items.map(({ item }) => item);
        if (queue.complete) {
            if (!this.former.includes(String(ids))) this.takeOrder(ids);
        } else {
            this.stale = !this.whole || !contains(this.order, ids) || (queue.length !== null && queue.length !== this.length);
            // Until the order is read, the items around the current one are all there is to show.
            if (!this.whole) this.order = ids;
        }
        for (const item of queue.items) this.known.set(item.item, item);
    }

    /** @param {readonly number[]} ids Those of the whole queue. */
    takeOrder(ids) {
        this.order = [...ids];
        this.whole = true;
        this.stale = false;
        this.former = [];
        const present = new Set(ids);
        this.known = new Map([...this.known].filter(([id]) => present.has(id)));
        this.untold.clear();
    }

    /**
     * Takes the answer to a request for a page.
     * @param {QueuePage} page
     * @param {{items: QueueItem[], length: number, ids?: number[]}} answer
     */
    takePage({ from, count }, answer) {
        if (answer.ids) this.takeOrder(answer.ids);
        const asked = new Set(this.order.slice(from, from + count));
        for (const item of answer.items) {
            this.known.set(item.item, item);
            // The queue was changed where the document does not reach.
            if (!asked.has(item.item)) this.stale = true;
        }
        if (answer.length !== this.length) this.stale = true;
        for (const id of asked) if (!this.known.has(id)) this.untold.add(id);
    }

    /**
     * What to read next: the order when it is not right, and a page with the first of these rows that was not read.
     * @param {{first: number, end: number}} rows
     * @returns {QueuePage|null} Null when nothing is missing.
     */
    nextPage({ first, end }) {
        let from = first;
        while (from < Math.min(end, this.length) && (this.known.has(this.order[from]) || this.untold.has(this.order[from]))) from += 1;
        const missing = from < Math.min(end, this.length);
        if (this.stale) return { ids: true, from: first, count: this.whole && missing ? pageSize : 0 };
        return missing ? { from, count: pageSize } : null;
    }

    /**
     * Moves an item, until the document shows the result.
     * @param {number} from @param {number} to Its index afterwards.
     */
    move(from, to) {
        this.former.push(String(this.order));
        const order = [...this.order];
        const [item] = order.splice(from, 1);
        order.splice(to, 0, item);
        this.order = order;
    }

    /** @param {number} item Its id. */
    remove(item) {
        this.former.push(String(this.order));
        this.order = this.order.filter((id) => id !== item);
    }

    /**
     * The payload for an item's new place: by its neighbour, because others may change the queue meanwhile.
     * @param {number} to
     */
    movePayload(to) {
        const item = this.order[to];
        return to + 1 < this.length ? { item, before: this.order[to + 1] } : { item, at: 'end' };
    }

    /** The last index to which an item can be moved: what lies behind the last one is not known while the order is not. */
    get lastTarget() {
        return this.whole ? this.length - 1 : this.length - 2;
    }
}

/**
 * Whether a list has these elements one behind the other.
 * @param {readonly number[]} order @param {readonly number[]} part
 */
function contains(order, part) {
    const start = order.indexOf(part[0]);
    return start >= 0 && part.every((id, index) => order[start + index] === id);
}

/** @param {number} item @returns {QueueItem} */
function unread(item) {
    return { item, title: null, artist: null, duration: null, content_id: null, image: null, autoplay: null, preload_time: null, unread: true };
}
