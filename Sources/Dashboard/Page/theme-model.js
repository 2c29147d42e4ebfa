/**
 * Turns the theme of the configuration into custom properties. Pure.
 */

const names = ['accent', 'background', 'surface', 'text', 'font', 'radius'];

/**
 * Custom properties of a theme: the colours, fonts and radius, those of one appearance, and for each widget those that begin with its
 * name, as `--mini-controller-background`. Values that could be anything but one value are left out.
 *
 * @param {Record<string, any>} theme
 * @param {boolean} dark
 * @returns {[name: string, value: string][]}
 */
export function themeProperties(theme, dark) {
    const { light = {}, dark: darkTheme = {}, ...rest } = theme;
    const merged = { ...rest, ...(dark ? darkTheme : light) };
    /** @type {[string, string][]} */
    const properties = [];
    for (const [key, value] of Object.entries(merged)) {
        if (value !== null && typeof value === 'object') {
            for (const [name, own] of Object.entries(value)) add(`${key}-${name}`, own);
        } else if (names.includes(key)) add(key, value);
    }
    return properties;

    /** @param {string} name @param {any} value */
    function add(name, value) {
        const text = typeof value === 'number' ? `${value}px` : value;
        if (typeof text !== 'string' || !/^[a-z_-]+$/.test(name) || !/^[#\w\s.,%()'"/-]{1,200}$/.test(text) || /url|expression/i.test(text)) return;
        properties.push([`--${name.replaceAll('_', '-')}`, text]);
    }
}

/**
 * Text colour that can be read on a colour: white or nearly black. Null when the colour is not written as `#rrggbb`.
 * @param {string} color
 */
export function readableOn(color) {
    const match = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(color);
    if (!match) return null;
    const [red, green, blue] = match.slice(1).map((part) => {
        const value = parseInt(part, 16) / 255;
        return value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    });
    const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    return 1.05 / (luminance + 0.05) >= (luminance + 0.05) / 0.05 ? '#ffffff' : '#0b0d10';
}
