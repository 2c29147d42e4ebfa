import { t } from '../texts/texts.js';
import { button, h, newId } from './dom.js';
import { liftNotices } from './notices.js';
import { Widget } from './widget.js';

/** Base of the dialogs: a title that has the first focus, a visible close button, Escape, a touch beside it. Removed when closed. */
export class Dialog extends Widget {
    /** @type {HTMLDialogElement} */
    dialog = h('dialog', { class: 'dialog' });
    heading = h('h2', { tabIndex: -1, id: newId() });
    content = h('div', { class: 'dialog-content' });
    head = h('header', { class: 'dialog-head' });

    build() {
        this.dialog.setAttribute('aria-labelledby', this.heading.id);
        this.head.append(this.heading, button('close', t('close'), () => this.close()));
        this.dialog.append(this.head, this.content);
        this.dialog.addEventListener('close', () => {
            liftNotices();
            this.remove();
        });
        this.dialog.addEventListener('click', (event) => {
            if (event.target === this.dialog) this.close();
        });
        this.append(this.dialog);
    }

    shown() {
        const opener = document.activeElement;
        this.dialog.showModal();
        this.heading.focus();
        this.dialog.addEventListener('close', () => returnFocus(opener), { once: true });
    }

    close() {
        this.dialog.close();
    }
}

/**
 * The opener may have been removed: then the main part of the page gets the focus.
 * @param {Element|null} opener
 */
function returnFocus(opener) {
    if (opener instanceof HTMLElement && opener.isConnected && opener.getClientRects().length > 0) opener.focus();
    else document.querySelector('main')?.focus();
}

/**
 * Opens a dialog, unless one of its kind is open.
 * @template {Dialog} D
 * @param {D} dialog
 */
export function open(dialog) {
    const present = document.querySelector(dialog.localName);
    if (present instanceof Dialog) return /** @type {D} */ (present);
    document.body.append(dialog);
    return dialog;
}
