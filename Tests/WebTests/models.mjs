// Tests of the page's pure modules, without a browser: node models.mjs FOLDER-OF-THE-PAGE TOPICS.md
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, rmSync, writeFileSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

const page = process.argv[2];
// Node.js takes files with the ending js for modules only where a package says so.
const copy = mkdtempSync(join(tmpdir(), 'page-'));
process.on('exit', () => rmSync(copy, { recursive: true, force: true }));
cpSync(page, copy, { recursive: true });
writeFileSync(join(copy, 'package.json'), '{"type":"module"}');
const load = (name) => import(pathToFileURL(join(copy, name)).href);

let count = 0;
const test = async (name, body) => {
    count += 1;
    try {
        await body();
    } catch (error) {
        console.error(`FAILED ${name}\n${error.stack}`);
        process.exitCode = 1;
    }
};

const at = '2026-11-21T14:00:00.000Z';
const start = Date.parse(at);
const state = (media = {}, more = {}) => ({
    player: 'playing', volume: {}, queue: {}, tracks: {}, can: [], group: { role: 'none', id: null, name: null },
    app: { id: 'CC1AD845', name: 'Default Media Receiver', source: null, status_text: null, idle_screen: false },
    ad: { playing: false, skippable: false, skippable_at: null },
    media: { position: 10, position_at: at, rate: 1, duration: 100, live: false, ends_at: '2026-11-21T14:01:30.000Z', ...media }, ...more,
});

const position = await load('state/position.js');
await test('the position follows the anchor', () => {
    for (const [media, more, seconds, expected] of [
        [{}, {}, 5, 15], [{ rate: 2 }, {}, 5, 20], [{ rate: 0.5 }, {}, 10, 15], [{ rate: null }, {}, 5, 15],
        [{}, { player: 'paused' }, 5, 10], [{}, { player: 'buffering' }, 5, 10], [{}, {}, 500, 100], [{ duration: null }, {}, 500, 510],
        [{ position: null }, {}, 5, null], [{ position_at: null }, {}, 5, 10], [{ position: 1 }, {}, -20, 0],
        [{ ends_at: null }, { ad: { playing: true } }, 5, 10], [{}, { ad: { playing: true } }, 5, 15],
    ]) assert.equal(position.positionAt(state(media, more), start + seconds * 1000), expected, JSON.stringify([media, more, seconds]));
});
await test('the live range moves as its document says', () => {
    const live = state({ live: true, duration: null });
    for (const [range, seconds, expected] of [
        [{ start: 0, end: 100, moving: false, done: false }, 10, { start: 0, end: 110 }],
        [{ start: 5, end: 100, moving: true, done: false }, 10, { start: 15, end: 110 }],
        [{ start: 0, end: 100, moving: true, done: true }, 10, { start: 0, end: 100 }],
        [{ start: 0, end: 0, moving: false, done: true }, 10, null], [null, 10, null],
    ]) assert.deepEqual(position.seekableRange(live, { live_range: range }, start + seconds * 1000), expected);
    assert.deepEqual(position.seekableRange(state(), undefined, start), { start: 0, end: 100 });
    assert.equal(position.seekableRange(state({ duration: null }), undefined, start), null);
});
await test('a fraction stays between 0 and 1', () => {
    const range = { start: 10, end: 20 };
    for (const [value, expected] of [[15, 0.5], [0, 0], [99, 1], [null, 0]]) assert.equal(position.fraction(value, range), expected);
    assert.equal(position.fraction(5, null), 0);
});
await test('an ad shows when it can be skipped', () => {
    const until = (ad, seconds) => position.secondsUntilSkippable({ playing: true, skippable: false, skippable_at: at, ...ad }, start - seconds * 1000);
    assert.equal(until({}, 4.2), 5);
    assert.equal(until({}, -1), 0);
    assert.equal(until({ skippable: true }, 4), 0);
    assert.equal(until({ skippable_at: null }, 4), null);
    assert.equal(until({ playing: false }, 4), null);
});
await test('the clock is off by the smallest of the last differences', () => {
    const clock = new position.ClockEstimate(3);
    assert.equal(clock.remote(1000), 1000);
    for (const late of [50, 20, 90]) clock.add(0, 5000 + late);
    assert.equal(clock.remote(5020), 0);
    clock.add(NaN, 0);
    for (const late of [90, 80, 70]) clock.add(0, 5000 + late);
    assert.equal(clock.skew, 5070);
});

const store = await load('state/store.js');
await test('a snapshot replaces, changes patch, null removes', () => {
    const first = store.reduce(store.emptyState(), { type: 'snapshot', id: 'a-1', documents: { 'bridge/state': 'online', 'tv/state': { player: 'idle' }, 'tv/media': {} } });
    assert.deepEqual([...first.changed].sort(), ['bridge/state', 'tv']);
    assert.equal(first.state.devices.get('tv').state.player, 'idle');
    const second = store.reduce(first.state, { type: 'changes', id: 'a-2', documents: { 'tv/state': { player: 'playing' }, 'tv/media': null, 'radio/state': {} } });
    assert.deepEqual([...second.changed].sort(), ['radio', 'tv']);
    assert.deepEqual(second.state.devices.get('tv'), { state: { player: 'playing' } });
    assert.equal(first.state.devices.get('tv').state.player, 'idle', 'the former state stays');
    assert.equal(second.state.bridge, first.state.bridge, 'unchanged parts are shared');
    assert.equal(second.state.id, 'a-2');
    const gone = store.reduce(second.state, { type: 'changes', id: 'a-3', documents: { 'tv/state': null, 'bridge/state': null } });
    assert.equal(gone.state.devices.has('tv'), false);
    assert.deepEqual(gone.state.bridge, {});
    const third = store.reduce(second.state, { type: 'snapshot', id: 'b-1', documents: { 'radio/state': {} } });
    assert.equal(third.state.devices.has('tv'), false);
    assert.ok(third.changed.has('tv') && third.changed.has('bridge/state'));
});
await test('the link and events change no document', () => {
    const empty = store.emptyState();
    assert.deepEqual([...store.reduce(empty, { type: 'link', link: 'live' }).changed], ['link']);
    assert.equal(store.reduce(empty, { type: 'link', link: 'connecting' }).changed.size, 0);
    assert.equal(store.reduce(empty, { type: 'event', topic: 'tv/event', payload: {} }).state, empty);
});

const { EventStreamParser } = await load('state/event-stream.js');
await test('an event stream is read the same however it is cut', () => {
    const text = ': hello\nevent: snapshot\nid: a-1\ndata: {"x":\ndata: 1}\n\ndata:two\r\n\r\nevent: hb\ndata: {}\n\nevent: lost\n\nid: z\n\n';
    const expected = [{ name: 'snapshot', data: '{"x":\n1}', id: 'a-1' }, { name: 'message', data: 'two', id: null }, { name: 'hb', data: '{}', id: null }];
    for (let cut = 0; cut <= text.length; cut += 1) {
        const events = [];
        const parser = new EventStreamParser((event) => events.push(event));
        parser.feed(text.slice(0, cut));
        parser.feed(text.slice(cut));
        assert.deepEqual(events, expected, `cut at ${cut}`);
    }
});

