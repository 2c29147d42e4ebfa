/**
 * Reads what was pasted or dropped. Pure.
 */

/**
 * Addresses of a text, one a line; lines that begin with `#` are comments, as in lists that browsers drop.
 * @param {string} text
 * @returns {{addresses: string[], wrong: string[]}}
 */
export function readLines(text) {
    const lines = text.split(/[\r\n]+/).map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('#'));
    return { addresses: lines.filter(isAddress), wrong: lines.filter((line) => !isAddress(line)) };
}

/**
 * Addresses to play: as `readLines`, but subtitles alone are nothing to play.
 * @param {string} text
 * @returns {{addresses: string[], wrong: string[]}}
 */
export function readAddresses(text) {
    const { addresses, wrong } = readLines(text);
    return addresses.every(isSubtitles) ? { addresses: [], wrong: [...wrong, ...addresses] } : { addresses, wrong };
}

/**
 * The text of the addresses after a drop: dropped subtitles are added to it, everything else replaces it.
 * @param {string} present @param {string} dropped
 */
export function afterDrop(present, dropped) {
    const { addresses } = readLines(dropped);
    const joins = addresses.length > 0 && addresses.every(isSubtitles);
    return [...(joins ? readLines(present).addresses : []), ...addresses].join('\n');
}

/** @param {string} text */
function isAddress(text) {
    try {
        return ['http:', 'https:'].includes(new URL(text).protocol) && !/\s/.test(text);
    } catch {
        return false;
    }
}

/** The parts of a file name that describe the copy, not the work: the first one ends the title. */
const copyWords = /^(\d{3,4}[pi]|[48]k|uhd|hdr(10)?|(x|h)\.?26[45]|hevc|avc|av1|vp9|xvid|10bit|blu-?ray|b[dr]rip|dvd(rip)?|web(-?(dl|rip))?|hdtv|remux|aac|ac3|dts|flac|mp3)$/i;

/** Names that servers give to every stream. */
const commonNames = new Set(['index', 'master', 'playlist', 'manifest', 'stream', 'chunklist', 'video', 'audio', 'media', 'live']);

/**
 * The last part of an address's path, decoded, without its ending.
 * @param {string} address
 */
