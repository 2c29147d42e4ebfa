import { send } from '../elements/commands.js';
import { open } from '../elements/dialog.js';
import { announce } from '../elements/notices.js';
import { api, choice, memory, store } from '../state/app.js';
import { canSeek, hasMedia, isOnline, nameOf, playAction } from '../state/devices.js';
import { t } from '../texts/texts.js';
import { CastDialog } from './cast-dialog.js';

/** @param {import('../state/types.js').StateDocument} state @returns {[string]|null} As the play button does. */
function playOrNot(state) {
    const { command, usable } = playAction(state);
    return usable ? [command] : null;
}

/** @type {Record<string, (state: import('../state/types.js').StateDocument) => [string, any?]|null>} */
const commands = {
    ' ': playOrNot,
    'MediaPlayPause': playOrNot,
    '+': () => ['cmd/volume_up'],
    '-': () => ['cmd/volume_down'],
    'AudioVolumeUp': () => ['cmd/volume_up'],
    'AudioVolumeDown': () => ['cmd/volume_down'],
    'm': (state) => ['set/muted', !state.volume.muted],
    'AudioVolumeMute': (state) => ['set/muted', !state.volume.muted],
    'j': (state) => (canSeek(state) ? ['set/position', '-30'] : null),
    'l': (state) => (canSeek(state) ? ['set/position', '+30'] : null),
    'n': () => ['cmd/next'],
    'p': () => ['cmd/previous'],
    'MediaTrackNext': () => ['cmd/next'],
    'MediaTrackPrevious': () => ['cmd/previous'],
    'MediaStop': () => ['cmd/stop'],
};
const volumeKeys = ['+', '-', 'm', 'AudioVolumeUp', 'AudioVolumeDown', 'AudioVolumeMute'];

/** Keys that act on the controlled device while the page has the focus, as the hardware buttons of a phone do. */
export function startKeyboard() {
    document.addEventListener('keydown', (event) => {
        if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey) return;
        if (event.key.length === 1 && (memory.get('keys') === 'off' || usesKeys(event.target, event.key))) return;
        if (event.key.toLowerCase() === 'c') {
            event.preventDefault();
            open(new CastDialog());
            return;
        }
        const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
        // A key acts only on a device that is shown.
        const slug = choice.isActive ? choice.slug : null;
        const state = slug === null ? undefined : store.state.devices.get(slug)?.state;
        if (!Object.hasOwn(commands, key) || slug === null || !state || !api.may('control')) return;
        if (!isOnline(store.state.devices.get(slug)) || (!volumeKeys.includes(key) && !hasMedia(state))) return;
        if (volumeKeys.includes(key) && state.volume.control === 'fixed') return;
        const command = commands[key](state);
        if (!command) return;
        event.preventDefault();
        void act(slug, command, volumeKeys.includes(key));
    });
}

/** @param {string} slug @param {[string, any?]} command @param {boolean} volume */
async function act(slug, [command, payload], volume) {
    const answer = await send(slug, command, payload);
    if (!answer || !volume) return;
    // The new volume comes as a change of the state, mostly before the answer or just after it.
    setTimeout(() => {
        const percent = store.state.devices.get(slug)?.state?.volume.percent;
        if (percent != null) announce(t('volume.now', { device: nameOf(store.state, slug), percent }));
    }, 150);
}

/**
 * Whether a control needs the key itself.
 * @param {EventTarget|null} target
 * @param {string} key
 */
function usesKeys(target, key) {
    if (!(target instanceof Element)) return false;
    if (target.closest('input:not([type=range]):not([type=radio]):not([type=checkbox]), textarea, select, [contenteditable]')) return true;
    return key === ' ' && target.closest('button, a, input, summary, [role=slider]') !== null;
}
