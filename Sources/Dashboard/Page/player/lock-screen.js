import { hash } from '../elements/artwork.js';
import { send } from '../elements/commands.js';
import { api, choice, memory, store } from '../state/app.js';
import { canSeek, describe, hasMedia, isOnline } from '../state/devices.js';
import { positionAt } from '../state/position.js';

/*
 * The media session of the browser: what plays on the lock screen of a phone and on its media keys. Browsers give one only to a page that
 * plays sound itself, so the page plays silence. That takes the sound of other apps, so a person turns it on.
 */

/** Commands of a device by the actions of the browser. None of them ends the session. */
const commands = /** @type {const} */ ({
    play: 'cmd/play', pause: 'cmd/pause', previoustrack: 'cmd/previous', nexttrack: 'cmd/next', seekbackward: 'set/position', seekforward: 'set/position', seekto: 'set/position',
});
/** The word of `can` that an action needs; one without is always there. */
const words = /** @type {Record<string, string>} */ ({ pause: 'pause', previoustrack: 'previous', nexttrack: 'next' });

const silence = new Audio();
silence.loop = true;
/** What the metadata are about. */
let shown = '';

export function startLockScreen() {
    if (!('mediaSession' in navigator)) return;
    store.subscribe((changed) => {
        if ([...changed].some((name) => name === choice.slug || name === 'choice')) follow();
    });
    // Browsers allow sound only after a person has touched the page.
    for (const type of ['pointerup', 'keyup']) addEventListener(type, follow, { passive: true });
}

/** Follows the device of the page. */
export function follow() {
    const { slug } = choice;
    const device = slug === null ? undefined : store.state.devices.get(slug);
    const state = memory.get('lockScreen') === 'on' && isOnline(device) && hasMedia(device?.state) ? device?.state : undefined;
    const session = navigator.mediaSession;
    if (slug === null || !state) {
        silence.pause();
        if (session.metadata === null) return;
        session.metadata = null;
        session.playbackState = 'none';
        return;
    }
    const isPaused = state.player === 'paused';
    if (silence.src === '') silence.src = new URL('../silence.wav', import.meta.url).href;
    if (isPaused) silence.pause();
    else if (silence.paused) silence.play().catch(() => {});
    const { title, lines } = describe(state, device?.media);
    const picture = state.media.image;
    const key = JSON.stringify([slug, title, lines, picture]);
    // Another object makes browsers fetch the picture again.
    if (key !== shown || session.metadata === null) {
        session.metadata = new MediaMetadata({
            title, artist: lines.join(' · '), album: state.media.album ?? '',
            artwork: picture === null ? [] : [{ src: api.artwork(slug, { width: 512, version: hash(picture) }) }],
        });
    }
    shown = key;
    session.playbackState = isPaused ? 'paused' : 'playing';
    const { duration, rate } = state.media;
    const position = positionAt(state, store.now());
    if (duration && position !== null) session.setPositionState({ duration, position: Math.min(Math.max(position, 0), duration), playbackRate: rate || 1 });
    else session.setPositionState();
    for (const [action, command] of Object.entries(commands)) {
        const can = action.startsWith('seek') ? canSeek(state) : !(action in words) || state.can.includes(words[action]);
        const act = (/** @type {MediaSessionActionDetails} */ { seekTime, seekOffset }) => {
            const by = seekOffset ?? 30;
            const payload = { seekto: seekTime, seekbackward: `-${by}`, seekforward: `+${by}` }[action];
            void send(slug, command, payload);
        };
        session.setActionHandler(/** @type {MediaSessionAction} */ (action), can && api.may('control') ? act : null);
    }
}