function nameOf(address) {
    const last = address.split(/[?#]/)[0].replace(/^\w+:\/\/[^/]*/, '').split('/').pop() ?? '';
    const name = last.replace(/\.[a-z][a-z0-9]{1,3}$/i, '');
    try {
        return decodeURIComponent(name);
    } catch {
        return name;
    }
}

/**
 * The title that a file name suggests; empty when it suggests none.
 * @param {string} address
 */
export function guessTitle(address) {
    const name = nameOf(address).replace(/\[[^\]]*\]/g, ' ').trim();
    // In a name with spaces, points and dashes belong to the title.
    const words = (name.includes(' ') ? name : name.replace(/[._+]-[._+]/g, ' – ').replace(/[.-]+/g, ' ')).replace(/[_+]+/g, ' ').split(/\s+/);
    const end = words.findIndex((word, index) => index > 0 && copyWords.test(word.replace(/^\(|\)$/g, '')));
    const title = words.slice(0, end < 0 ? undefined : end).join(' ').replace(/[\s([–-]+$/, '');
    return commonNames.has(title.toLowerCase()) || !/[\p{L}\p{N}]/u.test(title) ? '' : title;
}

/** @param {string} address */
const isSubtitles = (address) => /\.vtt$/i.test(address.split(/[?#]/)[0]);

/**
 * The language in the name of a file of subtitles, as in `film.en.vtt` and `film_de.vtt`; null when it has none.
 * @param {string} address
 */
export function guessLanguage(address) {
    const [, code] = /[._-]([a-z]{2,3}(?:[_-](?:[a-z]{2}|hans|hant|latn|cyrl))?)$/i.exec(nameOf(address)) ?? [];
    const language = code && new Intl.Locale(code.replace('_', '-')).toString();
    // A word of three letters may be the code of a rare language, as "sub" and "new" are.
    return language && languageName(language, 'en') && !(code.length === 3 && language.length === 3) ? language : null;
}

/** @param {string} code @param {string} language */
const languageName = (code, language) => new Intl.DisplayNames([language], { type: 'language', fallback: 'none' }).of(code);

/**
 * Divides addresses into media and subtitles. Subtitles belong to the medium with the longest name that theirs begins with, else to the one
 * before them, else to the first.
 * @param {readonly string[]} addresses
 * @returns {{url: string, subtitles: string[]}[]}
 */
export function pairSubtitles(addresses) {
    const media = addresses.filter((address) => !isSubtitles(address)).map((url) => ({ url, subtitles: /** @type {string[]} */ ([]) }));
    /** @type {typeof media[number]|undefined} */
    let before;
    for (const address of addresses) {
        if (!isSubtitles(address)) {
            before = media.find(({ url }) => url === address);
            continue;
        }
        const name = nameOf(address).toLowerCase();
        const named = media.map((medium) => ({ medium, name: nameOf(medium.url).toLowerCase() }))
            .filter((other) => other.name !== '' && name.startsWith(other.name) && !/^[\p{L}\p{N}]/u.test(name.slice(other.name.length)))
            .sort((one, other) => other.name.length - one.name.length)[0]?.medium;
        (named ?? before ?? media[0])?.subtitles.push(address);
    }
    return media;
}

/**
 * What is typed for the first address. `null` for a title or subtitles: as guessed.
 * @typedef {{title: string|null, artist: string, kind: string, image: string, subtitles: readonly string[]|null, subtitlesName: string,
 *   language: string, live: boolean, position: string}} LoadFields
 */

/** Nothing typed. @type {LoadFields} */
export const noFields = {
    title: null, artist: '', kind: '', image: '', subtitles: null, subtitlesName: 'Subtitles', language: 'en', live: false, position: '',
};

/**
 * The items to load. The bridge finds out the type. The fields belong to the first item; title and subtitles of the others are guessed.
 * @param {readonly string[]} addresses @param {LoadFields} fields
 * @returns {Record<string, any>[]}
 */
export function loadItems(addresses, fields) {
    return pairSubtitles(addresses).map(({ url, subtitles }, index) => {
        const title = (index === 0 ? fields.title : null) ?? guessTitle(url);
        return {
            url,
            ...(title && { title }),
            ...(index === 0 && fields.artist && { artist: fields.artist }),
            ...(index === 0 && fields.kind && { metadata: { type: fields.kind } }),
            ...(index === 0 && fields.image && { image: fields.image }),
            ...(fields.live && { stream: 'live' }),
            ...textTracks((index === 0 ? fields.subtitles : null) ?? subtitles, fields),
        };
    });
}

/**
 * The tracks of subtitles. Active is the one in the language of the page, else the first.
 * @param {readonly string[]} addresses @param {LoadFields} fields
 */
function textTracks(addresses, { subtitlesName, language }) {
    if (addresses.length === 0) return {};
    const tracks = addresses.map((url, index) => {
        const code = guessLanguage(url);
        return {
            id: index + 1, type: 'text', subtype: 'subtitles', url, name: (code && languageName(code, language)) ?? subtitlesName,
            ...(code && { language: code }),
        };
    });
    return { tracks, active_tracks: [(tracks.find((track) => track.language?.split('-')[0] === language) ?? tracks[0]).id] };
}

/**
 * The command and its payload. A device that plays nothing has no queue to which one could add: it is loaded.
 * @param {'play'|'next'|'enqueue'|'check'|'show'} action @param {readonly string[]} addresses @param {LoadFields} fields
 * @param {boolean} hasQueue
 * @returns {[command: string, payload: Record<string, any>]}
 */
export function loadCommand(action, addresses, fields, hasQueue) {
    if (action === 'show') return ['cmd/show', { url: addresses[0] }];
    const items = loadItems(addresses, fields);
    const [first] = items;
    const position = fields.position && { position: fields.position };
    if (action === 'check') {
        return ['cmd/check', { url: first.url, ...(first.tracks && { tracks: first.tracks }) }];
    }
    const adds = action === 'next' || action === 'enqueue';
    if (adds && hasQueue) return ['cmd/queue_insert', { items, at: action === 'next' ? 'next' : 'end' }];
    if (items.length > 1) return ['cmd/queue_load', { items, ...position }];
    return ['cmd/load', { ...first, ...(adds && { enqueue: action === 'next' ? 'next' : 'add' }), ...position }];
}
