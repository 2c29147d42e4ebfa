import { t, textOf } from '../texts/texts.js';
import { store } from './app.js';

/** Events that are kept, for all devices together. */
const limit = 300;

/** Kinds that the bridge itself keeps, over restarts. */
const kept = ['media_ended', 'load_failed', 'session_ended', 'device_online', 'device_offline'];

/** What else happened to the devices since the page was opened, the newest first. */
class History {
    /** @type {{key: string, slug: string, time: string, text: string}[]} */
    lines = [];
    /** @type {Set<(slug: string) => void>} */
    listeners = new Set();
    count = 0;

    start() {
        store.listen((event) => {
            if (event.type === 'event') this.take(event.topic, event.payload);
        });
    }

    /** @param {string} topic @param {Record<string, any>} payload */
    take(topic, payload) {
        const owner = topic.split('/')[0];
        const slug = owner === 'bridge' ? payload.data?.slug : owner;
        const group = `event.${payload.event_type}`;
        if (typeof slug !== 'string' || textOf('event', payload.event_type) === null) return;
        if (!kept.includes(payload.event_type)) this.add(slug, group, payload);
        for (const listener of this.listeners) listener(slug);
    }

    /** @param {string} slug @param {string} group @param {Record<string, any>} payload */
    add(slug, group, payload) {
        this.count += 1;
        const text = t(/** @type {any} */ (group), { title: payload.data?.title ?? '–', app: payload.data?.app ?? '–' });
        this.lines.unshift({ key: String(this.count), slug, time: payload.ts ?? '', text });
        if (this.lines.length > limit) this.lines.pop();
    }

    /** @param {string} slug */
    of(slug) {
        return this.lines.filter((line) => line.slug === slug).slice(0, 50);
    }

    /** @param {(slug: string) => void} listener */
    listen(listener) {
        this.listeners.add(listener);
        return () => void this.listeners.delete(listener);
    }
}

export const history = new History();