await test('the boot of an id is all before the sequence', () => {
    for (const [id, expected] of [['5f0c-12', '5f0c'], ['a-b-3', 'a-b'], ['7', '']]) assert.equal(store.bootOf(id), expected);
});
await test('changes that come first after the stream was opened do not set the clock', () => {
    const clock = new store.Store();
    const shown = (age, count = 1) => {
        const ts = new Date(Date.now() - age).toISOString();
        clock.handle({ type: 'changes', id: '1', documents: Object.fromEntries(Array.from({ length: count }, (_, n) => [`d${n}/state`, { ts }])) });
    };
    const skew = () => Math.round(clock.clock.skew / 1_000);
    clock.handle({ type: 'link', link: 'live' });
    shown(600_000);
    assert.equal(skew(), 0);
    shown(5_000);
    assert.equal(skew(), 5);
    clock.handle({ type: 'link', link: 'live' });
    shown(600_000, 30);
    assert.equal(skew(), 5);
});

const devices = await load('state/devices.js');
const listed = (slug, name) => ({ slug, name, type: 'cast' });
const fleet = (documents) => ({
    ...store.emptyState(), bridge: { devices: [listed('b', 'Zoo 10'), listed('a', 'zoo 9'), listed('c', 'Attic')] }, devices: new Map(Object.entries(documents)),
});
const device = (player, phase = 'none', availability = 'online') => ({ availability, state: state({}, { player }), app: { session: { phase } } });
await test('devices are sorted as people sort', () => {
    assert.deepEqual(devices.listedDevices(fleet({})).map(({ name }) => name), ['Attic', 'zoo 9', 'Zoo 10']);
});
await test('the list of devices is sorted once for each change', () => {
    const one = fleet({});
    assert.equal(devices.listedDevices(one), devices.listedDevices({ ...one, link: 'live' }));
    assert.notEqual(devices.listedDevices(one), devices.listedDevices(fleet({})));
    assert.deepEqual(devices.listedDevices(store.emptyState()), []);
});
const rooms = await load('state/room.js');
await test('a page that chose nothing shows a connected device that plays, one that plays, one that is paused', () => {
    for (const [documents, expected] of [
        [{ a: device('paused'), b: device('playing') }, 'b'], [{ a: device('paused', 'connected'), b: device('playing') }, 'a'], [{ a: device('paused') }, 'a'],
        [{ a: device('idle', 'connected') }, null], [{ a: device('playing', 'none', 'offline') }, null], [{}, null],
        [{ a: { ...device('playing'), state: state({}, { group: { role: 'member', id: 'g' } }) } }, null],
    ]) assert.equal(rooms.followRoom(rooms.noRoom, fleet(documents), 0).slug, expected, JSON.stringify(documents));
});
await test('the shown device stays while it is paused, offline or between two items, and a chosen one until what it played has ended', () => {
    const bare = (player, id) => ({ ...device(player), state: state({}, { player, app: { id, idle_screen: false } }) });
    const shown = { slug: 'a', isChosen: false, isActive: true, endedAt: null };
    const chosen = { ...shown, isChosen: true };
    for (const [room, own, seconds, expected, active] of [
        [shown, device('paused'), 99, 'a', true], [shown, device('unknown', 'none', 'offline'), 99, 'a', true],
        [shown, device('idle'), 9, 'a', true], [shown, device('idle'), 11, 'b', true], [chosen, device('idle'), 9, 'a', true],
        // Its application waits for what comes next; without one it has ended.
        [chosen, device('idle'), 11, 'a', false], [chosen, bare('idle', null), 11, 'b', true], [chosen, device('unknown', 'none', 'offline'), 99, 'a', true],
        // Chosen to play something: nothing has ended there.
        [rooms.chosenRoom('a'), bare('idle', null), 99, 'a', false], [rooms.chosenRoom('a'), device('playing'), 0, 'a', true],
        [rooms.rememberedRoom('a'), bare('idle', null), 0, 'b', true], [rooms.rememberedRoom('a'), device('unknown', 'none', 'offline'), 0, 'a', false],
        [rooms.chosenRoom('none-such'), device('idle'), 0, 'b', true],
    ]) {
        const home = fleet({ a: own, b: device('playing') });
        const first = rooms.followRoom(room, home, 1_000_000);
        const after = rooms.followRoom(first, home, 1_000_000 + seconds * 1000);
        assert.deepEqual([after.slug, after.isActive], [expected, active], JSON.stringify([room, own, seconds]));
        assert.equal(rooms.followRoom(after, home, 1_000_000 + seconds * 1000), after, 'the same object without a change');
    }
    assert.deepEqual(rooms.followRoom(shown, fleet({ a: device('idle') }), 1).slug, 'a');
    assert.equal(rooms.followRoom({ ...shown, endedAt: 1 }, fleet({ a: device('idle') }), 20_000), rooms.noRoom, 'nothing plays any more');
    for (const room of [rooms.chosenRoom('a'), rooms.rememberedRoom('a')]) assert.equal(rooms.followRoom(room, store.emptyState(), 0), room, 'before the list has come');
    assert.equal(rooms.followRoom(rooms.rememberedRoom('a'), fleet({}), 0).slug, 'a', 'before its documents have come');
});
await test('whatever ten devices do, the shown one changes by a choice or after its end alone', () => {
    let seed = 7;
    const random = (count) => (seed = (seed * 48_271) % 2_147_483_647) % count;
    const names = Array.from({ length: 10 }, (_, index) => `d${index}`);
    const home = { ...store.emptyState(), bridge: { devices: names.map((name) => listed(name, name)) }, devices: new Map() };
    let [room, now, ends] = [rooms.noRoom, 0, null];
    for (let step = 0; step < 20_000; step += 1) {
        const before = room;
        now += random(8_000);
        let chooses = false;
        if (random(12) === 0) {
            chooses = true;
            room = rooms.chosenRoom(names[random(10)]);
        } else {
            home.devices.set(names[random(10)], device(['playing', 'paused', 'idle', 'buffering', 'unknown'][random(5)], ['none', 'connected'][random(2)], ['online', 'online', 'offline'][random(3)]));
        }
        room = rooms.followRoom(room, home, now);
        const own = home.devices.get(before.slug);
        const over = !own || (own.availability === 'online' && !['playing', 'paused', 'buffering', 'loading'].includes(own.state.player));
        if (room.slug !== before.slug && !chooses && before.slug !== null) {
            assert.ok(over && !before.isChosen && now - ends >= rooms.patience, `step ${step}: ${before.slug} became ${room.slug}`);
        }
        if (!over || room.slug !== before.slug) ends = null;
        else ends ??= now;
    }
});
const { fitsSearch } = await load('cast/search-model.js');
await test('a search finds words in any order, and numbers by their beginning', () => {
    const names = ['Guest Room 3', 'Nest Audio', 'guest-room-3', null, 'Süd'];
    for (const [typed, expected] of [['guest 3', true], ['3 guest', true], ['GUEST', true], ['audio', true], ['sud', true], ['guest 4', false], ['kitchen', false], ['', true], ['  ', true], ['oom', true]]) {
        assert.equal(fitsSearch(typed, names), expected, typed);
    }
    assert.equal(fitsSearch('3', ['Guest Room 13']), false);
    assert.equal(fitsSearch('1', ['Guest Room 13']), true);
});
const slots = await load('player/slots-model.js');
await test('the buttons follow the kind of media, and none of them is dead', () => {
    const playing = (kind, can, length = 1) => ({ ...state({ kind }, { can }), queue: { length } });
    for (const [given, tracks, mini, expanded] of [
        [playing('movie', ['seek', 'pause']), true, 'rewind_30,play_pause,forward_30', 'closed_captions,rewind_30,forward_30,none'],
        [playing('movie', ['seek']), false, 'rewind_30,play_pause,forward_30', 'none,rewind_30,forward_30,none'],
        [playing('music', ['seek', 'next', 'previous'], 5), false, 'skip_previous,play_pause,skip_next', 'none,skip_previous,skip_next,none'],
        // The last one of a queue.
        [playing('music', ['seek'], 5), true, 'skip_previous,play_pause,skip_next', 'closed_captions,skip_previous,skip_next,none'],
        [playing('tv_show', ['seek', 'next'], 3), true, 'skip_previous,play_pause,skip_next', 'rewind_30,skip_previous,skip_next,forward_30'],
        [playing('music', ['seek']), false, 'none,play_pause,none', 'none,rewind_30,forward_30,none'],
        [playing('generic', []), false, 'none,play_pause,none', 'none,none,none,none'], [undefined, false, 'none,play_pause,none', 'none,none,none,none'],
    ]) {
        const found = slots.slotsOf(given, tracks);
        assert.deepEqual([found.mini.join(), found.expanded.join()], [mini, expanded], JSON.stringify(given));
    }
    assert.equal(slots.followsMedia('mini', ['none', 'play_pause', 'none']), true);
    assert.equal(slots.followsMedia('mini', ['none', 'play_pause', 'mute']), false);
});
await test('connecting joins what runs, launches where nothing plays, and goes to the group that plays', () => {
    const grouped = { state: state({}, { player: 'playing', busy: true, group: { role: 'member', id: 'g', name: 'All' }, app: { id: null, idle_screen: false } }) };
    const runs = (busy, id = 'CC1AD845', idle = false) => ({ state: state({}, { player: busy ? 'playing' : 'idle', busy, app: { id, idle_screen: idle } }) });
    const home = (documents) => ({ ...fleet(documents), bridge: { devices: [listed('m', 'Kitchen'), { ...listed('all', 'All'), id: 'g' }] } });
    for (const [documents, expected] of [
        [{ m: runs(false) }, { slug: 'm', command: 'cmd/join' }], [{ m: runs(false, null) }, { slug: 'm', command: 'cmd/launch' }],
        [{ m: runs(false, 'E8C28D3C', true) }, { slug: 'm', command: 'cmd/launch' }], [{ m: runs(true, null) }, { slug: 'm', command: null }],
        [{ m: grouped, all: runs(true) }, { slug: 'all', command: 'cmd/join' }], [{ m: grouped }, { slug: 'all', command: 'cmd/launch' }],
        [{ m: { state: { ...grouped.state, group: { role: 'member', id: 'unknown', name: 'X' } } } }, { slug: 'm', command: null }],
        [{}, { slug: 'm', command: 'cmd/launch' }],
    ]) assert.deepEqual(devices.connection(home(documents), 'm'), expected, JSON.stringify(documents));
});
await test('the play button plays, pauses, and stops a live stream that can\'t be paused', () => {
    const media = (player, can = ['pause'], live = false) => state({ live }, { player, can });
    for (const [given, command, usable] of [
        [undefined, 'cmd/play', false], [media('idle'), 'cmd/play', false], [media('paused'), 'cmd/play', true], [media('playing'), 'cmd/pause', true],
        [media('playing', []), 'cmd/pause', false], [media('loading'), 'cmd/pause', false], [media('buffering'), 'cmd/pause', true],
        [media('playing', ['pause'], true), 'cmd/pause', true], [media('playing', [], true), 'cmd/stop', true], [media('loading', [], true), 'cmd/stop', true], [media('paused', [], true), 'cmd/play', true],
    ]) {
        const action = devices.playAction(given);
        assert.deepEqual([action.command, action.usable], [command, usable], JSON.stringify(given));
    }
    assert.equal(devices.canSeek(state({}, { can: ['seek'] })), true);
    assert.equal(devices.canSeek(state({}, { can: ['seek'], ad: { playing: true } })), false);
    assert.equal(devices.canSeek(state({}, { can: [] })), false);
    assert.equal(devices.canSeek(undefined), false);
});
await test('the Cast button has four states', () => {
    for (const [documents, chosen, pending, expected] of [
        [{}, null, false, 'none'], [{ a: device('idle', 'none', 'offline') }, null, false, 'none'], [{ a: device('idle') }, 'a', false, 'available'],
        [{ a: device('idle') }, 'a', true, 'connecting'], [{ a: device('idle', 'connecting') }, 'a', false, 'connecting'],
        [{ a: device('idle', 'resuming') }, 'a', false, 'connecting'], [{ a: device('idle', 'connected') }, 'a', false, 'connected'],
        [{ a: device('idle'), b: device('idle', 'connected') }, 'a', false, 'available'],
    ]) assert.equal(devices.castState(fleet(documents), chosen, pending), expected);
});
await test('the six kinds of media are described', () => {
    const media = { title: 'T', kind: null, artist: null, album: null, subtitle: null, series: null, season: null, episode: null, content_id: null };
    for (const [own, metadata, title, lines] of [
        [{ kind: 'generic', subtitle: 'S' }, {}, 'T', ['S']],
        [{ kind: 'movie', subtitle: 'S' }, { studio: 'U' }, 'T', ['S', 'U']],
        [{ kind: 'tv_show', series: 'R', season: 2, episode: 5 }, {}, 'T', ['R', 'S2 E5']],
        [{ kind: 'music', artist: 'A', album: 'B' }, {}, 'T', ['A', 'B']],
        [{ kind: 'music' }, { album_artist: 'C' }, 'T', ['C']],
        [{ kind: 'photo', artist: 'A' }, { location: 'L' }, 'T', ['A', 'L']],
        [{ kind: 'audiobook_chapter' }, { book_title: 'K', chapter_title: 'T' }, 'T', ['K']],
        [{ title: null, content_id: 'http://x/a%20film.mp4?x=1' }, {}, 'a film.mp4', []],
        [{ title: null, content_id: 'http://x/%zz' }, {}, '%zz', []],
        [{ title: null }, {}, 'Default Media Receiver', []],
    ]) assert.deepEqual(devices.describe(state({ ...media, ...own }), { metadata }), { title, lines });
});

