/**
 * The order of the devices at a glance: what plays, then rooms, then the rest. Pure.
 *
 * @template {{slug: string}} D
 * @param {readonly D[]} devices Sorted by name.
 * @param {ReadonlySet<string>} first Slugs of those that play.
 * @param {(device: D) => string|null|undefined} roomOf
 * @param {{rest: string, compare: (one: string, other: string) => number}} words The title of those without a room.
 * @returns {{title: string|null, devices: D[]}[]} Parts that have devices. The first one has no title: it needs none.
 */
export function inRooms(devices, first, roomOf, { rest, compare }) {
    const waiting = devices.filter(({ slug }) => !first.has(slug));
    const rooms = [...new Set(waiting.map(roomOf))].filter((room) => !!room).sort((one, other) => compare(String(one), String(other)));
    const parts = [
        { title: /** @type {string|null} */ (null), devices: devices.filter(({ slug }) => first.has(slug)) },
        ...rooms.map((room) => ({ title: room ?? null, devices: waiting.filter((device) => roomOf(device) === room) })),
        { title: rest, devices: waiting.filter((device) => !roomOf(device)) },
    ].filter((part) => part.devices.length > 0);
    return parts.length === 1 && parts[0].title === rest ? [{ ...parts[0], title: null }] : parts;
}
