import { timeOfDay } from '../elements/format.js';
import { t, textOf } from '../elements/texts.js';

/**
 * The text of an entry of a device's link history.
 * @param {import('./types.js').LinkEvent} entry
 */
export function linkEventText({ event, code, count, until }) {
    if (event === 'authenticated') return textOf('authentication', code) ?? t('linkEvent.authenticated', { why: words(code) });
    const why = textOf('linkError', code) ?? words(code);
    if (event === 'attempt_failed' && count > 1) return t('linkEvent.attempts', { why, count, time: timeOfDay(until) });
    return t(/** @type {any} */ (`linkEvent.${event}`), { why });
}

/** @param {string|null} code */
function words(code) {
    return (code ?? '').replaceAll('_', ' ');
}