const { metadataFacts } = await load('player/metadata-facts.js');
await test('every member of the six kinds of metadata is shown once', () => {
    const rows = (media, shown = []) => metadataFacts(media, shown, (time) => `on ${time}`).map(({ name, value }) => [name, value]);
    for (const [metadata, expected] of [
        [{ release_date: '2024-03-01' }, [['release_date', 'on 2024-03-01']]],
        [{ studio: 'U', release_date: '2024' }, [['studio', 'U'], ['release_date', 'on 2024']]],
        [{ original_air_date: '2024-03-01' }, [['original_air_date', 'on 2024-03-01']]],
        [{ album_artist: 'C', composer: 'D', track_number: 3, disc_number: 1 },
            [['album_artist', 'C'], ['composer', 'D'], ['track_number', '3'], ['disc_number', '1']]],
        [{ location: 'L', latitude: 48.2, longitude: 0, width: 4000, height: 3000, creation_date_time: '2024-03-01T10:00:00Z' },
            [['location', 'L'], ['coordinates', '48.2, 0'], ['dimensions', '4000 × 3000'], ['creation_date_time', 'on 2024-03-01T10:00:00Z']]],
        [{ book_title: 'K', chapter_title: 'H', chapter_number: 4, content_rating: '12' },
            [['book_title', 'K'], ['chapter_title', 'H'], ['chapter_number', '4'], ['content_rating', '12']]],
        [{ latitude: 48.2, width: 10, custom: { a: 1 }, studio: '' }, []],
    ]) assert.deepEqual(rows({ metadata }), expected);
    assert.deepEqual(rows({ artist: 'A', album: 'B', metadata: { composer: 'A', studio: 'U' } }, ['T', 'A']), [['album', 'B'], ['studio', 'U']]);
    assert.deepEqual(rows(undefined), []);
});

