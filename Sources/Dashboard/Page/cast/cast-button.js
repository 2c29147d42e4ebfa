import { open } from '../elements/dialog.js';
import { button, setAttribute, setIcon, setLabel } from '../elements/dom.js';
import { Widget } from '../elements/widget.js';
import { choice, store } from '../state/app.js';
import { isOnline, nameOf } from '../state/devices.js';
import { t } from '../texts/texts.js';
import { CastDialog } from './cast-dialog.js';

/** The Cast button: shows one of four states and opens the dialog. */
export class CastButton extends Widget {
    button = button('cast', t('cast.none'), () => open(new CastDialog()), { 'aria-haspopup': 'dialog' });

    build() {
        this.append(this.button);
    }

    update() {
        const state = choice.castState();
        const device = nameOf(store.state, choice.slug);
        const isOff = state === 'available' && choice.slug !== null && !isOnline(store.state.devices.get(choice.slug));
        setAttribute(this, 'state', state);
        setIcon(this.button, state === 'connected' ? 'cast-connected' : 'cast');
        setLabel(this.button, isOff ? t('cast.off', { device }) : t(`cast.${state}`, { device }));
    }
}
customElements.define('cast-button', CastButton);
