import { en } from './en.js';

/** @typedef {keyof typeof en} TextKey */
/** @typedef {Partial<Record<TextKey, string>>} Texts */

/**
 * The languages beside English. Each is a file that only those load who read it.
 * @type {Record<string, () => Promise<{texts: Texts, findings?: Record<string, [string, string]>}>>}
 */
const others = {
    de: async () => import('./de.js').then(({ de, findings }) => ({ texts: de, findings })),
    es: async () => import('./es.js').then(({ es }) => ({ texts: es })),
    id: async () => import('./id.js').then(({ id }) => ({ texts: id })),
};
const known = ['en', ...Object.keys(others)];

let current = 'en';
/** @type {Texts} */
let texts = en;
/** @type {Record<string, [string, string]>} */
let findings = {};
/** The language with the region that the browser asks for: dates and numbers differ between en-GB and en-US. */
let currentLocale = 'en';

/**
 * Chooses the language: a configured or chosen one, or with `auto` the first one that the browser asks for and the page has.
 * @param {string} wanted
 */
export async function chooseLanguage(wanted) {
    const chosen = known.includes(wanted)
        ? wanted
        : navigator.languages.map((name) => name.slice(0, 2).toLowerCase()).find((name) => known.includes(name)) ?? 'en';
    // A file that can't be loaded leaves English.
    const loaded = chosen === current ? { texts, findings } : await others[chosen]?.().catch(() => null);
    [current, texts, findings] = loaded ? [chosen, loaded.texts, loaded.findings ?? {}] : ['en', en, {}];
    currentLocale = navigator.languages.find((name) => name.slice(0, 2).toLowerCase() === current) ?? current;
    document.documentElement.lang = current;
}

export function language() {
    return current;
}

export function locale() {
    return currentLocale;
}

/**
 * The text of a key, with `{name}` replaced. For a `count` of 1 it may have one of its own, with `.one` behind the key.
 * @param {TextKey} key
 * @param {Record<string, string|number>} [values]
 */
export function t(key, values = {}) {
    const one = /** @type {TextKey} */ (`${key}.one`);
    const exact = String(values.count) === '1' && Object.hasOwn(en, one) ? one : key;
    const text = texts[exact] ?? texts[key] ?? en[exact];
    return text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}

/**
 * The sentence and the remedy of a finding of a media check.
 * @param {import('../state/types.js').Finding} finding
 * @returns {[text: string, remedy: string]}
 */
export function findingText(finding) {
    return Object.hasOwn(findings, finding.code) ? findings[finding.code] : [finding.text, finding.remedy];
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