const { cueStyle, edges, families } = await load('player/cue-style.js');
await test('the preview shows every property of a text style', () => {
    for (const [style, part, property, expected] of [
        [{}, 'cue', 'color', '#FFFFFF'], [{ foreground_color: '#FF000080' }, 'cue', 'color', '#FF000080'],
        [{ background_color: '#00FF00FF' }, 'cue', 'background-color', '#00FF00FF'], [{ font_scale: 1.5 }, 'cue', 'font-size', '1.7999999999999998rem'],
        [{ font_generic_family: 'serif' }, 'cue', 'font-family', 'serif'], [{ font_generic_family: 'unknown' }, 'cue', 'font-family', 'sans-serif'],
        [{ font_family: 'Droid Sans', font_generic_family: 'cursive' }, 'cue', 'font-family', '"Droid Sans", cursive'],
        [{ font_family: 'x"; color: red\\' }, 'cue', 'font-family', '"x; color: red", sans-serif'],
        [{ font_generic_family: 'small_capitals' }, 'cue', 'font-variant', 'small-caps'],
        [{ font_style: 'bold_italic' }, 'cue', 'font-weight', '700'], [{ font_style: 'bold_italic' }, 'cue', 'font-style', 'italic'],
        [{ font_style: 'italic' }, 'cue', 'font-weight', '400'], [{ edge_color: '#0000FFFF' }, 'cue', 'text-shadow', 'none'],
        [{ edge_type: 'drop_shadow', edge_color: '#0000FF80' }, 'cue', 'text-shadow', '2px 2px 3px #0000FF80'],
        [{ window_color: '#0000FFFF' }, 'window', 'background-color', 'transparent'],
        [{ window_type: 'normal', window_color: '#0000FFFF', window_rounded_corner_radius: 4 }, 'window', 'background-color', '#0000FFFF'],
        [{ window_type: 'normal', window_rounded_corner_radius: 4 }, 'window', 'border-radius', '0'],
        [{ window_type: 'rounded_corners', window_rounded_corner_radius: 4 }, 'window', 'border-radius', '4px'],
        [{ window_type: 'rounded_corners' }, 'window', 'border-radius', '8px'],
    ]) assert.equal(cueStyle(style)[part][property], expected, JSON.stringify(style));
    assert.equal(new Set(edges.map((type) => cueStyle({ edge_type: type }).cue['text-shadow'])).size, 5);
    assert.equal(families.length, 7);
});

const queue = await load('queue/queue-model.js');
await test('only the visible rows of a long list are made', () => {
    assert.deepEqual(queue.visibleRows(-200, 800, 64, 10_000), { first: 0, end: 16 });
    assert.deepEqual(queue.visibleRows(320_000, 800, 64, 10_000), { first: 4994, end: 5019 });
    assert.deepEqual(queue.visibleRows(639_500, 800, 64, 10_000, 0), { first: 9992, end: 10_000 });
    assert.deepEqual(queue.visibleRows(5_000, 800, 64, 3), { first: 2, end: 3 });
    assert.deepEqual(queue.visibleRows(0, 800, 64, 0), { first: 0, end: 0 });
});
await test('rows with the focus or under a finger stay, in order', () => {
    assert.deepEqual(queue.rowsToShow({ first: 3, end: 6 }, [-1, 1, 4, 9]), [1, 3, 4, 5, 9]);
    assert.deepEqual(queue.rowsToShow({ first: 0, end: 0 }, [-1, -1]), []);
});

const { QueueList } = await load('queue/queue-list.js');
const item = (id) => ({ item: id, title: `T${id}` });
const document_ = (ids, more = {}) => ({ complete: false, length: null, items: ids.map(item), ...more });
const queueList = (count) => {
    const list = new QueueList();
    list.takeOrder(Array.from({ length: count }, (_, index) => index + 1));
    return list;
};
await test('a queue is read: first its order, then the items in view, each once', () => {
    const list = new QueueList();
    assert.equal(list.nextPage({ first: 0, end: 16 }), null);
    list.takeDocument(document_([8, 9, 10], { length: 200 }));
    assert.deepEqual([list.order, list.whole, list.lastTarget], [[8, 9, 10], false, 1]);
    const first = list.nextPage({ first: 0, end: 16 });
    assert.deepEqual(first, { ids: true, from: 0, count: 0 });
    list.takePage(first, { items: [], length: 200, ids: Array.from({ length: 200 }, (_, index) => index + 1) });
    assert.deepEqual([list.length, list.whole, list.lastTarget, list.at(8).title, list.at(3).unread, list.indexOf(200)], [200, true, 199, 'T9', true, 199]);
    // Two of those in view are known; of the page that is read then, the receiver knows all but one.
    assert.deepEqual(list.nextPage({ first: 7, end: 23 }), { from: 10, count: 60 });
    list.takePage({ from: 10, count: 60 }, { items: Array.from({ length: 60 }, (_, index) => item(index + 11)).filter(({ item }) => item !== 20), length: 200 });
    assert.deepEqual([list.stale, list.nextPage({ first: 7, end: 70 }), list.nextPage({ first: 7, end: 71 })], [false, null, { from: 70, count: 60 }]);
    assert.equal(list.at(19).unread, true);
});
await test('the order is read again when it is no longer right, and what is known of items stays', () => {
    for (const [change, stale] of [
        [(list) => list.takeDocument(document_([2, 3], { length: 5 })), false], [(list) => list.takeDocument(document_([2, 4], { length: 5 })), true],
        [(list) => list.takeDocument(document_([2, 3], { length: 6 })), true], [(list) => list.takeDocument(document_([9], { length: 5 })), true],
        [(list) => list.takeDocument(document_([4, 5, 6], { length: null })), true],
        [(list) => list.takePage({ from: 3, count: 9 }, { items: [item(4), item(5)], length: 5 }), false],
        [(list) => list.takePage({ from: 3, count: 9 }, { items: [item(4)], length: 4 }), true],
        [(list) => list.takePage({ from: 3, count: 1 }, { items: [item(7)], length: 5 }), true],
        [(list) => list.takeDocument(document_([1, 7], { complete: true })), false],
    ]) {
        const list = queueList(5);
        list.takePage({ from: 0, count: 1 }, { items: [item(1)], length: 5 });
        change(list);
        assert.deepEqual([list.stale, list.at(0).title], [stale, 'T1'], String(change));
        assert.deepEqual(list.nextPage({ first: 0, end: 1 }), stale ? { ids: true, from: 0, count: 0 } : null);
    }
    const list = queueList(3);
    list.takeDocument(document_([9], { length: 5 }));
    assert.deepEqual(list.nextPage({ first: 1, end: 3 }), { ids: true, from: 1, count: 60 });
});
await test('a document that was under way does not undo what was changed here, and any other one counts', () => {
    const list = queueList(4);
    const take = (...ids) => (list.takeDocument(document_(ids, { complete: true })), list.order);
    list.move(3, 1);
    assert.deepEqual(take(1, 2, 3, 4), [1, 4, 2, 3]);
    list.remove(2);
    assert.deepEqual([take(1, 2, 3, 4), take(1, 4, 2, 3)], [[1, 4, 3], [1, 4, 3]]);
    assert.deepEqual([take(1, 4, 3), take(1, 2, 3, 4)], [[1, 4, 3], [1, 2, 3, 4]]);
    list.move(0, 3);
    assert.deepEqual(take(4, 3, 2), [4, 3, 2]);
});
await test('a move names the neighbour, and the end only where it is known', () => {
    for (const [from, to, order, payload] of [
        [0, 2, [2, 3, 1, 4], { item: 1, before: 4 }], [3, 0, [4, 1, 2, 3], { item: 4, before: 1 }], [1, 3, [1, 3, 4, 2], { item: 2, at: 'end' }],
    ]) {
        const list = queueList(4);
        list.move(from, to);
        assert.deepEqual([list.order, list.movePayload(to), list.lastTarget], [order, payload, 3]);
    }
    const list = queueList(3);
    list.remove(2);
    assert.deepEqual(list.order, [1, 3]);
});

