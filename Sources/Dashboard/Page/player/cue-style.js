/**
 * How subtitles with a text style look in the preview. Pure.
 *
 * @typedef {import('../state/types.js').TextStyle} TextStyle
 */

/** The radius of rounded corners where the style has none, in pixels. */
const usualRadius = 8;

const fonts = /** @type {Record<string, string>} */ ({
    sans_serif: 'sans-serif', serif: 'serif', monospaced_sans_serif: 'monospace', monospaced_serif: '"Courier New", monospace',
    casual: 'fantasy', cursive: 'cursive', small_capitals: 'sans-serif',
});

const shadows = /** @type {Record<string, (color: string) => string>} */ ({
    none: () => 'none',
    outline: (c) => `-1px -1px ${c}, 1px -1px ${c}, -1px 1px ${c}, 1px 1px ${c}`,
    drop_shadow: (c) => `2px 2px 3px ${c}`,
    raised: (c) => `1px 1px ${c}, 2px 2px ${c}`,
    depressed: (c) => `-1px -1px ${c}, -2px -2px ${c}`,
});

/** Kinds of fonts and of edges. */
export const families = Object.keys(fonts);
export const edges = Object.keys(shadows);

/**
 * The properties of the text and of the window around it.
 * @param {TextStyle} style
 * @returns {{cue: Record<string, string>, window: Record<string, string>}}
 */
export function cueStyle(style) {
    const family = String(style.font_generic_family ?? 'sans_serif');
    const weight = String(style.font_style ?? '');
    const framed = style.window_type != null && style.window_type !== 'none';
    // Within quotes only these two end the name.
    const name = style.font_family ? `"${String(style.font_family).replace(/["\\\n]/g, '')}", ` : '';
    return {
        cue: {
            'font-size': `${Number(style.font_scale ?? 1) * 1.2}rem`,
            'font-family': name + (fonts[family] ?? 'sans-serif'),
            'font-variant': family === 'small_capitals' ? 'small-caps' : 'normal',
            'font-weight': weight.includes('bold') ? '700' : '400',
            'font-style': weight.includes('italic') ? 'italic' : 'normal',
            'color': String(style.foreground_color ?? '#FFFFFF'),
            'background-color': String(style.background_color ?? '#00000080'),
            'text-shadow': (shadows[String(style.edge_type ?? 'none')] ?? shadows.none)(String(style.edge_color ?? '#000000')),
        },
        window: {
            'background-color': framed ? String(style.window_color ?? '#00000080') : 'transparent',
            'border-radius': style.window_type === 'rounded_corners' ? `${style.window_rounded_corner_radius ?? usualRadius}px` : '0',
        },
    };
}
