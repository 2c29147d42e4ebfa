import { setAttribute } from '../elements/dom.js';
import { store } from '../state/app.js';
import { number, span } from '../texts/format.js';
import { t } from '../texts/texts.js';
import { graphOf } from './health-model.js';

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
    /** @param {string} label @param {(health: any) => number} read @param {boolean} isCounter Whether the number only grows. */
    constructor(label, read, isCounter) {
        super();
        this.label = label;
        this.read = read;
        this.isCounter = isCounter;
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
        const graph = graphOf(reports, this.read, this.isCounter);
        setAttribute(this.line, 'points', graph?.points ?? '');
        if (!this.firstElementChild) return;
        const name = this.isCounter ? t('health.perMinute', { name: this.label }) : this.label;
        setAttribute(this.firstElementChild, 'aria-label', graph === null ? t('health.graphEmpty', { name }) : t('health.graph', {
            name, value: number(graph.latest, 1), least: number(graph.least, 1), most: number(graph.most, 1), span: span(graph.minutes * 60),
        }));
    }
}
customElements.define('health-graph', HealthGraph);