const load_ = await load('play/load-model.js');
await test('addresses are read from what is pasted or dropped', () => {
    assert.deepEqual(load_.readAddresses(' http://a/b.mp4 \r\n# name\n\nftp://x\njavascript:alert(1)\nhttps://c d\nhttps://ok'),
        { addresses: ['http://a/b.mp4', 'https://ok'], wrong: ['ftp://x', 'javascript:alert(1)', 'https://c d'] });
    for (const text of ['', '#', 'http://a/b.vtt']) assert.deepEqual(load_.readAddresses(text).addresses, [], text);
});
await test('dropped subtitles join the addresses, all else takes their place', () => {
    for (const [present, dropped, expected] of [
        ['http://a/1.mp4', 'http://a/1.vtt', 'http://a/1.mp4\nhttp://a/1.vtt'], ['http://a/1.mp4', 'http://a/2.mp4\r\nhttp://a/2.vtt', 'http://a/2.mp4\nhttp://a/2.vtt'],
        ['', 'http://a/1.VTT?x#y', 'http://a/1.VTT?x#y'], ['http://a/1.mp4', 'ftp://x', ''],
    ]) assert.equal(load_.afterDrop(present, dropped), expected);
});
await test('a title is guessed from the name of a file', () => {
    for (const [address, title] of [
        ['http://a/Big%20Buck%20Bunny.mp4?x=1', 'Big Buck Bunny'], ['http://a/big_buck.bunny-720p.webm', 'big buck bunny'], ['http://a/Satie_-_Gymnopedie.mp3', 'Satie – Gymnopedie'],
        ['http://a/Some.Film.2019.1080p.BluRay.x264-GROUP.mkv', 'Some Film 2019'], ['http://a/Film%20(1080p).mp4', 'Film'], ['http://a/%5BGroup%5D%20Film%20-%2003%20%5B720p%5D.mkv', 'Film - 03'],
        ['http://a/Satie%20-%20Gymnop%C3%A9die%20No.%201.flac', 'Satie - Gymnopédie No. 1'], ['http://a/%zz.mp4', '%zz'], ['http://a/1080p.mp4', '1080p'],
        ['http://a/b/master.m3u8', ''], ['http://a/', ''], ['http://film.example.com', ''], ['http://a/---.mp4', ''], ['http://a/H264.Explained.mp4', 'H264 Explained'],
    ]) assert.equal(load_.guessTitle(address), title, address);
});
await test('the language of subtitles is guessed from their name', () => {
    for (const [address, code] of [
        ['http://a/film.en.vtt', 'en'], ['http://a/film_de.vtt?x=.fr.vtt', 'de'], ['http://a/film-pt_BR.vtt', 'pt-BR'], ['http://a/film.ger.vtt', 'de'], ['http://a/film.vtt', null],
        ['http://a/en.vtt', null], ['http://a/my.film.ok.vtt', null], ['http://a/film.sub.vtt', null], ['http://a/film.new.vtt', null], ['http://a/film.zh-Hant.vtt', 'zh-Hant'], ['http://a/film.my-film.vtt', null], ['http://a/film.my-sub.vtt', null],
    ]) assert.equal(load_.guessLanguage(address), code, address);
});
await test('subtitles find their medium by its name, else by their place', () => {
    for (const [addresses, expected] of [
        ['a.mp4 a.en.vtt', { 'a.mp4': ['a.en.vtt'] }], ['a.en.vtt a.de.vtt a.mp4', { 'a.mp4': ['a.en.vtt', 'a.de.vtt'] }], ['a.mp4 other.vtt', { 'a.mp4': ['other.vtt'] }],
        ['a.mp4 b.mp4 b.vtt a_fr.vtt', { 'a.mp4': ['a_fr.vtt'], 'b.mp4': ['b.vtt'] }], ['a.mp4 a-2.mp4 a-2.en.vtt', { 'a.mp4': [], 'a-2.mp4': ['a-2.en.vtt'] }],
        ['a.mp4 ab.mp4 ab.vtt', { 'a.mp4': [], 'ab.mp4': ['ab.vtt'] }], ['a.mp4 b.mp4 x.vtt', { 'a.mp4': [], 'b.mp4': ['x.vtt'] }], ['x.vtt a.mp4 b.mp4', { 'a.mp4': ['x.vtt'], 'b.mp4': [] }],
        ['x.vtt', {}],
    ]) assert.deepEqual(Object.fromEntries(load_.pairSubtitles(addresses.split(' ').map((name) => `http://a/${name}`)).map(({ url, subtitles }) => [url.slice(9), subtitles.map((one) => one.slice(9))])), expected, addresses);
});

await test('title and subtitles belong to one address, and a check takes what it checks', () => {
    const fields = { ...load_.noFields, title: 'T', artist: 'A', kind: 'movie', image: 'http://a/1.jpg', subtitles: ['http://a/s.vtt'], subtitlesName: 'Subtitles', language: 'de', live: true, position: '1:00' };
    const track = (id, url, more) => ({ id, type: 'text', subtype: 'subtitles', url, ...more });
    const tracks = [track(1, 'http://a/s.vtt', { name: 'Subtitles' })];
    const first = { url: 'http://a/1.mp4', title: 'T', artist: 'A', metadata: { type: 'movie' }, image: 'http://a/1.jpg', stream: 'live', tracks, active_tracks: [1] };
    const second = { url: 'http://a/2.mp4', title: '2', stream: 'live' };
    const bare = { ...fields, artist: '', kind: '', image: '', title: '', subtitles: [], live: false, position: '' };
    const guesses = { ...load_.noFields, language: 'de' };
    const one = ['http://a/1.mp4'], two = ['http://a/1.mp4', 'http://a/2.mp4'];
    const english = track(1, 'http://a/2.en.vtt', { name: 'Englisch', language: 'en' }), german = track(2, 'http://a/2.de-AT.vtt', { name: 'Österreichisches Deutsch', language: 'de-AT' });
    for (const [action, addresses, given, hasQueue, expected] of [
        ['check', one, fields, true, ['cmd/check', { url: 'http://a/1.mp4', tracks }]],
        ['check', one, bare, false, ['cmd/check', { url: 'http://a/1.mp4' }]],
        ['play', one, fields, true, ['cmd/load', { ...first, position: '1:00' }]],
        ['play', two, fields, true, ['cmd/queue_load', { items: [first, second], position: '1:00' }]],
        // Of the first address counts what is in the fields; of the others, what is in the list.
        ['play', [...two, 'http://a/2.en.vtt', 'http://a/2.de-AT.vtt', 'http://a/1.vtt'], fields, true,
            ['cmd/queue_load', { items: [first, { ...second, tracks: [english, german], active_tracks: [2] }], position: '1:00' }]],
        ['play', ['http://a/2.mp4', 'http://a/2.en.vtt', 'http://a/2.de-AT.vtt'], guesses, false, ['cmd/load', { url: 'http://a/2.mp4', title: '2', tracks: [english, german], active_tracks: [2] }]],
        ['play', ['http://a/2.mp4', 'http://a/2.en.vtt'], guesses, false, ['cmd/load', { url: 'http://a/2.mp4', title: '2', tracks: [english], active_tracks: [1] }]],
        ['play', ['http://a/2.mp4', 'http://a/2.en.vtt'], bare, false, ['cmd/load', { url: 'http://a/2.mp4' }]],
        ['enqueue', ['http://a/2.mp4'], bare, true, ['cmd/queue_insert', { items: [{ url: 'http://a/2.mp4' }], at: 'end' }]],
        ['enqueue', ['http://a/2.mp4'], bare, false, ['cmd/load', { url: 'http://a/2.mp4', enqueue: 'add' }]],
    ]) assert.deepEqual(load_.loadCommand(action, addresses, given, hasQueue), expected);
});

