/**
 * @typedef {{key: string, value: any, choosable: boolean}} Setting
 * @typedef {{name: string|null, host: string, port: number, tls: boolean}} BrokerOffer
 * @typedef {{host: string, port: string, username: string, password: string, tls: boolean, mode: string}} SetupFields
 */

/** The keys of the broker, and of what Home Assistant is told. */
export const brokerKeys = ['mqtt.host', 'mqtt.port', 'mqtt.username', 'mqtt.password', 'mqtt.tls.enabled'];
export const modeKey = 'home_assistant.mode';

/**
 * What of the fields is another value than the settings have. No host is the private broker, which needs none of the others. A password
 * stays only with the same user of the same broker: it is not for another one.
 * @param {Map<string, Setting>} settings
 * @param {SetupFields} fields
 * @returns {Record<string, any>}
 */
export function changesOf(settings, { host, port, username, password, tls, mode }) {
    const isPrivate = host === '';
    const isOther = [['mqtt.host', host || null], ['mqtt.port', port === '' ? null : Number(port)], ['mqtt.username', username || null], ['mqtt.tls.enabled', tls]]
        .some(([key, value]) => (settings.get(String(key))?.value ?? null) !== value);
    /** @type {[string, any][]} */
    const wanted = [
        ['mqtt.host', host || null],
        ['mqtt.port', isPrivate || port === '' ? null : Number(port)],
        ['mqtt.username', isPrivate ? null : username || null],
        ['mqtt.tls.enabled', !isPrivate && tls],
        [modeKey, mode],
    ];
    const hasPassword = (settings.get('mqtt.password')?.value ?? null) !== null;
    if (password !== '' && !isPrivate) wanted.push(['mqtt.password', password]);
    else if (hasPassword && (isPrivate || isOther)) wanted.push(['mqtt.password', null]);
    return Object.fromEntries(wanted.filter(([key, value]) => {
        const setting = settings.get(key);
        return setting?.choosable && (key === 'mqtt.password' || setting.value !== value);
    }));
}

/**
 * How a broker is named in a list.
 * @param {BrokerOffer} offer
 * @param {string} thisMachine
 */
export function offerText({ name, host, port, tls }, thisMachine) {
    const address = host.includes(':') ? `[${host}]` : host;
    return `${name ?? thisMachine} · ${address}:${port}${tls ? ' · TLS' : ''}`;
}
