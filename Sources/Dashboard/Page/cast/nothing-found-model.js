/**
 * The explanation that the page shows while no device is online. Pure.
 *
 * @typedef {{cause: string|null, ts: string}} Finding A cause as `bridge/health` or the answer of a search names it, and when.
 * @typedef {{title: 'nothing.searching'|'nothing.title'|'nothing.off', cause: string|null, remedy: string|null}} NothingFoundText
 *   `title` is a text of the page, and so is `remedy` with the prefix `remedy.`.
 */

/**
 * @param {object} known
 * @param {boolean} known.isSearching Whether a search runs that a person asked for.
 * @param {number} known.devices Devices that the bridge knows, none of which is online.
 * @param {Finding|null} known.report From `bridge/health`, which comes once a minute.
 * @param {Finding|null} known.answer Of the last search that the page asked for.
 * @param {boolean} [known.isLate] Whether devices had time to answer.
 * @returns {NothingFoundText}
 */
export function nothingFound({ isSearching, devices, report, answer, isLate = false }) {
    const cause = newest(report, answer)?.cause ?? null;
    if (isSearching) return { title: 'nothing.searching', cause: null, remedy: null };
    if (cause !== null) return { title: devices > 0 ? 'nothing.off' : 'nothing.title', cause, remedy: cause };
    // Discovery works, so there is no cause: the known devices are off or elsewhere.
    if (devices > 0) return { title: 'nothing.off', cause: null, remedy: 'off' };
    // The bridge names a cause after a minute.
    return isLate ? { title: 'nothing.title', cause: 'none_yet', remedy: 'only_others' } : { title: 'nothing.searching', cause: null, remedy: null };
}

/** @param {Finding|null} one @param {Finding|null} other */
function newest(one, other) {
    if (one === null || other === null) return one ?? other;
    return Date.parse(other.ts) > Date.parse(one.ts) ? other : one;
}
