import { choice, settings, store } from './app.js';
import { open } from './dialog.js';
import { h } from './dom.js';
import { ExpandedController } from './expanded-controller.js';
import { hasMedia } from './devices.js';
import { watchLink } from './link-banner.js';
import { MiniController } from './mini-controller.js';
import { installNotices } from './notices.js';
import { start } from './start.js';

/* The mini controller alone, for a wall panel or a frame. The fragment may name the device and a token: `#device=kitchen&token=…`. */

const main = /** @type {HTMLElement} */ (document.getElementById('main'));
installNotices(document.body);
watchLink(/** @type {HTMLElement} */ (document.getElementById('banner')));
document.addEventListener('expand', () => {
    const slug = choice.controlled();
    if (slug !== null && hasMedia(store.state.devices.get(slug)?.state)) open(new ExpandedController(slug));
});

void start(main, () => {
    const mini = new MiniController();
    mini.permanent = true;
    main.append(h('h1', { class: 'visually-hidden' }, settings.title), mini);
    document.title = settings.title;
});