const { inRooms } = await load('cast/rooms-model.js');
await test('what plays comes first, then rooms, then the rest', () => {
    const rooms = { a: 'Room 10', b: 'Room 9', c: null, d: undefined, e: 'Room 9' };
    const devices = Object.keys(rooms).map((slug) => ({ slug }));
    const words = { rest: 'Others', compare: (one, other) => one.localeCompare(other, 'en', { numeric: true }) };
    const parts = (slugs, first) => inRooms(devices.filter(({ slug }) => slugs.includes(slug)), new Set(first), ({ slug }) => rooms[slug], words)
        .map(({ title, devices: own }) => [title, own.map(({ slug }) => slug).join('')]);
    assert.deepEqual(parts('abcde', ['b', 'c']), [[null, 'bc'], ['Room 9', 'e'], ['Room 10', 'a'], ['Others', 'd']]);
    assert.deepEqual(parts('cd', []), [[null, 'cd']], 'a house without rooms needs no titles');
    assert.deepEqual(parts('cd', ['c']), [[null, 'c'], ['Others', 'd']]);
    assert.deepEqual(parts('', []), []);
});

const media = await load('play/media-model.js');
await test('an entry is played by what its kind is known by', () => {
    for (const [entry, icon, command] of [
        [{ kind: 'preset', name: 'Radio One', image: null }, 'play', ['cmd/preset', { name: 'Radio One' }]],
        [{ kind: 'recent', name: 'Film', path: 'films/a.mp4', recent: 2 }, 'refresh', ['cmd/load', { recent: 2 }]],
        [{ kind: 'folder', name: 'songs', path: 'songs' }, 'folder', ['cmd/load', { file: 'songs' }]],
        [{ kind: 'file', name: 'a.mp3', path: 'songs/a.mp3', content_type: 'audio/mpeg' }, 'music', ['cmd/load', { file: 'songs/a.mp3' }]],
    ]) assert.deepEqual([media.iconOf(entry), media.playCommand(entry)], [icon, command]);
    assert.deepEqual([media.foldersAbove('films'), media.foldersAbove('films/a/b')], [[], ['films', 'films/a']]);
    const recent = (number, at) => media.keyOf({ kind: 'recent', name: 'Film', recent: number, at });
    assert.equal(recent(1, 'now'), recent(2, 'now'));
    assert.notEqual(recent(1, 'now'), recent(1, 'then'));
    const entry = (name, number, at) => ({ kind: 'recent', name, path: null, recent: number, at });
    const [wanted, other] = [entry('Film', 2, 'then'), entry('Song', 1, 'now')];
    for (const [entries, number] of [
        [[other, wanted], 2], [[entry('Song', 1, 'later'), entry('Film', 3, 'then')], 3], [[entry('Film', 1, 'later'), other], 1], [[other], null], [[], null],
        [[entry('Film', 1, 'later'), entry('Film', 2, 'now')], null], [[entry('Film', 1, 'later'), entry('Film', 2, 'then')], 2],
    ]) assert.equal(media.foundAgain(entries, wanted)?.recent ?? null, number, JSON.stringify(entries));
});

const { linkEventText, linkText } = await load('state/link-texts.js');
await test('the page says which connection is broken', () => {
    const health = (connected) => ({ mqtt: { connected } });
    for (const [link, bridge, expected] of [
        ['live', {}, null], ['live', { state: 'online', health: health(true) }, null], ['live', { state: 'online', health: health(false) }, 'link.broker'],
        ['live', { state: 'offline' }, 'link.broker'], ['lost', { health: health(false) }, 'link.lost'], ['polling', {}, 'link.polling'],
        ['polling', { health: health(false) }, 'link.broker'], ['connecting', {}, null],
    ]) assert.equal(linkText({ ...store.emptyState(), link, bridge }), expected, JSON.stringify([link, bridge]));
});

const { en } = await load('texts/en.js');
await test('every event of a link has a text, and every result of authentication a sentence', () => {
    const api = readFileSync(join(dirname(process.argv[3]), 'API.md'), 'utf8').split("### What happened to a device's connection")[1].split('\n## ')[0];
    const events = [...api.split('`event` is')[1].split('`code` is')[0].matchAll(/`(\w+)`/g)].map(([, word]) => word);
    assert.equal(events.length, 5);
    const topics = readFileSync(process.argv[3], 'utf8').split('- `authentication` is')[1].split('\n- ')[0];
    const results = [...topics.matchAll(/`(\w+)`/g)].map(([, word]) => word);
    assert.deepEqual(Object.keys(en).filter((key) => key.startsWith('authentication.')).sort(), results.map((word) => `authentication.${word}`).sort());
    for (const result of results) assert.match(en[`authentication.${result}`], /^[A-Z].*\.$/);
    const line = (event, code = null, count = 1) => linkEventText({ event, code, count, at, until: at });
    for (const event of events.filter((word) => word !== 'authenticated')) assert.ok(Object.hasOwn(en, `linkEvent.${event}`), event);
    assert.equal(line('lost', 'timeout'), 'Connection lost: no answer');
    assert.equal(line('lost', 'send_buffer_full'), 'Connection lost: send buffer full');
    assert.match(line('attempt_failed', 'network_error', 12), /^12 attempts to connect failed until .*: no connection$/);
    assert.equal(line('authenticated', 'genuine'), en['authentication.genuine']);
});

const { nothingFound } = await load('cast/nothing-found-model.js');
const { t: text } = await load('texts/texts.js');
await test('one is not many', () => {
    assert.deepEqual([text('queue.items', { count: '1' }), text('queue.items', { count: '2' }), text('log.count', { count: 1 })], ['1 item', '2 items', '1 line']);
});
await test('the page says why no device is there, by the newest that is known', () => {
    const early = '2026-11-21T14:00:00.000Z';
    const late = '2026-11-21T14:00:30.000Z';
    const said = (given) => Object.values(nothingFound({ isSearching: false, devices: 0, report: null, answer: null, ...given }));
    for (const [given, expected] of [
        [{}, ['nothing.searching', null, null]],
        [{ report: { cause: 'silence', ts: early } }, ['nothing.title', 'silence', 'silence']],
        [{ report: { cause: 'silence', ts: early }, isSearching: true }, ['nothing.searching', null, null]],
        [{ report: { cause: 'silence', ts: early }, answer: { cause: 'only_others', ts: late } }, ['nothing.title', 'only_others', 'only_others']],
        [{ report: { cause: 'silence', ts: late }, answer: { cause: 'only_others', ts: early } }, ['nothing.title', 'silence', 'silence']],
        [{ report: { cause: 'silence', ts: early }, answer: { cause: null, ts: late } }, ['nothing.searching', null, null]],
        [{ isLate: true }, ['nothing.title', 'none_yet', 'only_others']], [{ isLate: true, isSearching: true }, ['nothing.searching', null, null]],
        [{ isLate: true, report: { cause: 'silence', ts: early } }, ['nothing.title', 'silence', 'silence']],
        [{ devices: 3 }, ['nothing.off', null, 'off']],
        [{ devices: 3, report: { cause: 'only_others', ts: early } }, ['nothing.off', 'only_others', 'only_others']],
    ]) assert.deepEqual(said(given), expected, JSON.stringify(given));
});
await test('every cause of an empty list has its text and its remedy', () => {
    const source = readFileSync(join(process.argv[2], '../../CastSender/Discovery/DiscoveryHint.swift'), 'utf8');
    const cases = source.split('enum Cause')[1].split('{')[1].split('}')[0].replaceAll(/\bcase\b/g, ',').split(',');
    const causes = cases.map((one) => one.match(/"(\w+)"/)?.[1] ?? one.trim()).filter(Boolean);
    assert.equal(causes.length, 9, causes.join());
    const keysOf = (group) => Object.keys(en).filter((key) => key.startsWith(`${group}.`)).map((key) => key.slice(group.length + 1)).sort();
    // `none_yet` is the page's own, before the bridge names one.
    assert.deepEqual(keysOf('cause'), [...causes, 'none_yet'].sort());
    assert.deepEqual(keysOf('remedy'), [...causes, 'off'].sort());
});

