import { detailOf, wordsOf } from '../elements/commands.js';
import { h, patchList, setText, show } from '../elements/dom.js';
import { ApiError } from '../state/api.js';
import { findingText, t, textOf } from '../texts/texts.js';

/** @typedef {import('../state/types.js').Finding} Finding */

/** Why something does not play: one sentence and what to do; everything else is folded. */
export class FailureCard extends HTMLElement {
    sentence = h('strong');
    remedy = h('p');
    detail = h('p', { class: 'quiet' });
    findings = h('ul', { class: 'findings' });
    box = h('section', { class: 'card load-failure', 'aria-live': 'polite' }, this.sentence, this.remedy,
        h('details', null, h('summary', null, t('load.details')), this.detail, this.findings));

    connectedCallback() {
        if (this.childElementCount > 0) return;
        this.hide();
        this.append(this.box);
    }

    hide() {
        show(this.box, false);
    }

    /** @param {string} device @param {unknown} error */
    showError(device, error) {
        const { code = '', answer = null } = error instanceof ApiError ? error : {};
        const findings = /** @type {Finding[]} */ (answer?.data?.findings ?? []);
        const worst = findings.find(({ severity }) => severity === 'error');
        this.show(t('error.title', { what: device, why: wordsOf(error) }), worst ? findingText(worst).join(' ') : textOf('help', code) ?? '',
            [code, detailOf(error)].filter(Boolean).join(' · '), findings);
    }

    /** @param {string} sentence @param {string} remedy @param {string} detail @param {Finding[]} findings */
    show(sentence, remedy, detail, findings) {
        for (const [node, text] of /** @type {[HTMLElement, string][]} */ ([[this.sentence, sentence], [this.remedy, remedy], [this.detail, detail]])) {
            setText(node, text);
            show(node, text !== '');
        }
        patchList(this.findings, findings, (finding) => `${finding.code} ${finding.subject}`, (finding) =>
            h('li', { class: `finding ${finding.severity === 'error' ? 'error' : 'warning'}` },
                h('span', { class: 'badge' }, textOf('severity', finding.severity) ?? finding.severity),
                h('span', { class: 'row-text' },
                    ...findingText(finding).map((text, index) => h(index === 0 ? 'strong' : 'span', null, text)),
                    finding.url ? h('small', { class: 'quiet' }, finding.url) : null)));
        show(this.box, true);
        this.box.scrollIntoView({ block: 'nearest' });
    }
}
customElements.define('failure-card', FailureCard);
