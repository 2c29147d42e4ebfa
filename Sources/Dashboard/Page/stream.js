import { EventStreamParser } from './event-stream.js';

/** Silence after which a stream is given up, in milliseconds; the bridge sends something every 15 s. */
const silenceLimit = 40_000;
/** Time in which the first event must arrive; proxies that hold events back never send it. */
const firstEventLimit = 3_000;
/** Pause between two questions while polling. */
const pollInterval = 2_000;

/**
 * The one stream of events from the bridge: opens it, resumes after a break where it ended, and asks periodically where a proxy holds
 * events back. Works in a page and in a worker.
 */
export class Stream {
    /**
     * @param {string} api Address of the API, with a slash at the end.
     * @param {(event: import('./types.js').StreamEvent) => void} onEvent
     * @param {string|null} token Bearer token, where no cookie is sent.
     */
    constructor(api, onEvent, token = null) {
        this.api = api;
        this.onEvent = onEvent;
        this.token = token;
        /** @type {string|null} */
        this.id = null;
        /** @type {string|null} */
        this.log = null;
        this.polling = false;
        this.failures = 0;
        this.closed = false;
        /** @type {AbortController|null} */
        this.abort = null;
        /** @type {(() => void)|null} */
        this.wakeUp = null;
    }

    async run() {
        while (!this.closed) {
            try {
                if (this.polling) await this.poll();
                else await this.open();
                this.failures = 0;
            } catch (error) {
                if (error instanceof LoginNeeded) {
                    this.onEvent({ type: 'link', link: 'login' });
                    await this.pause(3_600_000);
                    continue;
                }
                if (this.closed) return;
                if (error instanceof Reopened) continue;
                if (error instanceof HeldBack) {
                    this.polling = true;
                    continue;
                }
                this.failures += 1;
                this.onEvent({ type: 'link', link: this.failures > 1 ? 'lost' : 'connecting' });
                await this.pause(Math.min(15_000, 500 * 2 ** Math.min(this.failures, 5)) * (0.5 + Math.random() / 2));
            }
        }
    }

    async open() {
        const abort = (this.abort = new AbortController());
        /** @type {Error} */
        let reason = new Error('silence');
        let timer = setTimeout(() => {
            reason = new HeldBack();
            abort.abort();
        }, firstEventLimit);
        const alive = () => {
            clearTimeout(timer);
            timer = setTimeout(() => abort.abort(), silenceLimit);
        };
        try {
            const query = new URLSearchParams();
            if (this.id !== null) query.set('since', this.id);
            if (this.log !== null) query.set('log', this.log);
            const response = await this.get(`events?${query}`, abort.signal);
            if (!response.ok || !response.body) throw new Error(`status ${response.status}`);
            let first = true;
            const parser = new EventStreamParser((event) => {
                if (first) {
                    first = false;
                    this.failures = 0;
                    this.onEvent({ type: 'link', link: 'live' });
                }
                this.take(event);
            });
            if (this.id !== null) {
                // A resumed stream may have nothing to say for 15 s.
                alive();
                this.onEvent({ type: 'link', link: 'live' });
            }
            const reader = response.body.getReader();
            const decoder = new TextDecoder();
            for (;;) {
                const { done, value } = await reader.read();
                if (done) return;
                alive();
                parser.feed(decoder.decode(value, { stream: true }));
            }
        } catch (error) {
            if (this.reopening) {
                this.reopening = false;
                throw new Reopened();
            }
            throw abort.signal.aborted ? reason : error;
        } finally {
            clearTimeout(timer);
            abort.abort();
        }
    }

    reopening = false;

    async poll() {
        const abort = (this.abort = new AbortController());
        const timer = setTimeout(() => abort.abort(), 10_000);
        try {
            const response = await this.get(this.id === null ? 'state' : `changes?since=${encodeURIComponent(this.id)}`, abort.signal);
            if (!response.ok) throw new Error(`status ${response.status}`);
            const answer = await response.json();
            const type = this.id === null || answer.snapshot ? 'snapshot' : 'changes';
            this.id = answer.id;
            this.onEvent({ type: 'link', link: 'polling' });
            if (type === 'snapshot' || Object.keys(answer.documents).length > 0) {
                this.onEvent({ type, id: answer.id, documents: answer.documents });
            }
        } finally {
            clearTimeout(timer);
        }
        await this.pause(pollInterval);
    }

    /** @param {{name: string, data: string, id: string|null}} event */
    take(event) {
        const data = JSON.parse(event.data);
        if (event.id !== null) this.id = event.id;
        if (event.name === 'snapshot') this.onEvent({ type: 'snapshot', id: data.id, documents: data.documents });
        else if (event.name === 'changes') this.onEvent({ type: 'changes', id: this.id ?? '', documents: data.documents });
        else if (event.name === 'event') this.onEvent({ type: 'event', topic: data.topic, payload: data.payload });
        else if (event.name === 'log') this.onEvent({ type: 'log', line: data });
    }

    /** @param {string} path @param {AbortSignal} signal */
    async get(path, signal) {
        /** @type {Record<string, string>} */
        const headers = this.token === null ? {} : { Authorization: `Bearer ${this.token}` };
        const response = await fetch(this.api + path, { signal, headers, cache: 'no-store' });
        if (response.status === 401) throw new LoginNeeded();
        return response;
    }

    /**
     * Asks for lines of the log, too, from a level on; null: no more.
     * @param {string|null} level
     */
    setLog(level) {
        if (this.log === level) return;
        this.log = level;
        this.reopen();
    }

    /** Ends a pause, or the stream, and opens it again. */
    reopen() {
        if (this.wakeUp) this.wakeUp();
        else if (this.abort && !this.polling) {
            this.reopening = true;
            this.abort.abort();
        }
    }

    /** Tries at once when it waits: the network is back, or somebody signed in. */
    wake() {
        this.wakeUp?.();
    }

    close() {
        this.closed = true;
        this.abort?.abort();
        this.wakeUp?.();
    }

    /** @param {number} milliseconds */
    pause(milliseconds) {
        return /** @type {Promise<void>} */ (
            new Promise((resolve) => {
                const end = () => {
                    clearTimeout(timer);
                    this.wakeUp = null;
                    resolve();
                };
                const timer = setTimeout(end, milliseconds);
                this.wakeUp = end;
            })
        );
    }
}

class LoginNeeded extends Error {}
class HeldBack extends Error {}
class Reopened extends Error {}
