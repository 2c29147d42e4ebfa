/**
 * What the page concludes from the documents: which devices there are, which one it controls, what the Cast button shows. Pure.
 *
 * @typedef {import('./store.js').PageState} PageState
 * @typedef {import('./types.js').ListedDevice} ListedDevice
 * @typedef {import('./types.js').DeviceDocuments} DeviceDocuments
 * @typedef {import('./types.js').StateDocument} StateDocument
 */

/** @param {PageState} state @returns {ListedDevice[]} Sorted by name, as people sort. */
export function listedDevices(state) {
    const compare = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' }).compare;
    return [...(state.bridge.devices ?? [])].sort((a, b) => compare(a.name, b.name));
}

/** @param {PageState} state @param {string|null} slug */
export function listedDevice(state, slug) {
    return (state.bridge.devices ?? []).find((device) => device.slug === slug);
}

/** @param {PageState} state @param {string|null} slug */
export function nameOf(state, slug) {
    return listedDevice(state, slug)?.name ?? (slug === null ? undefined : state.devices.get(slug)?.info?.name) ?? slug ?? '';
}

/** @param {DeviceDocuments|undefined} device */
export function isOnline(device) {
    return device?.availability === 'online';
}

/**
 * Whether the bridge takes part in the device's application.
 * @param {DeviceDocuments|undefined} device
 */
export function isConnected(device) {
    return device?.app?.session?.phase === 'connected';
}

/** @param {StateDocument|undefined} state */
export function hasMedia(state) {
    return !!state && ['playing', 'paused', 'buffering', 'loading'].includes(state.player);
}

/**
 * Whether another device's session is shown here: the group plays.
 * @param {StateDocument|undefined} state
 */
export function follows(state) {
    return state?.group.role === 'member' && state.group.id !== null;
}

/** @param {DeviceDocuments|undefined} device Whether an application runs that one could stop. */
export function hasApplication(device) {
    const app = device?.state?.app;
    return !!app && app.id !== null && !app.idle_screen;
}

/**
 * The device that mini and expanded controller show: the chosen one, else one that the bridge is connected to, else one that plays.
 * @param {PageState} state
 * @param {string|null} chosen
 * @returns {string|null}
 */
export function controlledDevice(state, chosen) {
    if (chosen !== null && isOnline(state.devices.get(chosen))) return chosen;
    const devices = listedDevices(state).filter((device) => isOnline(state.devices.get(device.slug)));
    const find = (/** @type {(device: DeviceDocuments) => boolean} */ fits) =>
        devices.find((device) => fits(state.devices.get(device.slug) ?? {}))?.slug;
    return (
        find((device) => isConnected(device) && hasMedia(device.state)) ??
        find((device) => device.state?.player === 'playing' && !follows(device.state)) ??
        find((device) => hasMedia(device.state) && !follows(device.state)) ??
        null
    );
}

/**
 * The state of the Cast button. A choice is not a connection: the device's answer decides.
 * @param {PageState} state
 * @param {string|null} chosen
 * @param {boolean} pending Whether a connection was asked for and not answered yet.
 * @returns {'none'|'available'|'connecting'|'connected'}
 */
export function castState(state, chosen, pending) {
    const phase = chosen === null ? undefined : state.devices.get(chosen)?.app?.session?.phase;
    if (pending || phase === 'connecting' || phase === 'resuming') return 'connecting';
    if (phase === 'connected') return 'connected';
    return (state.bridge.devices ?? []).some((device) => isOnline(state.devices.get(device.slug))) ? 'available' : 'none';
}

/**
 * Lines under a title, the most telling first, for each of the six kinds of media.
 * @param {StateDocument|undefined} state
 * @param {import('./types.js').MediaDocument|undefined} media
 * @returns {{title: string, lines: string[]}}
 */
export function describe(state, media) {
    if (!state) return { title: '', lines: [] };
    const m = state.media;
    const more = media?.metadata ?? {};
    const number = m.season !== null || m.episode !== null
        ? [m.season === null ? '' : `S${m.season}`, m.episode === null ? '' : `E${m.episode}`].join(' ').trim()
        : null;
    /** @type {(string|null|undefined)[]} */
    let lines;
    switch (m.kind) {
        case 'tv_show':
            lines = [m.series, number, m.subtitle];
            break;
        case 'music':
            lines = [m.artist ?? more.album_artist ?? more.composer, m.album];
            break;
        case 'movie':
            lines = [m.subtitle, more.studio];
            break;
        case 'audiobook_chapter':
            lines = [more.book_title, more.chapter_title !== m.title ? more.chapter_title : null, m.artist ?? more.author];
            break;
        case 'photo':
            lines = [m.artist, more.location];
            break;
        default:
            lines = [m.subtitle, m.artist];
    }
    const title = m.title ?? lastPart(m.content_id) ?? state.app.status_text ?? state.app.name ?? '';
    const unique = [...new Set(lines.filter((line) => typeof line === 'string' && line !== '' && line !== title))];
    return { title, lines: /** @type {string[]} */ (unique) };
}

/**
 * The last part of an address, which is often the name of a file.
 * @param {string|null} address
 */
function lastPart(address) {
    if (!address) return null;
    const part = address.split(/[?#]/)[0].split('/').filter(Boolean).pop();
    if (!part) return null;
    try {
        return decodeURIComponent(part);
    } catch {
        return part;
    }
}
