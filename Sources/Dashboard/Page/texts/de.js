/** @type {Partial<Record<keyof typeof import('./en.js').en, string>>} */
export const de = {};
