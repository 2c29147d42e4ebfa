/**
 * Arithmetic of the queue's virtual list. Pure.
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
 * The rows to be made: the visible ones and some others that must stay, in the order of the list.
 * @param {{first: number, end: number}} visible
 * @param {readonly number[]} kept Indexes.
 */
export function rowsToShow({ first, end }, kept) {
    const rows = Array.from({ length: Math.max(0, end - first) }, (_, offset) => first + offset);
    return [...new Set([...rows, ...kept.filter((index) => index >= 0)])].sort((a, b) => a - b);
}
