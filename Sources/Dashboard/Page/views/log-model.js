import { levels } from '../state/stream.js';

/**
 * Filters lines of the log. Pure.
 *
 * @typedef {import('../state/types.js').LogLine} LogLine
 */

/**
 * Whether a line fits the level and the filter: with a star a pattern for the source, else a part of any text. Missing lines always fit.
 * @param {LogLine} line @param {string} level @param {string} filter
 */
export function fits(line, level, filter) {
    if (line.missed !== undefined) return true;
    if (levels.indexOf(line.level) < levels.indexOf(level)) return false;
    const wanted = filter.trim().toLowerCase();
    if (wanted === '') return true;
    if (wanted.includes('*') || wanted.includes('?')) return pattern(wanted).test(line.source.toLowerCase());
    return wholeText(line).toLowerCase().includes(wanted);
}

/** @param {string} glob */
function pattern(glob) {
    const escaped = glob.replace(/[.+^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*').replaceAll('?', '.');
    return new RegExp(`^${escaped}$`);
}

/** @param {LogLine} line */
export function wholeText(line) {
    return `${line.level} ${line.source} ${line.message} ${metadataText(line)}`;
}

/** @param {LogLine} line */
export function metadataText(line) {
    return Object.entries(line.data ?? {}).map(([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`).join(' ');
}

/**
 * Lines as a file has them, with date and time of the bridge.
 * @param {readonly LogLine[]} lines
 */
export function plainText(lines) {
    return lines.map((line) => `${line.ts} ${line.level} ${line.source} ${line.message} ${metadataText(line)}`.trimEnd() + '\n').join('');
}

/** @param {string} time @param {Date} [now] */
export function isToday(time, now = new Date()) {
    return new Date(time).toDateString() === now.toDateString();
}
