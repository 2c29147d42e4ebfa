/**
 * Reads text of the type text/event-stream piece by piece and gives each event once it is complete.
 */
export class EventStreamParser {
    /** @param {(event: {name: string, data: string, id: string|null}) => void} onEvent */
    constructor(onEvent) {
        this.onEvent = onEvent;
        this.rest = '';
        this.name = '';
        /** @type {string[]} */
        this.data = [];
        /** @type {string|null} */
        this.id = null;
    }

    /** @param {string} text */
    feed(text) {
        this.rest += text;
        // A carriage return at the end may be the first half of a line end.
        const lines = this.rest.split(/\r\n|\n|\r(?!$)/);
        this.rest = lines.pop() ?? '';
        for (const line of lines) this.line(line);
    }

    /** @param {string} line */
    line(line) {
        if (line === '') {
            if (this.data.length > 0) this.onEvent({ name: this.name || 'message', data: this.data.join('\n'), id: this.id });
            this.name = '';
            this.data = [];
            this.id = null;
            return;
        }
        const colon = line.indexOf(':');
        if (colon === 0) return;
        const field = colon < 0 ? line : line.slice(0, colon);
        const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
        if (field === 'event') this.name = value;
        else if (field === 'data') this.data.push(value);
        else if (field === 'id') this.id = value;
    }
}
