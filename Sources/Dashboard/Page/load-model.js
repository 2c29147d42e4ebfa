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
