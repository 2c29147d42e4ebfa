import { language, locale } from './texts.js';

/**
 * A time as players show it: `4:03` or `1:04:03`.
 * @param {number|null} seconds
 */
export function clockTime(seconds) {
    if (seconds === null || !Number.isFinite(seconds)) return '';
    const whole = Math.max(0, Math.floor(seconds));
    const rest = String(whole % 60).padStart(2, '0');
    const minutes = Math.floor(whole / 60) % 60;
    const hours = Math.floor(whole / 3600);
    return hours > 0 ? `${hours}:${String(minutes).padStart(2, '0')}:${rest}` : `${minutes}:${rest}`;
}

/**
 * A time as screen readers say it: `4 minutes, 3 seconds`.
 * @param {number|null} seconds
 */
export function spokenTime(seconds) {
    if (seconds === null || !Number.isFinite(seconds)) return '';
    const whole = Math.max(0, Math.floor(seconds));
    const parts = [
        [Math.floor(whole / 3600), 'hour'],
        [Math.floor(whole / 60) % 60, 'minute'],
        [whole % 60, 'second'],
    ];
    const words = parts
        .filter(([count], index) => Number(count) > 0 || (index === 2 && whole === 0))
        .map(([count, unit]) =>
            new Intl.NumberFormat(locale(), { style: 'unit', unit: String(unit), unitDisplay: 'long' }).format(Number(count)));
    return words.join(', ');
}

/**
 * A time span in its two largest units: `3 d 4 h`.
 * @param {number} seconds
 */
export function span(seconds) {
    const units = /** @type {const} */ ([['day', 86_400], ['hour', 3_600], ['minute', 60], ['second', 1]]);
    const first = units.findIndex(([, length]) => seconds >= length);
    const from = first < 0 ? units.length - 1 : first;
    return units
        .slice(from, from + 2)
        .map(([unit, length], index) => [unit, index === 0 ? Math.floor(seconds / length) : Math.floor((seconds % units[from][1]) / length)])
        .map(([unit, count]) =>
            new Intl.NumberFormat(locale(), { style: 'unit', unit: String(unit), unitDisplay: 'short' }).format(Number(count)))
        .join(' ');
}

/** @param {number} value @param {number} [digits] */
export function number(value, digits = 0) {
    return new Intl.NumberFormat(locale(), { maximumFractionDigits: digits }).format(value);
}

/** @param {string|null|undefined} time RFC 3339. */
export function timeOfDay(time) {
    if (!time) return '';
    return new Intl.DateTimeFormat(locale(), { hour: '2-digit', minute: '2-digit', second: '2-digit' }).format(new Date(time));
}

/** @param {string|null|undefined} time RFC 3339. */
export function dateAndTime(time) {
    if (!time) return '';
    return new Intl.DateTimeFormat(locale(), { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(time));
}

/** @param {Date} time As a clock on a wall shows it. */
export function clockOfDay(time) {
    return new Intl.DateTimeFormat(locale(), { hour: 'numeric', minute: '2-digit' }).format(time);
}

/** @param {Date} time */
export function day(time) {
    return new Intl.DateTimeFormat(locale(), { weekday: 'long', day: 'numeric', month: 'long' }).format(time);
}

/**
 * A date as applications send it: a day, a time, or what is neither, which stays as it is.
 * @param {string} time
 */
export function dateOf(time) {
    if (!/^\d{4}-\d\d-\d\d(T|$)/.test(time) || Number.isNaN(Date.parse(time))) return time;
    // A day has no time zone: the day before would be shown west of Greenwich.
    return time.includes('T') ? dateAndTime(time) : new Intl.DateTimeFormat(locale(), { dateStyle: 'medium', timeZone: 'UTC' }).format(new Date(time));
}

/**
 * The name of a language in the language of the page.
 * @param {string|null|undefined} code As `de-AT`.
 */
export function languageName(code) {
    if (!code) return null;
    try {
        return new Intl.DisplayNames([language()], { type: 'language' }).of(code) ?? code;
    } catch {
        return code;
    }
}

/**
 * The size of a file, in a unit that leaves few digits.
 * @param {number} bytes
 */
export function fileSize(bytes) {
    const units = ['kilobyte', 'megabyte', 'gigabyte'];
    const power = Math.min(Math.max(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), 1), 3);
    return new Intl.NumberFormat(locale(), { style: 'unit', unit: units[power - 1], maximumFractionDigits: 1 }).format(bytes / 1000 ** power);
}
