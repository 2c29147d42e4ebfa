/**
 * Turns the theme of the configuration into style rules. Pure.
 */

const names = ['accent', 'background', 'surface', 'text', 'font', 'radius'];

/** Elements of the widgets that may have a style of their own. */
const widgets = /** @type {Record<string, string>} */ ({
    cast_button: 'cast-button', introduction: 'cast-introduction', cast_dialog: 'cast-dialog', device_list: 'device-list',
    mini_controller: 'mini-controller', expanded_controller: 'expanded-controller .expanded', queue: 'queue-view',
});

/**
 * The rules of a theme: those of all, then of the appearance, then of the widgets, which beat the others. What could be anything but one
 * value is left out.
 *
 * @param {Record<string, any>} theme
 * @param {boolean} dark
 * @returns {{selector: string, properties: [name: string, value: string][]}[]}
 */
export function themeRules(theme, dark) {
    const own = { ...theme, ...((dark ? theme.dark : theme.light) ?? {}) };
    const rules = [{ selector: ':root', properties: propertiesOf(own, false) }];
    for (const [widget, selector] of Object.entries(widgets)) {
        if (theme[widget]) rules.push({ selector, properties: propertiesOf(theme[widget], true) });
    }
    return rules.filter(({ properties }) => properties.length > 0);
}

/**
 * @param {Record<string, any>} style @param {boolean} ofWidget
 * @returns {[name: string, value: string][]}
 */
function propertiesOf(style, ofWidget) {
    /** @type {[string, string][]} */
    const properties = [];
    for (const name of names) {
        const value = style[name];
        const text = typeof value === 'number' ? `${value}px` : value;
        if (typeof text !== 'string' || !/^[#\w\s.,%()'"/-]{1,200}$/.test(text) || /url|expression|image/i.test(text)) continue;
        // A widget's background is not the background of what lies in it.
        if (ofWidget && name === 'background') properties.push(['--widget-background', text]);
        else properties.push([`--${name}`, text]);
        if (ofWidget && name === 'radius') properties.push(['--widget-radius', text]);
        const onAccent = name === 'accent' ? readableOn(text) : null;
        if (onAccent !== null) properties.push(['--on-accent', onAccent]);
    }
    return properties;
}

/**
 * Text colour that can be read on a colour: white or nearly black. Null when the colour is not written as `#rrggbb`.
 * @param {string} color
 */
export function readableOn(color) {
    const match = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(color.slice(0, 7));
    if (!match) return null;
    const [red, green, blue] = match.slice(1).map((part) => {
        const value = parseInt(part, 16) / 255;
        return value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    });
    const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    return 1.05 / (luminance + 0.05) >= (luminance + 0.05) / 0.05 ? '#ffffff' : '#0b0d10';
}

/**
 * The body that a button of the configuration sends: an object or an array as it is, another text as a text, nothing for none.
 * @param {any} payload
 */
export function customPayload(payload) {
    if (payload === undefined || payload === null || payload === '') return undefined;
    if (typeof payload !== 'string' || !/^\s*[[{]/.test(payload)) return payload;
    try {
        return JSON.parse(payload);
    } catch {
        return payload;
    }
}
