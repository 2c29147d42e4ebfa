/**
 * What can be chosen to play: the entries of presets, recents and folders as rows. Pure.
 *
 * @typedef {{kind: 'folder'|'file'|'preset'|'recent', name: string, path?: string|null, content_type?: string, size?: number,
 *   image?: string|null, recent?: number, device?: string|null, at?: string}} MediaEntry An entry of `bridge/request/media/browse`.
 * @typedef {{entries: MediaEntry[], total: number, next: number|null}} MediaPage
 */

/** Icons by the first part of a content type. */
const types = /** @type {Record<string, string>} */ ({ audio: 'music', video: 'movie', image: 'photo' });

/**
 * Names an entry among those of all lists: the number of a recent changes with each load.
 * @param {MediaEntry} entry
 */
export function keyOf({ kind, name, path, at }) {
    return [kind, path ?? name, at ?? ''].join('\n');
}

/**
 * Finds a recent in a list that was read again: there it has another number, and another time when somebody has played it since.
 * @param {MediaEntry[]} entries @param {MediaEntry} entry
 * @returns {MediaEntry|null} Null when it is gone, or when several could be meant.
 */
export function foundAgain(entries, entry) {
    const same = entries.filter(({ name, path }) => name === entry.name && path === entry.path);
    return same.find(({ at }) => at === entry.at) ?? (same.length === 1 ? same[0] : null);
}

/** @param {MediaEntry} entry */
export function iconOf({ kind, content_type: type }) {
    if (kind === 'folder') return 'folder';
    return kind === 'recent' ? 'refresh' : types[type?.split('/')[0] ?? ''] ?? 'play';
}

/**
 * The command that plays an entry. A recent is played by its number, which must be that of now.
 * @param {MediaEntry} entry
 * @returns {[command: string, payload: any]}
 */
export function playCommand({ kind, name, path, recent }) {
    if (kind === 'preset') return ['cmd/preset', { name }];
    return ['cmd/load', kind === 'recent' ? { recent } : { file: path }];
}

/**
 * The folders above a path, the nearest last, as `films` and `films/series` above `films/series/one`.
 * @param {string} path
 */
export function foldersAbove(path) {
    const parts = path.split('/');
    return parts.slice(0, -1).map((_, index) => parts.slice(0, index + 1).join('/'));
}
