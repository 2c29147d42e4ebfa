import { t } from '../texts/texts.js';
import { button, h } from './dom.js';

/*
 * Messages at the foot of the page. Two live regions are in the page from the start, because screen readers ignore regions that come with
 * their text.
 */

/** @type {HTMLElement} */
let status;
/** @type {HTMLElement} */
let alerts;
/** @type {HTMLElement} */
let spoken;

/** @param {HTMLElement} parent */
export function installNotices(parent) {
    status = h('div', { role: 'status', class: 'notice-area' });
    alerts = h('div', { role: 'alert', class: 'notice-area' });
    spoken = h('div', { role: 'status', class: 'visually-hidden' });
    parent.append(h('div', { class: 'notices' }, alerts, status), spoken);
}

/**
 * Shows a message for some seconds; a failure, or what can be undone, stays until it is closed, at most 12 s. Returns the message.
 * @param {string} text
 * @param {{failure?: boolean, detail?: string|null, undo?: (() => void)|null}} [options]
 */
export function notify(text, options = {}) {
    const { failure = false, detail = null, undo = null } = options;
    const area = failure ? alerts : status;
    const notice = h('div', { class: failure ? 'notice failure' : 'notice' },
        h('div', { class: 'notice-text' }, h('span', null, text), detail && h('small', null, detail)),
        undo && h('button', { type: 'button', class: 'button', onclick: () => {
            remove();
            undo();
        } }, t('undo')),
        button('close', t('close'), () => remove()));
    while (area.children.length > 2) area.firstElementChild?.remove();
    area.append(notice);
    liftNotices();
    const timer = setTimeout(() => remove(), failure || undo ? 12_000 : 4_000);
    const remove = () => {
        clearTimeout(timer);
        notice.remove();
    };
    return notice;
}

/** Open dialogs cover the page: the messages go into the topmost one. To be called before one is removed. */
export function liftNotices() {
    const dialogs = document.querySelectorAll('dialog[open]');
    const parent = dialogs[dialogs.length - 1] ?? document.body;
    const box = /** @type {HTMLElement|null} */ (status?.parentElement);
    if (box && box.parentElement !== parent) parent.append(box);
}

/**
 * Says something to screen readers only.
 * @param {string} text
 */
export function announce(text) {
    if (spoken.textContent !== text) spoken.textContent = text;
}
