import { watchLink } from './cast/link-banner.js';
import { open } from './elements/dialog.js';
import { h } from './elements/dom.js';
import { installNotices } from './elements/notices.js';
import { ExpandedController } from './player/expanded-controller.js';
import { MiniController } from './player/mini-controller.js';
import { start } from './start.js';
import { choice, settings } from './state/app.js';

/* The mini controller alone, for a wall panel or a frame. The fragment may name the device and a token: `#device=kitchen&token=…`. */

// It shows what plays anywhere, unless its address names a device.
choice.showAll();
const main = /** @type {HTMLElement} */ (document.getElementById('main'));
installNotices(document.body);
watchLink(/** @type {HTMLElement} */ (document.getElementById('banner')));
document.addEventListener('expand', () => open(new ExpandedController()));

void start(main, () => {
    const mini = new MiniController();
    mini.permanent = true;
    main.append(h('h1', { class: 'visually-hidden' }, settings.title), mini);
    document.title = settings.title;
});
