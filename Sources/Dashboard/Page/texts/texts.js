import { de, findings as germanFindings } from './de.js';
import { en } from './en.js';

/** @typedef {keyof typeof en} TextKey */

/** @type {Record<string, Partial<Record<TextKey, string>>>} */
const languages = { en, de };

/** @type {keyof typeof languages} */
let current = 'en';

/**
 * Chooses the language: a configured or chosen one, or with `auto` the first one that the browser asks for and the page has.
 * @param {string} wanted
 */
export function chooseLanguage(wanted) {
    const known = Object.keys(languages);
    current = known.includes(wanted)
        ? wanted
        : navigator.languages.map((name) => name.slice(0, 2).toLowerCase()).find((name) => known.includes(name)) ?? 'en';
    document.documentElement.lang = current;
}

export function language() {
    return current;
}

/**
 * The text of a key, with `{name}` replaced.
 * @param {TextKey} key
 * @param {Record<string, string|number>} [values]
 */
export function t(key, values = {}) {
    const text = languages[current][key] ?? en[key];
    return text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}

/**
 * The sentence and the remedy of a finding of a media check.
 * @param {import('../state/types.js').Finding} finding
 * @returns {[text: string, remedy: string]}
 */
export function findingText(finding) {
    const own = current === 'de' && Object.hasOwn(germanFindings, finding.code) ? germanFindings[finding.code] : null;
    return own ?? [finding.text, finding.remedy];
}

/**
 * The text of a word that the bridge reports, as a state or a code; null for a word that this page doesn't know.
 * @param {string} group First part of the key.
 * @param {string|null|undefined} word
 */
export function textOf(group, word) {
    const key = /** @type {TextKey} */ (`${group}.${word}`);
    return word && Object.hasOwn(en, key) ? t(key) : null;
}
