import { EventStreamParser } from './event-stream.js';

/** The levels of the log, the most detailed first. */
export const levels = ['trace', 'debug', 'info', 'notice', 'warning', 'error', 'critical'];

/** Silence after which a stream is given up, in milliseconds; the bridge sends something every 15 s. */
const silenceLimit = 40_000;
/** Time in which the first event must arrive; proxies that hold events back never send it. */
const firstEventLimit = 3_000;
/** Pause between two questions while polling. */
const pollInterval = 2_000;
/** Time in which an answer must come where no event came. */
const trialLimit = 5_000;
/** Time after which a stream is tried again while polling. */
const trialInterval = 60_000;
/** A stream that is open and heard nothing for longer is not trusted when the page wakes up. */
const staleLimit = 17_000;
/** A stream that ends sooner is taken for a failure. */
const shortest = 2_000;

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
        /** Polls because this browser has too many streams, and not because they are held back. */
        this.crowded = false;
        /** When a stream is tried again while polling. */
        this.trialAt = 0;
        /** When the last bytes came, or were asked for. */
        this.heard = 0;
        /** @type {import('./types.js').Link|null} */
        this.reported = null;
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
                if (this.polling && Date.now() < this.trialAt) {
                    await this.pause(pollInterval);
                    await this.ask();
                } else {
                    await this.open().catch((error) => this.pollInstead(error));
                }
                this.failures = 0;
            } catch (error) {
                if (this.closed) return;
                if (error instanceof Reopened) continue;
                if (error instanceof LoginNeeded) {
                    this.report('login');
                    await this.pause(3_600_000);
                    continue;
                }
                this.failures += 1;
                this.report(this.failures > 1 ? 'lost' : 'connecting');
                await this.pause(Math.min(15_000, 500 * 2 ** Math.min(this.failures, 5)) * (0.5 + Math.random() / 2));
            }
        }
    }

    /**
     * Polls from now on when events are held back and the bridge answers: a request that hangs may also mean that the network is lost.
     * @param {unknown} error
     */
    async pollInstead(error) {
        if (!(error instanceof HeldBack) || this.closed) throw error;
        this.crowded = error.crowded;
        await this.ask(trialLimit);
        this.polling = true;
        this.trialAt = Date.now() + trialInterval;
    }

    /** @param {import('./types.js').Link} link */
    report(link) {
        this.reported = link;
        this.onEvent({ type: 'link', link });
    }

    async open() {
        const abort = (this.abort = new AbortController());
        const began = (this.heard = Date.now());
        // What opened although it was held back before must prove itself: without `since` a snapshot comes at once.
        const trial = this.polling;
        this.trialAt = began + trialInterval;
        let first = true;
        /** @type {Error} */
        let reason = new Error('silence');
        const giveUp = () => {
            if (first) reason = new HeldBack();
            abort.abort();
        };
        let timer = setTimeout(giveUp, firstEventLimit);
        const alive = () => {
            this.heard = Date.now();
            clearTimeout(timer);
            timer = setTimeout(giveUp, silenceLimit);
        };
        try {
            const query = new URLSearchParams();
            if (this.id !== null && !trial) query.set('since', this.id);
            if (this.log !== null) query.set('log', this.log);
            const response = await this.get(`events?${query}`, abort.signal);
            if (response.status === 429) throw new HeldBack(true);
            if (!response.ok || !response.body) throw new Error(`status ${response.status}`);
            if (!response.headers.get('content-type')?.startsWith('text/event-stream')) throw new Error('no stream of events');
            const parser = new EventStreamParser((event) => {
                if (first) {
                    first = false;
                    this.failures = 0;
                    this.polling = false;
                    this.report('live');
                }
                this.take(event);
            });
            if (this.id !== null && !trial) {
                // A resumed stream may have nothing to say for 15 s.
                alive();
                this.report('live');
            }
            const reader = response.body.getReader();
            const decoder = new TextDecoder();
            for (;;) {
                const { done, value } = await reader.read();
                if (done) break;
                parser.feed(decoder.decode(value, { stream: true }));
                if (!first || !trial) alive();
            }
            if (first || Date.now() - began < shortest) throw new Error('ended at once');
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

    /**
     * Asks once what changed.
     * @param {number} [limit] Time for the answer, in milliseconds.
     */
    async ask(limit = 10_000) {
        const abort = (this.abort = new AbortController());
        const timer = setTimeout(() => abort.abort(), limit);
        try {
            const response = await this.get(this.id === null ? 'state' : `changes?since=${encodeURIComponent(this.id)}`, abort.signal);
            if (!response.ok) throw new Error(`status ${response.status}`);
            const answer = await response.json();
            const type = this.id === null || answer.snapshot ? 'snapshot' : 'changes';
            this.id = answer.id;
            const link = this.crowded ? 'live' : 'polling';
            if (this.reported !== link) this.report(link);
            if (type === 'snapshot' || Object.keys(answer.documents).length > 0) {
                this.onEvent({ type, id: answer.id, documents: answer.documents });
            }
        } finally {
            clearTimeout(timer);
        }
    }

    /** @param {{name: string, data: string, id: string|null}} event */
    take(event) {
        const data = JSON.parse(event.data);
        if (event.id !== null) this.id = event.id;
        if (event.name === 'snapshot') this.onEvent({ type: 'snapshot', id: data.id, documents: data.documents });
        else if (event.name === 'changes') this.onEvent({ type: 'changes', id: this.id ?? '', documents: data.documents });
        else if (event.name === 'event') this.onEvent({ type: 'event', topic: data.topic, payload: data.payload });
        else if (event.name === 'log') this.onEvent({ type: 'log', line: data });
        else if (event.name === 'missed') this.onEvent({ type: 'missed', events: data.events, lines: data.lines });
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

    /**
     * Tries at once when it waits: the network is up again, or a user signed in. A stream that was silent for too long is opened again.
     * @param {boolean} [renew] Also one that was not: the network was another one.
     */
    wake(renew = false) {
        if (this.wakeUp || renew || Date.now() - this.heard > staleLimit) this.reopen();
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
class HeldBack extends Error {
    /** @param {boolean} [crowded] */
    constructor(crowded = false) {
        super('held back');
        this.crowded = crowded;
    }
}
class Reopened extends Error {}
