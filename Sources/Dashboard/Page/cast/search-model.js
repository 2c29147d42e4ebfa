/**
 * Whether a device fits what was typed: each word is a part of its names, and a number begins one of their numbers. Pure.
 * @param {string} typed
 * @param {readonly (string|null|undefined)[]} names
 */
export function fitsSearch(typed, names) {
    const text = plain(names.filter(Boolean).join(' '));
    return plain(typed).split(/\s+/).every((word) => (/^\d+$/.test(word) ? new RegExp(`(?<!\\d)${word}`).test(text) : text.includes(word)));
}

/** @param {string} text Without accents and capitals, which nobody types in a search. */
function plain(text) {
    return text.normalize('NFD').replace(/\p{Mark}/gu, '').toLowerCase().trim();
}
