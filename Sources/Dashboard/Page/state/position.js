/**
 * Arithmetic of the position anchor: a position that was true at a time and moves with a rate.
 * Times are in milliseconds since 1970 by the clock of the bridge, positions in seconds.
 *
 * @typedef {import('./types.js').StateDocument} StateDocument
 * @typedef {import('./types.js').MediaDocument} MediaDocument
 */

/**
 * Whether the position moves now.
 * @param {StateDocument} state
 */
export function advances(state) {
    if (state.player !== 'playing' || state.media.position === null || state.media.position_at === null) return false;
    // The item stands still during an ad that is no part of the stream; the bridge reports no end then.
    return !(state.ad.playing && state.media.ends_at === null);
}

/**
 * The position at a time, within the duration; null when it is unknown.
 * @param {StateDocument} state
 * @param {number} now
 * @returns {number|null}
 */
export function positionAt(state, now) {
    const { position, position_at: at, rate, duration } = state.media;
    if (position === null) return null;
    const moved = advances(state) && at !== null ? ((now - Date.parse(at)) / 1000) * (rate ?? 1) : 0;
    return clamp(position + moved, 0, duration ?? Infinity);
}

/**
 * The part of the media in which one may seek, in seconds; null when there is none.
 * @param {StateDocument} state
 * @param {MediaDocument|undefined} media
 * @param {number} now
 * @returns {{start: number, end: number}|null}
 */
export function seekableRange(state, media, now) {
    if (!state.media.live) return state.media.duration ? { start: 0, end: state.media.duration } : null;
    const range = media?.live_range;
    if (!range || !state.media.position_at) return null;
    const passed = Math.max(0, (now - Date.parse(state.media.position_at)) / 1000);
    const end = range.done ? range.end : range.end + passed;
    const start = range.moving && !range.done ? range.start + passed : range.start;
    return end > start ? { start, end } : null;
}

/**
 * Where a position lies in a range, from 0 to 1.
 * @param {number|null} position
 * @param {{start: number, end: number}|null} range
 */
export function fraction(position, range) {
    if (position === null || range === null) return 0;
    return clamp((position - range.start) / (range.end - range.start), 0, 1);
}

/**
 * Seconds until an ad can be skipped: 0 when it can, null when it never will.
 * @param {import('./types.js').AdState} ad
 * @param {number} now
 */
export function secondsUntilSkippable(ad, now) {
    if (!ad.playing) return null;
    if (ad.skippable) return 0;
    if (ad.skippable_at === null) return null;
    return Math.max(0, Math.ceil((Date.parse(ad.skippable_at) - now) / 1000));
}

/**
 * Estimates how far the clock of the bridge is from the clock of this browser. A message is never read before it was sent, so the
 * smallest of the last differences is the best one.
 */
export class ClockEstimate {
    /** @param {number} size Samples that are kept. */
    constructor(size = 20) {
        this.size = size;
        /** @type {number[]} */
        this.samples = [];
        this.skew = 0;
    }

    /**
     * @param {number} sent Time of the bridge in a message.
     * @param {number} received Time of this browser when it arrived.
     */
    add(sent, received) {
        if (!Number.isFinite(sent)) return;
        this.samples.push(received - sent);
        if (this.samples.length > this.size) this.samples.shift();
        this.skew = Math.min(...this.samples);
    }

    /** @param {number} local @returns {number} The time of the bridge at a time of this browser. */
    remote(local) {
        return local - this.skew;
    }
}

/** @param {number} value @param {number} least @param {number} most */
export function clamp(value, least, most) {
    return Math.min(Math.max(value, least), most);
}
