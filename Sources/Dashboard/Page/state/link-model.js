/**
 * The text about the page's connection to the bridge, and the bridge's to the broker. Pure.
 *
 * @param {import('./store.js').PageState} state
 * @returns {'link.lost'|'link.polling'|'link.broker'|null} The text; null when all is well.
 */
export function linkText({ link, bridge }) {
    if (link === 'lost') return 'link.lost';
    const away = (bridge.state !== undefined && bridge.state !== 'online') || bridge.health?.mqtt?.connected === false;
    if (away) return 'link.broker';
    return link === 'polling' ? 'link.polling' : null;
}
