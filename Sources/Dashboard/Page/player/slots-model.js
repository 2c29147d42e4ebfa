/**
 * The buttons of the controllers where the configuration names none: those of the kind of media that plays. Pure.
 *
 * @typedef {import('../state/types.js').StateDocument} StateDocument
 */

/** What the configuration has where nothing was set. */
const unset = { mini: 'none,play_pause,none', expanded: 'closed_captions,rewind_30,forward_30,mute' };

/**
 * @param {'mini'|'expanded'} place
 * @param {readonly string[]} configured
 * @returns {boolean} Whether the buttons follow the kind of media.
 */
export function followsMedia(place, configured) {
    return configured.join() === unset[place];
}

/**
 * A button that the media never has use for is no button: a song alone has no next one, a radio station no 30 seconds.
 * @param {StateDocument|undefined} state
 * @param {boolean} hasTracks
 * @returns {{mini: string[], expanded: string[]}} From left to right; play and pause are not among those of the expanded controller.
 */
export function slotsOf(state, hasTracks) {
    const can = (/** @type {string} */ word) => state?.can.includes(word) ?? false;
    // At the ends of a queue there is one of the two, and both keep their places.
    const skips = can('next') || can('previous') || (state?.queue.length ?? 0) > 1;
    const [back, ahead] = can('seek') ? ['rewind_30', 'forward_30'] : ['none', 'none'];
    const captions = hasTracks ? 'closed_captions' : 'none';
    const isMusic = state?.media.kind === 'music';
    if (!skips) return { mini: [isMusic ? 'none' : back, 'play_pause', isMusic ? 'none' : ahead], expanded: [captions, back, ahead, 'none'] };
    return {
        mini: ['skip_previous', 'play_pause', 'skip_next'],
        expanded: [isMusic ? captions : back, 'skip_previous', 'skip_next', isMusic ? 'none' : ahead],
    };
}
