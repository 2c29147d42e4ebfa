import { memory, settings } from './app.js';
import { readableOn, themeProperties } from './theme-model.js';

const darkSystem = matchMedia('(prefers-color-scheme: dark)');
/** @type {string[]} */
let applied = [];

/** Applies appearance and theme now and when the system's appearance changes. */
export function startTheme() {
    darkSystem.addEventListener('change', applyTheme);
    applyTheme();
}

export function applyTheme() {
    const chosen = memory.get('theme');
    const dark = chosen === 'dark' || (chosen !== 'light' && darkSystem.matches);
    const root = document.documentElement;
    root.dataset.theme = dark ? 'dark' : 'light';
    for (const name of applied) root.style.removeProperty(name);
    const properties = themeProperties(settings.theme, dark);
    const accent = properties.find(([name]) => name === '--accent')?.[1];
    const onAccent = accent && readableOn(accent);
    if (onAccent) properties.push(['--on-accent', onAccent]);
    for (const [name, value] of properties) root.style.setProperty(name, value);
    applied = properties.map(([name]) => name);
    const color = getComputedStyle(root).getPropertyValue('--background').trim();
    document.querySelector('meta[name=theme-color]')?.setAttribute('content', color);
}
