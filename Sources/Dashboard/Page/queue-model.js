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
