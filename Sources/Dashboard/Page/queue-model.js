/**
 * Arithmetic of the queue's virtual list and of moves in it. Pure.
 */

/**
 * Which rows of a long list are to be made.
 * @param {number} scrolled Pixels of the list above the visible part.
 * @param {number} height Of the visible part, in pixels.
 * @param {number} rowHeight
 * @param {number} count
 * @param {number} [margin] Rows beyond each end.
 * @returns {{first: number, end: number}} `end` is not included.
 */
export function visibleRows(scrolled, height, rowHeight, count, margin = 6) {
    const first = Math.max(0, Math.floor(scrolled / rowHeight) - margin);
    const end = Math.min(count, Math.ceil((scrolled + height) / rowHeight) + margin);
    return { first: Math.min(first, Math.max(0, count - 1)), end: Math.max(end, 0) };
}

/**
 * A list with one element moved.
 * @template T
 * @param {readonly T[]} list @param {number} from @param {number} to Its index afterwards.
 */
export function moved(list, from, to) {
    const copy = [...list];
    const [element] = copy.splice(from, 1);
    copy.splice(to, 0, element);
    return copy;
}

/**
 * The payload that gives an item its place in a list that has been changed so already: by its neighbour, because the list may be a part
 * of the queue, and because the queue may have changed.
 * @param {readonly {item: number}[]} list With the item at its new index.
 * @param {number} to
 * @param {{whole: boolean, first: number}} part Whether the list is the whole queue, and else the index of its first item in the queue.
 */
export function movePayload(list, to, { whole, first }) {
    const { item } = list[to];
    if (to + 1 < list.length) return { item, before: list[to + 1].item };
    return whole ? { item, at: 'end' } : { item, to: first + to };
}

/**
 * The rows to be made: the visible ones and some others that must stay, in the order of the list.
 * @param {{first: number, end: number}} visible
 * @param {readonly number[]} kept Indexes.
 */
export function rowsToShow({ first, end }, kept) {
    const rows = Array.from({ length: Math.max(0, end - first) }, (_, offset) => first + offset);
    return [...new Set([...rows, ...kept.filter((index) => index >= 0)])].sort((a, b) => a - b);
}

/**
 * Takes what the window around the current item tells into the whole list, when both have the same items in the same order.
 * @template {{item: number}} T
 * @param {readonly T[]} all @param {readonly T[]} window
 * @returns {T[]|null} Null when the list is no longer right.
 */
export function merged(all, window) {
    if (window.length === 0) return null;
    const start = all.findIndex(({ item }) => item === window[0].item);
    if (start < 0) return null;
    for (let index = 0; index < window.length; index += 1) if (all[start + index]?.item !== window[index].item) return null;
    const copy = [...all];
    copy.splice(start, window.length, ...window);
    return copy;
}
