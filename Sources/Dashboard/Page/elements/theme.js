import { memory, settings } from '../state/app.js';
import { themeRules } from './theme-model.js';

const darkSystem = matchMedia('(prefers-color-scheme: dark)');
/** The theme of the configuration; after the page's own style sheet. */
const sheet = new CSSStyleSheet();

/** Applies appearance and theme now and when the system's appearance changes. */
export function startTheme() {
    /** @type {any} */ (document).adoptedStyleSheets = [sheet];
    darkSystem.addEventListener('change', applyTheme);
    applyTheme();
}

export function applyTheme() {
    const chosen = memory.get('theme');
    const dark = chosen === 'dark' || (chosen !== 'light' && darkSystem.matches);
    const root = document.documentElement;
    root.dataset.theme = dark ? 'dark' : 'light';
    const rules = themeRules(settings.theme, dark).map(({ selector, properties }) =>
        // The appearance stands in the selector so that the rule beats the page's own.
        `${selector === ':root' ? ':root[data-theme]' : selector} { ${properties.map(([name, value]) => `${name}: ${value};`).join(' ')} }`);
    /** @type {any} */ (sheet).replaceSync(rules.join('\n'));
    const color = getComputedStyle(root).getPropertyValue('--background').trim();
    document.querySelector('meta[name=theme-color]')?.setAttribute('content', color);
}
