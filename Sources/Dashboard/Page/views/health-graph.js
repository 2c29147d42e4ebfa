import { store } from '../app.js';
import { setAttribute } from '../elements/dom.js';
import { number } from '../elements/format.js';
import { t } from '../elements/texts.js';

/** Reports that are kept: four hours. */
const limit = 240;

/** The reports of health since the page was opened. */
export const healthRecord = {
    /** @type {any[]} */
    values: [],
    start() {
        store.subscribe((changed) => {
            const health = store.state.bridge.health;
            if (!changed.has('bridge/health') || !health || this.values[this.values.length - 1]?.ts === health.ts) return;
            this.values.push(health);
            if (this.values.length > limit) this.values.shift();
        });
    },
};

/** A small graph of one number. */
export class HealthGraph extends HTMLElement {
    /** @param {string} label @param {(health: any) => number} read */
    constructor(label, read) {
        super();
        this.label = label;
        this.read = read;
        this.line = document.createElementNS('http://www.w3.org/2000/svg', 'polyline');
    }

    connectedCallback() {
        if (this.childElementCount > 0) return;
        const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
        svg.setAttribute('viewBox', '0 0 100 28');
        svg.setAttribute('preserveAspectRatio', 'none');
        svg.setAttribute('role', 'img');
        svg.append(this.line);
        this.append(svg);
    }

    /** @param {any[]} reports */
    draw(reports) {
        this.connectedCallback();
        const values = reports.map(this.read);
        const most = Math.max(...values, 0.001);
        const least = Math.min(...values);
        const low = least > most * 0.8 ? least - (most - least || most) : 0;
        const points = (values.length === 1 ? [values[0], values[0]] : values)
            .map((value, index, all) => `${((index / (all.length - 1)) * 100).toFixed(1)},${(26 - ((value - low) / (most - low || 1)) * 24).toFixed(1)}`);
        setAttribute(this.line, 'points', points.join(' '));
        const last = values[values.length - 1];
        if (this.firstElementChild) {
            setAttribute(this.firstElementChild, 'aria-label', t('health.graph', { name: this.label, value: last === undefined ? '–' : number(last, 1), count: values.length }));
        }
    }
}
customElements.define('health-graph', HealthGraph);