const health = await load('views/health-model.js');
await test('graphs of health show values, and of counters what they grew by in a minute', () => {
    const reports = [10, 16, 4, 10].map((n, minute) => ({ ts: new Date(Date.UTC(2026, 10, 21, 14, minute * 2)).toISOString(), n }));
    const read = ({ n }) => n;
    assert.deepEqual(health.valuesOf(reports, read, false), [10, 16, 4, 10]);
    assert.deepEqual(health.valuesOf(reports, read, true), [3, 0, 3]);
    const { points, ...texts } = health.graphOf(reports, read);
    assert.deepEqual(texts, { latest: 10, least: 4, most: 16, minutes: 6 });
    assert.equal(points, '0.0,11.0 33.3,2.0 66.7,20.0 100.0,11.0');
    assert.equal(health.graphOf(reports.slice(0, 1), read).points, '0.0,2.0 100.0,2.0');
    assert.equal(health.graphOf(reports.slice(0, 1), read, true), null);
    assert.equal(health.graphOf([], read), null);
});

const log = await load('views/log-model.js');
await test('log lines are saved as text, and show the date of another day', () => {
    assert.equal(log.plainText([{ ts: at, level: 'info', source: 'A', message: 'm', data: { n: 1 } }, { ts: at, level: 'info', source: 'A', message: 'm', data: {} }]),
        `${at} info A m n=1\n${at} info A m\n`);
    const noon = new Date(2026, 10, 21, 12);
    assert.equal(log.isToday(new Date(2026, 10, 21, 1).toISOString(), noon), true);
    assert.equal(log.isToday(new Date(2026, 10, 20, 23).toISOString(), noon), false);
});
await test('log lines are filtered by level, text and pattern', () => {
    const line = { ts: at, level: 'warning', source: 'CastSender.Connection', message: 'device link lost', data: { device: 'tv', count: 3 } };
    for (const [level, filter, expected] of [
        ['info', '', true], ['error', '', false], ['warning', 'LINK', true], ['info', 'device=tv', true], ['info', 'radio', false],
        ['info', 'castsender.*', true], ['info', 'Bridge.*', false], ['info', '*(', false], ['info', 'CastSender.Connectio?', true], ['info', '.*', false],
    ]) assert.equal(log.fits(line, level, filter), expected, `${level} ${filter}`);
    // That lines are missing is true of every filter.
    assert.equal(log.fits({ ts: at, level: 'warning', source: '', message: '3 lines were dropped', data: {}, missed: 3 }, 'critical', 'Bridge.*'), true);
});

const setup = await load('views/setup-model.js');
await test('the first start sends what was chosen and differs, and nothing that is fixed', () => {
    const settings = (values, fixed = []) => new Map(Object.entries({
        'mqtt.host': null, 'mqtt.port': null, 'mqtt.username': null, 'mqtt.password': null, 'mqtt.tls.enabled': false, 'home_assistant.mode': 'device', ...values,
    }).map(([key, value]) => [key, { key, value, choosable: !fixed.includes(key) }]));
    const own = { 'mqtt.host': 'lan', 'mqtt.port': 1884, 'mqtt.username': 'me', 'mqtt.password': '…', 'mqtt.tls.enabled': true };
    const none = { host: '', port: '', username: '', password: '', tls: false, mode: 'device' };
    for (const [values, fields, expected] of [
        [{}, none, {}],
        [{}, { ...none, username: 'me', password: 'p', port: '1', tls: true }, {}],
        [{}, { ...none, host: 'lan', port: '1884', mode: 'off' }, { 'mqtt.host': 'lan', 'mqtt.port': 1884, 'home_assistant.mode': 'off' }],
        [{}, { ...none, host: 'lan', username: 'me', password: ' p ' }, { 'mqtt.host': 'lan', 'mqtt.username': 'me', 'mqtt.password': ' p ' }],
        [own, { ...none, host: 'lan', port: '1884', username: 'me', tls: true }, {}],
        [own, none, { 'mqtt.host': null, 'mqtt.port': null, 'mqtt.username': null, 'mqtt.tls.enabled': false, 'mqtt.password': null }],
        [own, { ...none, host: 'lan', port: '1884', tls: true }, { 'mqtt.username': null, 'mqtt.password': null }],
        [own, { ...none, host: 'other', port: '1884', username: 'me', tls: true }, { 'mqtt.host': 'other', 'mqtt.password': null }],
    ]) assert.deepEqual(setup.changesOf(settings(values), fields), expected, JSON.stringify([values, fields]));
    assert.deepEqual(setup.changesOf(settings(own, setup.brokerKeys), { ...none, mode: 'off' }), { 'home_assistant.mode': 'off' });
    assert.equal(setup.offerText({ name: null, host: '127.0.0.1', port: 1883, tls: false }, 'here'), 'here · 127.0.0.1:1883');
    assert.equal(setup.offerText({ name: 'House', host: 'fd00::1', port: 8883, tls: true }, 'here'), 'House · [fd00::1]:8883 · TLS');
});

const theme = await load('elements/theme-model.js');
await test('a theme becomes style rules and nothing else', () => {
    const rules = (value, dark = false) => Object.fromEntries(theme.themeRules(value, dark).map(({ selector, properties }) => [selector, Object.fromEntries(properties)]));
    assert.deepEqual(rules({ accent: '#ff0000', radius: 8, mini_controller: { background: '#01020366', radius: 4 }, dark: { accent: '#00ff00' } }), {
        ':root': { '--accent': '#ff0000', '--on-accent': '#0b0d10', '--radius': '8px' },
        'mini-controller': { '--widget-background': '#01020366', '--radius': '4px', '--widget-radius': '4px' },
    });
    assert.equal(rules({ accent: '#ff0000', dark: { accent: '#00ff00' } }, true)[':root']['--accent'], '#00ff00');
    for (const wrong of ['red; background: url(x)', 'url(http://x)', '}', 'x'.repeat(300), null, true, ['x']]) {
        assert.deepEqual(rules({ accent: wrong }), {}, String(wrong));
    }
    assert.deepEqual(rules({ unknown: 'red', other_widget: { accent: 'red' } }), {});
    for (const [color, expected] of [['#ffffff', '#0b0d10'], ['#2f52e0', '#ffffff'], ['#ffd54a', '#0b0d10'], ['blue', null]]) assert.equal(theme.readableOn(color), expected);
});

await test('a button of the configuration sends objects as objects, texts as texts, and nothing for nothing', () => {
    for (const [payload, expected] of [['', undefined], [null, undefined], ['10', '10'], ['{"a":1}', { a: 1 }], [' [1]', [1]], ['{no', '{no'], ['on', 'on']]) {
        assert.deepEqual(theme.customPayload(payload), expected, String(payload));
    }
});

