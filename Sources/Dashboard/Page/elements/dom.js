import { icon } from './icons.js';

/**
 * @typedef {Node|string|null|undefined|false} Child
 * @typedef {Record<string, any>} Properties
 */

/**
 * Makes an element. Properties whose name begins with `on` are listeners, `class` and names with a hyphen are attributes, others are
 * set on the element; strings become text.
 *
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Properties|null} [properties]
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[Name]}
 */
export function h(name, properties, ...children) {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(properties ?? {})) {
        if (value === null || value === undefined) continue;
        if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
        else if (key === 'class' || key === 'for' || key === 'role' || key.includes('-')) element.setAttribute(key, String(value));
        else /** @type {any} */ (element)[key] = value;
    }
    for (const child of children) if (child) element.append(child);
    return element;
}

/**
 * Sets a text only when it differs, so that nothing is painted or announced for nothing.
 * @param {Node} node
 * @param {string} text
 */
export function setText(node, text) {
    if (node.textContent !== text) node.textContent = text;
}

/** @param {Element} element @param {string} name @param {string|null} value */
export function setAttribute(element, name, value) {
    if (value === null) element.removeAttribute(name);
    else if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

/** @param {HTMLElement} element @param {boolean} shown */
export function show(element, shown) {
    if (element.hidden === shown) element.hidden = !shown;
}

/**
 * A button with an icon and a name for screen readers, or with both visible.
 * @param {string} name Of the icon.
 * @param {string} label
 * @param {(event: Event) => void} onclick
 * @param {Properties & {text?: boolean}} [options]
 */
export function button(name, label, onclick, options = {}) {
    const { text = false, ...properties } = options;
    const made = h('button', { type: 'button', class: text ? 'button' : 'icon-button', onclick, ...properties }, icon(name));
    if (text) made.append(h('span', null, label));
    else setLabel(made, label);
    return made;
}

/**
 * Changes the name of an icon button.
 * @param {Element} element
 * @param {string} label
 */
export function setLabel(element, label) {
    setAttribute(element, 'aria-label', label);
    setAttribute(element, 'title', label);
}

/**
 * Changes the icon of a button.
 * @param {Element} element
 * @param {string} name
 */
export function setIcon(element, name) {
    const present = element.querySelector('svg');
    if (present?.dataset.icon === name) return;
    const next = icon(name);
    if (present) present.replaceWith(next);
    else element.prepend(next);
}

/**
 * Makes the children of a list what the items say: nodes of items that stay are kept and only moved where they must be.
 * @template T
 * @template {HTMLElement} E
 * @param {HTMLElement} parent
 * @param {readonly T[]} items
 * @param {(item: T) => string} key
 * @param {(item: T) => E} make
 * @param {(element: E, item: T) => void} [update]
 */
export function patchList(parent, items, key, make, update) {
    const focused = /** @type {HTMLElement|null} */ (document.activeElement);
    const wanted = new Set(items.map(key));
    /** @type {Map<string, E>} */
    const present = new Map();
    // What goes, goes first: then nodes that stay are not moved, and keep the focus.
    for (const child of [...parent.children]) {
        const name = /** @type {E} */ (child).dataset.key ?? '';
        if (wanted.has(name) && !present.has(name)) present.set(name, /** @type {E} */ (child));
        else child.remove();
    }
    /** @type {Element|null} */
    let next = parent.firstElementChild;
    for (const item of items) {
        const name = key(item);
        // Of several items with one key only the first one is shown.
        if (!wanted.delete(name)) continue;
        let element = present.get(name);
        if (!element) {
            element = make(item);
            element.dataset.key = name;
        }
        if (element === next) next = next.nextElementSibling;
        else parent.insertBefore(element, next);
        update?.(element, item);
    }
    // A node that is moved loses the focus.
    if (focused !== document.activeElement && parent.contains(focused)) focused?.focus({ preventScroll: true });
}

let lastId = 0;
/** An id that no other element has. */
export function newId() {
    lastId += 1;
    return `e${lastId}`;
}
