/**
 * Reads what was pasted or dropped. Pure.
 */

/** Types by the ending of a path; the bridge guesses by itself, this tells the user what it will be. */
const types = /** @type {Record<string, string>} */ ({
    mp4: 'video/mp4', m4v: 'video/mp4', webm: 'video/webm', mkv: 'video/x-matroska', mov: 'video/quicktime', ts: 'video/mp2t', mp3: 'audio/mpeg',
    m4a: 'audio/mp4', aac: 'audio/aac', ogg: 'audio/ogg', opus: 'audio/ogg', flac: 'audio/flac', wav: 'audio/wav', m3u8: 'application/x-mpegurl',
    mpd: 'application/dash+xml', jpg: 'image/jpeg', jpeg: 'image/jpeg', png: 'image/png', gif: 'image/gif', webp: 'image/webp',
});

/**
 * Addresses of a text, one a line; lines that begin with `#` are comments, as in lists that browsers drop.
 * @param {string} text
 * @returns {{addresses: string[], wrong: string[]}}
 */
export function readAddresses(text) {
    const lines = text.split(/[\r\n]+/).map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('#'));
    /** @type {string[]} */
    const addresses = [];
    /** @type {string[]} */
    const wrong = [];
    for (const line of lines) (isAddress(line) ? addresses : wrong).push(line);
    return { addresses, wrong };
}

/** @param {string} text */
function isAddress(text) {
    try {
        return ['http:', 'https:'].includes(new URL(text).protocol) && !/\s/.test(text);
    } catch {
        return false;
    }
}

/**
 * The type that an address's ending says; null when it says none.
 * @param {string} address
 */
export function guessType(address) {
    const path = address.split(/[?#]/)[0];
    const ending = path.slice(path.lastIndexOf('.') + 1).toLowerCase();
    return Object.hasOwn(types, ending) ? types[ending] : null;
}

/**
 * What is typed for an address.
 * @typedef {{type: string, title: string, subtitles: string, subtitlesName: string, live: boolean, position: string}} LoadFields
 */

/** Nothing typed. @type {LoadFields} */
export const noFields = { type: '', title: '', subtitles: '', subtitlesName: '', live: false, position: '' };

/**
 * The items to load: a title and subtitles belong to one address, the first.
 * @param {readonly string[]} addresses @param {LoadFields} fields
 * @returns {Record<string, any>[]}
 */
export function loadItems(addresses, fields) {
    return addresses.map((url, index) => ({
        url,
        ...(fields.type && { content_type: fields.type }),
        ...(fields.title && index === 0 && { title: fields.title }),
        ...(fields.live && { stream: 'live' }),
        ...(fields.subtitles && index === 0 && {
            tracks: [{ id: 1, type: 'text', subtype: 'subtitles', name: fields.subtitlesName, url: fields.subtitles }], active_tracks: [1],
        }),
    }));
}

/**
 * The command and its payload. A device that plays nothing has no queue to which one could add: it is loaded.
 * @param {'play'|'next'|'enqueue'|'check'} action @param {readonly string[]} addresses @param {LoadFields} fields
 * @param {boolean} hasQueue
 * @returns {[command: string, payload: Record<string, any>]}
 */
export function loadCommand(action, addresses, fields, hasQueue) {
    const items = loadItems(addresses, fields);
    const [first] = items;
    const position = fields.position && { position: fields.position };
    if (action === 'check') {
        return ['cmd/check', { url: first.url, ...(first.content_type && { content_type: first.content_type }), ...(first.tracks && { tracks: first.tracks }) }];
    }
    const adds = action === 'next' || action === 'enqueue';
    if (adds && hasQueue) return ['cmd/queue_insert', { items, at: action === 'next' ? 'next' : 'end' }];
    if (items.length > 1) return ['cmd/queue_load', { items, ...position }];
    return ['cmd/load', { ...first, ...(adds && { enqueue: action === 'next' ? 'next' : 'add' }), ...position }];
}