const { findings } = await load('texts/de.js');
await test('every language has every text of English and no other, with the same placeholders', async () => {
    const holes = (text) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort();
    // Not every language has a form of its own for one.
    const keysOf = (texts) => Object.keys(texts).filter((key) => !key.endsWith('.one')).sort();
    for (const name of ['de', 'es', 'id']) {
        const texts = (await load(`texts/${name}.js`))[name];
        assert.deepEqual(keysOf(texts), keysOf(en), name);
        for (const key of Object.keys(texts)) assert.deepEqual(holes(texts[key]), holes(en[key] ?? 'no such key'), `${name} ${key}`);
    }
});
await test('every text is used', () => {
    const files = readdirSync(page, { recursive: true }).map(String).filter((name) => name.endsWith('.js') && !/^texts\/(?!texts)/.test(name));
    const code = files.map((name) => readFileSync(join(page, name), 'utf8')).join('\n');
    const sources = join(page, '../..');
    const bridge = readdirSync(sources, { recursive: true }).map(String).filter((name) => name.endsWith('.swift')).map((name) => readFileSync(join(sources, name), 'utf8')).join('\n');
    // The page builds these keys from a word of its own or of the bridge, and here is where each group has its words.
    const places = {
        cast: 'Dashboard/Page/state/devices.js', player: 'BridgeCore/State/DevicePlayerState.swift', device: 'CastModels/Device/Device.swift',
        identity: 'CastModels/Device/Device.swift BridgeCore/State/DeviceDetails.swift', authentication: 'BridgeCore/State/DeviceDetails.swift',
        phase: 'BridgeCore/State/SenderSession.swift', connection: 'CastModels/Receiver/ApplicationSession.swift',
        cause: 'CastSender/Discovery/DiscoveryHint.swift Dashboard/Page/cast/nothing-found-model.js',
        remedy: 'CastSender/Discovery/DiscoveryHint.swift Dashboard/Page/cast/nothing-found-model.js',
        error: 'BridgeCore/Commands/Answers/AnswerCode.swift Dashboard/Page/state/api.js Dashboard/Server/WebError.swift Dashboard/Security/AccessPolicy.swift Dashboard/API/UploadRoute.swift Dashboard/API/Query.swift Dashboard/Events/EventHub.swift',
        event: 'BridgeCore/State/PublishedEvent.swift', control: 'Dashboard/Page/state/devices.js', kind: 'Dashboard/Page/play/address-form.js',
        severity: 'MediaFindings/MediaFinding.swift', meta: 'Dashboard/Page/player/metadata-facts.js', family: 'Dashboard/Page/player/cue-style.js',
        weight: 'Dashboard/Page/player/text-style.js', edge: 'Dashboard/Page/player/cue-style.js', window: 'Dashboard/Page/player/text-style.js',
        tracks: 'Dashboard/Page/player/tracks-dialog.js', subtype: 'CastModels/Media/MediaTrack.swift', repeat: 'BridgeCore/State/Words.swift',
        linkError: 'CastModels/Requests/CastError+Code.swift', linkEvent: 'BridgeCore/State/LinkHistory.swift', role: 'BridgeCore/Web/WebOptions.swift',
        place: 'BridgeConfiguration/Keys/ConfigurationKey+Choosing.swift cast2mqtt/Settings/ProgramSettings.swift', setup: 'Dashboard/Page/views/setup-view.js',
        fault: 'MQTTClient/Values/MQTTLinkError.swift Bridge/Broker/BrokerExamination.swift',
    };
    places.help = places.error;
    const snake = (word) => word.replace(/(?<=[a-z])[A-Z]/g, '_$&').toLowerCase();
    /** The literals of a file, whose spaces became underscores, its Swift cases and constants, and its keys of objects. */
    const wordsOf = (text) => [
        ...[...text.matchAll(/["'`]([a-z_ ]+)["'`]/g)].map(([, literal]) => literal.replaceAll(' ', '_')), ...[...text.matchAll(/\b(\w+): /g)].map(([, key]) => key),
        ...[...text.matchAll(/\b(?:case|static let) ([^\n=:{(]+)/g)].flatMap(([, names]) => names.split(/[,\s`]+/)).map(snake),
    ];
    const words = Object.fromEntries(Object.entries(places).map(([group, names]) => [group, new Set(names.split(' ').flatMap((name) => wordsOf(readFileSync(join(page, '../..', name), 'utf8'))))]));
    const isUsed = (key) => code.includes(`'${key}'`) || !!words[key.split('.')[0]]?.has(key.split('.')[1]);
    assert.deepEqual(Object.keys(en).filter((key) => !isUsed(key.replace(/\.one$/, ''))), []);
    // Words of other groups, and of the code around.
    for (const key of ['load.play.twice', 'role.playing', 'error.repeat', 'player.offline', 'device.launch', 'severity.title']) assert.ok(!isUsed(key), key);
});
const settings = await load('views/settings-model.js');
await test('a setting gets the control of its type, and what is written becomes a value', () => {
    const of = (type, value = null) => settings.controlOf({ key: 'a', type, value, default: '', place: 'default', meaning: '', choosable: true, live: true });
    assert.deepEqual(of('true or false'), { kind: 'flag' });
    assert.deepEqual(of('none, basic or full'), { kind: 'choice', words: ['none', 'basic', 'full'] });
    assert.deepEqual(of('whole number, 1 to 65535'), { kind: 'number', least: 1, most: 65535 });
    assert.deepEqual(of('seconds, 0 to 300'), { kind: 'number', least: 0, most: 300 });
    assert.deepEqual(of('list of globs', []), { kind: 'json' });
    for (const type of ['text', 'text or null', 'path or null', 'host name, address or null', '`HH:MM-HH:MM` or null']) assert.deepEqual(of(type), { kind: 'text' }, type);
    const value = (type, text, present = null) => settings.valueOf({ key: 'a', type, value: present }, text);
    assert.equal(value('true or false', 'true'), true);
    assert.equal(value('whole number, 1 to 9', '7'), 7);
    assert.equal(value('text or null', ' '), null);
    assert.deepEqual(value('list of globs', '["a"]', []), ['a']);
    assert.throws(() => value('list of globs', '[a', []), SyntaxError);
    const list = ['log.level', 'web.listen', 'web.tokens', 'log.publish'].map((key) => ({ key, meaning: 'Lines' }));
    assert.deepEqual([...settings.sections(list, '').keys()], ['log', 'web']);
    assert.deepEqual([...settings.sections(list, 'LINES publish').values()].flat().map(({ key }) => key), ['log.publish']);
});
await test('every finding of the media check has a German text', () => {
    const codes = [...readFileSync(process.argv[3], 'utf8').split('\n### What keeps commands safe')[0].split('`severity` is `error`')[1].matchAll(/^\| `(\w+)` \| (?:error|warning) \|/gm)].map(([, code]) => code);
    assert.ok(codes.length > 30);
    assert.deepEqual(Object.keys(findings).sort(), codes.sort());
});
await test('no file of the page makes HTML of text or takes anything from elsewhere', () => {
    for (const name of readdirSync(page, { recursive: true })) {
        if (!/\.(js|html|css|webmanifest)$/.test(String(name))) continue;
        const text = readFileSync(join(page, String(name)), 'utf8');
        assert.doesNotMatch(text, /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|style="|<script>|<style/, String(name));
        assert.doesNotMatch(text.replaceAll('http://www.w3.org/2000/svg', ''), /(src|href|url\()\s*=?\s*["'(]?https?:\/\//, String(name));
    }
});

if (process.exitCode) console.error(`${count} tests, some failed`);
else console.log(`${count} tests passed`);
