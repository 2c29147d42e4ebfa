import { ControlButton, PlayPauseButton } from '../elements/control-button.js';
import { open } from '../elements/dialog.js';
import { h, setAttribute, setIcon, setLabel, setText } from '../elements/dom.js';
import { hasIcon } from '../elements/icons.js';
import { customPayload } from '../elements/theme-model.js';
import { settings, store } from '../state/app.js';
import { canSeek, hasMedia } from '../state/devices.js';
import { t } from '../texts/texts.js';
import { followsMedia, slotsOf } from './slots-model.js';
import { TracksDialog } from './tracks-dialog.js';

/** A button that sends one command, enabled by a word of `can`. */
class CommandButton extends ControlButton {
    /** @param {string} name @param {string} label @param {string} word @param {string} command @param {any} [payload] @param {string} [number] */
    constructor(name, label, word, command, payload, number) {
        super();
        this.word = word;
        this.command = command;
        this.payload = payload;
        setIcon(this.button, name);
        setLabel(this.button, label);
        if (number) this.button.append(h('span', { class: 'seconds', 'aria-hidden': 'true' }, number));
    }

    /** @param {import('../state/types.js').StateDocument|undefined} state @param {boolean} may */
    refresh(state, may) {
        this.button.disabled = !may || !hasMedia(state) || !state?.can.includes(this.word) || (this.word === 'seek' && !canSeek(state));
    }

    press() {
        void this.send(this.command, this.payload);
    }
}
customElements.define('command-button', CommandButton);

/** Mutes the device. */
class MuteButton extends ControlButton {
    /** @param {import('../state/types.js').StateDocument|undefined} state @param {boolean} may */
    refresh(state, may) {
        setIcon(this.button, state?.volume.muted ? 'muted' : 'volume');
        setLabel(this.button, t('control.mute'));
        setAttribute(this.button, 'aria-pressed', String(state?.volume.muted === true));
        this.button.disabled = !may || !state || state.volume.muted === null || !state.can.includes('mute');
    }

    press() {
        void this.send('set/muted', !this.device()?.state?.volume.muted);
    }
}
customElements.define('mute-button', MuteButton);

/** @param {import('../state/types.js').DeviceDocuments|undefined} device */
function hasTracks(device) {
    const tracks = device?.tracks;
    return !!tracks && tracks.text.length + tracks.audio.length + tracks.video.length > 0;
}

/** Opens the tracks. */
export class CaptionsButton extends ControlButton {
    /** @param {import('../state/types.js').StateDocument|undefined} state @param {boolean} may */
    refresh(state, may) {
        setIcon(this.button, 'captions');
        setLabel(this.button, t('control.captions'));
        setAttribute(this.button, 'aria-haspopup', 'dialog');
        this.toggleAttribute('data-active', state?.tracks.text != null);
        this.button.disabled = !may || !hasMedia(state) || !hasTracks(this.device());
    }

    press() {
        if (this.slug !== null) open(new TracksDialog(this.slug));
    }
}
customElements.define('captions-button', CaptionsButton);

/** A button from the configuration. */
class CustomSlotButton extends ControlButton {
    /** @param {import('../state/types.js').CustomButton} custom */
    constructor(custom) {
        super();
        this.custom = custom;
    }

    build() {
        super.build();
        const { icon: name, label } = this.custom;
        if (name && hasIcon(name)) {
            setIcon(this.button, name);
            setLabel(this.button, label);
        } else {
            this.button.replaceChildren(label);
            setText(this.button, label);
            this.button.className = 'button';
        }
    }

    /** @param {import('../state/types.js').StateDocument|undefined} state @param {boolean} may */
    refresh(state, may) {
        // Its command may be one that starts something.
        this.button.disabled = !may;
    }

    press() {
        void this.send(this.custom.command, customPayload(this.custom.payload));
    }
}
customElements.define('custom-slot-button', CustomSlotButton);

/** The buttons of a controller: the configured ones, or those of the kind of media that plays. */
export class Slots {
    /**
     * @param {'mini'|'expanded'} place
     * @param {HTMLElement[]} boxes From left to right.
     */
    constructor(place, boxes) {
        this.place = place;
        this.boxes = boxes;
        const configured = place === 'mini' ? settings.mini_slots : settings.expanded_slots;
        this.isAutomatic = followsMedia(place, configured);
        this.configured = configured;
        /** @type {string[]} */
        this.names = [];
        /** @type {(ControlButton|null)[]} */
        this.buttons = [];
    }

    /** @param {string|null} slug */
    set(slug) {
        const device = slug === null ? undefined : store.state.devices.get(slug);
        // Between two items the buttons stay.
        if (!this.isAutomatic) this.show(this.configured);
        else if (hasMedia(device?.state) || this.names.length === 0) this.show(slotsOf(device?.state, hasTracks(device))[this.place]);
        for (const made of this.buttons) made?.set(slug);
    }

    /** @param {readonly string[]} names */
    show(names) {
        this.boxes.forEach((box, index) => {
            const name = names[index] ?? 'none';
            if (this.names[index] === name) return;
            this.names[index] = name;
            const made = (this.buttons[index] = slotButton(name));
            box.replaceChildren(...(made === null ? [] : [made]));
        });
    }
}

/**
 * The button of a slot of a controller.
 * @param {string} name As in the configuration.
 * @returns {ControlButton|null}
 */
function slotButton(name) {
    switch (name) {
        case 'play_pause': return new PlayPauseButton();
        case 'skip_previous': return new CommandButton('previous', t('control.previous'), 'previous', 'cmd/previous');
        case 'skip_next': return new CommandButton('next', t('control.next'), 'next', 'cmd/next');
        case 'rewind_30': return new CommandButton('rewind', t('control.rewind'), 'seek', 'set/position', '-30', '30');
        case 'forward_30': return new CommandButton('forward', t('control.forward'), 'seek', 'set/position', '+30', '30');
        case 'mute': return new MuteButton();
        case 'closed_captions': return new CaptionsButton();
    }
    if (!name.startsWith('custom:')) return null;
    const custom = settings.custom_buttons[name.slice('custom:'.length)];
    return custom ? new CustomSlotButton(custom) : null;
}

