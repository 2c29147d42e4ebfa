/**
 * Which device the page is about: the one that the Cast button, the outlined card, the mini controller and the keys show and act on.
 * It stays until a person chooses another one, also while it is paused or offline. Pure.
 *
 * @typedef {import('./store.js').PageState} PageState
 * @typedef {object} Room
 * @property {string|null} slug
 * @property {boolean} isChosen Whether a person chose it; otherwise it is what played when nothing was chosen.
 * @property {boolean} isActive Whether it plays, or did until now: what has gone offline or has just ended is still shown.
 * @property {number|null} endedAt When it was first seen without media, in milliseconds.
 */

import { follows, hasApplication, hasMedia, isConnected, isOnline, listedDevice, listedDevices } from './devices.js';

/** How long what has ended is still shown, in milliseconds: between two items nothing plays for a moment. */
export const patience = 10_000;

/** @type {Room} */
export const noRoom = { slug: null, isChosen: false, isActive: false, endedAt: null };

/** @param {string} slug @returns {Room} */
export function chosenRoom(slug) {
    return { slug, isChosen: true, isActive: false, endedAt: null };
}

/**
 * The device that this browser remembers. What ended while the page was closed is over at once.
 * @param {string} slug
 * @returns {Room}
 */
export function rememberedRoom(slug) {
    return { ...chosenRoom(slug), endedAt: 0 };
}

/**
 * The room after a change of the state, or after some time. It is another one only where the former has nothing left to control.
 * @param {Room} room
 * @param {PageState} state
 * @param {number} now
 * @returns {Room} The same object when nothing changed.
 */
export function followRoom(room, state, now) {
    const { slug } = room;
    // Before list and documents have come, a device is not known to be gone.
    if (slug === null || (state.bridge.devices && !listedDevice(state, slug))) return playingRoom(state, noRoom);
    const device = state.devices.get(slug);
    if (device?.availability === undefined) return room;
    if (!isOnline(device)) return room.endedAt === null ? room : { ...room, endedAt: null };
    if (hasMedia(device.state)) return room.isActive && room.endedAt === null ? room : { ...room, isActive: true, endedAt: null };
    // A device that was chosen to play something waits for it.
    if (room.isChosen && !room.isActive && room.endedAt === null) return room;
    const endedAt = room.endedAt ?? now;
    const isActive = room.isActive && now - endedAt < patience;
    const next = isActive === room.isActive && endedAt === room.endedAt ? room : { ...room, isActive, endedAt };
    if (isActive || (room.isChosen && hasApplication(device))) return next;
    return playingRoom(state, room.isChosen ? next : noRoom);
}

/**
 * What plays anywhere, a connected device first.
 * @param {PageState} state
 * @param {Room} otherwise Where nothing plays.
 * @returns {Room}
 */
function playingRoom(state, otherwise) {
    const devices = listedDevices(state).filter(({ slug }) => {
        const device = state.devices.get(slug);
        return isOnline(device) && hasMedia(device?.state) && !follows(device?.state);
    });
    const find = (/** @type {(device: import('./types.js').DeviceDocuments|undefined) => boolean} */ fits) =>
        devices.find(({ slug }) => fits(state.devices.get(slug)));
    const found = find(isConnected) ?? find((device) => device?.state?.player === 'playing') ?? devices[0];
    return found ? { slug: found.slug, isChosen: false, isActive: true, endedAt: null } : otherwise;
}
