/**
 * The forms of the settings, from what the bridge says of each key. Pure.
 *
 * @typedef {{key: string, value: any, default: string, place: string, type: string, meaning: string, choosable: boolean, live: boolean}} Setting
 */

/** Keys that have a form of their own: the settings hold hashes of them, or much of each entry. */
const elsewhere = ['web.passwords.view', 'web.passwords.control', 'web.passwords.admin', 'web.tokens', 'presets'];

/**
 * The keys whose name or meaning has every word, by section in the order of the bridge.
 * @param {readonly Setting[]} settings @param {string} query
 * @returns {Map<string, Setting[]>}
 */
export function sections(settings, query) {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    /** @type {Map<string, Setting[]>} */
    const found = new Map();
    for (const setting of settings) {
        const text = `${setting.key} ${setting.meaning}`.toLowerCase();
        if (elsewhere.includes(setting.key) || !words.every((word) => text.includes(word))) continue;
        const [section] = setting.key.split('.');
        found.set(section, [...(found.get(section) ?? []), setting]);
    }
    return found;
}

/**
 * The control that fits a type as the bridge describes it.
 * @param {Setting} setting
 * @returns {{kind: 'flag'|'choice'|'number'|'text'|'json', words?: string[], least?: number, most?: number}}
 */
export function controlOf({ key, type, value }) {
    if (type === 'true or false') return { kind: 'flag' };
    if (/^(list|mapping)/.test(type) || (typeof value === 'object' && value !== null)) return { kind: 'json' };
    const range = /(\d+(?:\.\d+)?) to (\d+(?:\.\d+)?)/.exec(type);
    if (/^(whole number|seconds|number)/.test(type)) return { kind: 'number', least: range ? Number(range[1]) : undefined, most: range ? Number(range[2]) : undefined };
    const words = type.split(/, | or /);
    if (words.length > 1 && words.every((word) => /^[a-z0-9_.]+$/.test(word)) && !words.includes('null') && key !== 'instance') return { kind: 'choice', words };
    return { kind: 'text' };
}

/**
 * What a person wrote, as a value of the key; an empty field is null.
 * @param {Setting} setting @param {string} text
 * @throws {SyntaxError} When it is no JSON.
 */
export function valueOf(setting, text) {
    const { kind } = controlOf(setting);
    if (text.trim() === '') return null;
    return kind === 'number' ? Number(text) : kind === 'json' ? JSON.parse(text) : kind === 'flag' ? text === 'true' : text;
}

/** @param {any} value A value as a person writes it. */
export function textOfValue(value) {
    return value === null || value === undefined ? '' : typeof value === 'object' ? JSON.stringify(value, null, 1) : String(value);
}
