import { timeOfDay } from '../texts/format.js';
import { t, textOf } from '../texts/texts.js';

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

/**
 * The text about the page's connection to the bridge, and the bridge's to the broker. Pure.
 *
 * @param {import('./store.js').PageState} state
 * @returns {'link.lost'|'link.polling'|'link.broker'|null} The text; null when all is well.
 */
export function linkText({ link, bridge }) {
    if (link === 'lost') return 'link.lost';
    // A standby has nothing to say to the broker.
    if (bridge.info?.pair?.role === 'standby') return link === 'polling' ? 'link.polling' : null;
    const away = (bridge.state !== undefined && bridge.state !== 'online') || bridge.health?.mqtt?.connected === false;
    if (away) return 'link.broker';
    return link === 'polling' ? 'link.polling' : null;
}
