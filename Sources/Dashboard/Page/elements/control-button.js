import { api, store } from '../state/app.js';
import { hasMedia, isOnline, playAction } from '../state/devices.js';
import { t } from '../texts/texts.js';
import { send } from './commands.js';
import { button, setIcon, setLabel } from './dom.js';
import { Widget } from './widget.js';

/** Base of the buttons of the controllers: they act on one device and follow its state. */
export class ControlButton extends Widget {
    /** @type {string|null} */
    slug = null;
    /** @type {HTMLButtonElement} */
    button = button('play', '', () => this.press());

    build() {
        this.append(this.button);
    }

    /** @param {string|null} slug */
    set(slug) {
        if (this.slug === slug) return;
        this.slug = slug;
        if (this.isConnected) this.update(null);
    }

    device() {
        return this.slug === null ? undefined : store.state.devices.get(this.slug);
    }

    /** @param {string} command @param {any} [payload] */
    async send(command, payload) {
        if (this.slug !== null) await send(this.slug, command, payload, this.button);
    }

    /** @param {Set<string>|null} changed */
    update(changed) {
        if (changed && !(this.slug !== null && changed.has(this.slug)) && !changed.has('session')) return;
        this.refresh(this.device()?.state, api.may('control') && isOnline(this.device()));
    }

    /** @param {import('../state/types.js').StateDocument|undefined} state @param {boolean} may */
    refresh(state, may) {
        this.button.disabled = !may || !hasMedia(state);
    }

    press() {}
}

/** Play or pause; for live media, play or stop. */
export class PlayPauseButton extends ControlButton {
    action = 'cmd/play';

    /** @param {import('../state/types.js').StateDocument|undefined} state @param {boolean} may */
    refresh(state, may) {
        const { command, name, usable } = playAction(state);
        this.action = command;
        setIcon(this.button, name);
        setLabel(this.button, t(`control.${name}`));
        this.button.disabled = !may || !usable;
        this.toggleAttribute('data-buffering', state?.player === 'buffering' || state?.player === 'loading');
    }

    press() {
        void this.send(this.action);
    }
}
customElements.define('play-pause-button', PlayPauseButton);
