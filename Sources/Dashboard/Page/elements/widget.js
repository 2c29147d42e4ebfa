import { store } from '../state/app.js';

/** Base of the page's elements: builds its nodes once, then patches them when something changed. */
export class Widget extends HTMLElement {
    /** @type {(() => void)|null} */
    #stop = null;
    #built = false;

    connectedCallback() {
        if (!this.#built) {
            this.#built = true;
            this.build();
        }
        this.#stop = store.subscribe((changed) => this.update(changed));
        this.update(null);
        this.shown();
    }

    disconnectedCallback() {
        this.#stop?.();
        this.#stop = null;
        this.gone();
    }

    /** Makes the nodes. */
    build() {}

    /**
     * Patches the nodes.
     * @param {Set<string>|null} changed What changed; null: everything.
     */
    update(changed) {
        void changed;
    }

    /** The element was put into the page. */
    shown() {}

    /** The element was taken out of the page. */
    gone() {}
}

/**
 * Calls a function each second while the page is visible, until the returned one is called.
 * @param {() => void} work
 */
export function everySecond(work) {
    workers.add(work);
    if (workers.size === 1) schedule();
    return () => void workers.delete(work);
}

/** @type {Set<() => void>} */
const workers = new Set();
let timer = 0;

function schedule() {
    clearTimeout(timer);
    timer = setTimeout(() => {
        if (document.visibilityState === 'visible') for (const work of workers) work();
        if (workers.size > 0) schedule();
    }, 1_000 - (Date.now() % 1_000));
}

document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') for (const work of workers) work();
});
