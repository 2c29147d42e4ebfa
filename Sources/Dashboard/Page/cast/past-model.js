import { span } from '../texts/format.js';
import { t, textOf } from '../texts/texts.js';

/**
 * An event that the bridge keeps over restarts.
 *
 * @typedef {{ts: string, event_type: string, slug: string, name: string, title?: string, content_id?: string, app?: string, code?: string,
 *   reason?: string, previous_reason?: string, detailed_error_code?: number, played_s?: number,
 *   previous_title?: string|null, previous_content_id?: string|null}} PastEvent
 */

/** @param {PastEvent} event Whether a person would ask why. A device that is switched off is no failure. */
export function isFailure(event) {
    return event.event_type === 'load_failed' || event.reason === 'error' || event.previous_reason === 'error';
}

/** @param {PastEvent} event */
export function pastText(event) {
    const isNext = event.event_type === 'media_changed';
    const title = (isNext ? event.previous_title ?? event.previous_content_id : event.title ?? event.content_id) ?? '–';
    const played = event.played_s !== undefined && event.played_s >= 1 ? span(event.played_s) : null;
    const why = isFailure(event) ? textOf('error', event.code ?? 'load_failed') ?? event.code : null;
    const number = event.detailed_error_code === undefined ? null : t('past.number', { number: event.detailed_error_code });
    const what = event.event_type === 'load_failed' ? t('past.failed', { title })
        : t(/** @type {any} */ (`event.${isNext ? 'media_ended' : event.event_type}`), { title, app: event.app ?? '–' });
    return [what, played, why, number].filter(Boolean).join(' · ');
}
