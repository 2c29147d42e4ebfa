import { setText, show } from '../elements/dom.js';
import { notify } from '../elements/notices.js';
import { store } from '../state/app.js';
import { linkText } from '../state/link-texts.js';
import { t } from '../texts/texts.js';

/**
 * Shows that the bridge or its broker can not be reached, and that the bridge answers again.
 * @param {HTMLElement} banner
 */
export function watchLink(banner) {
    let lost = false;
    store.subscribe((changed) => {
        if (!changed.has('link') && !changed.has('bridge/state') && !changed.has('bridge/health')) return;
        const { link } = store.state;
        const text = linkText(store.state);
        setText(banner, text === null ? '' : t(text));
        banner.toggleAttribute('data-lost', link === 'lost');
        show(banner, text !== null);
        document.body.toggleAttribute('data-lost', link === 'lost');
        if (lost && (link === 'live' || link === 'polling')) notify(t('link.back'));
        if (link === 'lost') lost = true;
        if (link === 'live' || link === 'polling') lost = false;
    });
}
