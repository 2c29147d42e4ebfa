/**
 * What the page concludes from the documents: which devices there are, which one it controls, what the Cast button shows. Pure.
 *
 * @typedef {import('./store.js').PageState} PageState
 * @typedef {import('./types.js').ListedDevice} ListedDevice
 * @typedef {import('./types.js').DeviceDocuments} DeviceDocuments
 * @typedef {import('./types.js').StateDocument} StateDocument
 */

/**
 * One collator a language: making one is slow. `undefined` is the browser's own.
 * @type {{language: string|undefined, compare: (a: string, b: string) => number}|null}
 */
let collator = null;
/** @type {{of: readonly ListedDevice[]|undefined, language: string|undefined, sorted: ListedDevice[]}} */
let lastSorted = { of: undefined, language: undefined, sorted: [] };

/** @param {PageState} state @returns {ListedDevice[]} Sorted by name, as people sort; the same array until the devices change. */
export function listedDevices(state) {
    const language = globalThis.document?.documentElement.lang || undefined;
    const { devices } = state.bridge;
    if (devices === undefined) return [];
    if (collator?.language !== language || collator === null) {
        collator = { language, compare: new Intl.Collator(language, { numeric: true, sensitivity: 'base' }).compare };
    }
    if (lastSorted.of !== devices || lastSorted.language !== language) {
        const { compare } = collator;
        lastSorted = { of: devices, language, sorted: [...devices].sort((a, b) => compare(a.name, b.name)) };
    }
    return lastSorted.sorted;
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
 * What connecting to a device means: a member that shows what its group plays is controlled through the group, an application that runs
 * is joined, and nothing is launched where something plays.
 * @param {PageState} state
 * @param {string} slug
 * @returns {{slug: string, command: 'cmd/join'|'cmd/launch'|null}}
 */
export function connection(state, slug) {
    const own = state.devices.get(slug);
    const id = own?.state?.group.id;
    const group = follows(own?.state) ? (state.bridge.devices ?? []).find((device) => device.id === id) : undefined;
    const target = group?.slug ?? slug;
    const device = state.devices.get(target);
    if (hasApplication(device)) return { slug: target, command: 'cmd/join' };
    return { slug: target, command: device?.state?.busy || hasMedia(device?.state) ? null : 'cmd/launch' };
}

/**
 * What the play button does: a live stream that can't be paused has stop instead of pause.
 * @param {StateDocument|undefined} state
 * @returns {{command: string, name: 'play'|'pause'|'stop', usable: boolean}}
 */
export function playAction(state) {
    const running = state?.player === 'playing' || state?.player === 'buffering' || state?.player === 'loading';
    if (!state || !running) return { command: 'cmd/play', name: 'play', usable: hasMedia(state) };
    if (state.media.live && !state.can.includes('pause')) return { command: 'cmd/stop', name: 'stop', usable: true };
    return { command: 'cmd/pause', name: 'pause', usable: state.player !== 'loading' && state.can.includes('pause') };
}

/** @param {StateDocument|undefined} state Whether one may go to another position now. */
export function canSeek(state) {
    return !!state && hasMedia(state) && state.can.includes('seek') && !state.ad.playing;
}

/**
 * The state of the Cast button. A choice is not a connection: the device's answer decides.
 * @param {PageState} state
 * @param {string|null} chosen
 * @param {boolean} pending Whether a connection was asked for and not answered yet.
 * @returns {'none'|'available'|'connecting'|'connected'}
 */
export function castState(state, chosen, pending) {
    const device = chosen === null ? undefined : state.devices.get(chosen);
    const phase = isOnline(device) ? device?.app?.session?.phase : undefined;
    if (pending || ['connecting', 'waiting_for_permission', 'resuming'].includes(phase ?? '')) return 'connecting';
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
