/**
 * What the page reads of the documents in docs/TOPICS.md.
 *
 * @typedef {{title: string|null, artist: string|null, album: string|null, subtitle: string|null, series: string|null, season: number|null,
 *   episode: number|null, kind: string|null, content_id: string|null, content_type: string|null, live: boolean, duration: number|null,
 *   position: number|null, position_at: string|null, ends_at: string|null, rate: number|null, image: string|null, session: number|null}} PlayingMedia
 * @typedef {{playing: boolean, skippable: boolean, skippable_at: string|null, break: string|null, clip: string|null, index: number|null,
 *   clips: number|null, clip_duration: number|null, clip_ends_at: string|null, poster: string|null, click_url: string|null}} AdState
 * @typedef {{percent: number|null, level: number|null, muted: boolean|null, control: string|null, step: number|null}} Volume
 * @typedef {{player: string, idle_reason: string|null, app: {id: string|null, name: string|null, source: string|null, status_text: string|null,
 *   idle_screen: boolean}, volume: Volume, media: PlayingMedia, queue: {index: number|null, length: number|null, repeat: string|null,
 *   shuffle: boolean|null, has_next: boolean|null, has_previous: boolean|null}, tracks: {text: string|null, audio: string|null,
 *   video: string|null}, ad: AdState, can: string[], standby: boolean|null, group: {id: string|null, name: string|null, role: string},
 *   busy: boolean, available: boolean, ts: string}} StateDocument
 * @typedef {PlayingMedia & {metadata: Record<string, any>, live_range: {start: number, end: number, moving: boolean, done: boolean}|null,
 *   volume?: number|null, supported_commands?: {names: string[]}, video: {width: number|null, height: number|null, hdr: string|null}|null, item: number|null, content_url: string|null,
 *   breaks: {id: string, position: number, duration: number|null, watched: boolean}[],
 *   break_clips: {id: string, title: string|null, duration: number|null, skippable_after: number|null}[]}} MediaDocument
 * @typedef {{id: string|null, name: string|null, session: {phase: string, id: string|null}, status_text: string|null, idle_screen: boolean,
 *   namespaces: string[], icon: string|null, ours: boolean, connection: string}} AppDocument
 * @typedef {{item: number, title: string|null, artist: string|null, duration: number|null, content_id: string|null, image: string|null,
 *   autoplay: boolean|null, preload_time: number|null, unread?: boolean}} QueueItem
 * @typedef {{repeat: string|null, shuffle: boolean|null, current_item: number|null, preloaded_item: number|null, index: number|null,
 *   length: number|null, complete: boolean, items: QueueItem[]}} QueueDocument
 * @typedef {{id: number, name: string|null, language: string|null, subtype: string|null, active: boolean}} Track
 * @typedef {Record<string, string|number|null>} TextStyle
 * @typedef {{active: number[], text: Track[], audio: Track[], video: Track[], text_style: TextStyle|null}} TracksDocument
 * @typedef {{id: string, slug: string|null, name: string, volume: Volume, online: boolean|null}} Member
 * @typedef {{role: string, leader: string|null, members: Member[], groups: {id: string, slug: string|null, name: string, playing: boolean}[]}} GroupDocument
 * @typedef {{id: string, slug: string, name: string, type: string, model: string|null, manufacturer: string|null, firmware: string|null,
 *   ip: string|null, port: number|null, mac: string|null, capabilities: string[], online: boolean, last_seen: string|null, groups: string[],
 *   aliases: string[]}} ListedDevice
 * @typedef {{availability?: string, info?: Record<string, any>, state?: StateDocument, media?: MediaDocument, app?: AppDocument,
 *   queue?: QueueDocument, tracks?: TracksDocument, group?: GroupDocument, [name: string]: any}} DeviceDocuments
 * @typedef {{state?: string, info?: Record<string, any>, devices?: ListedDevice[], health?: Record<string, any>, [name: string]: any}} BridgeDocuments
 *
 * @typedef {{ts: string, status: string, code: string, message: string|null, hint?: string|null, data?: Record<string, any>}} Answer
 * @typedef {{code: string, severity: string, subject: string, text: string, remedy: string, url: string|null}} Finding
 * @typedef {{ts: string, level: string, source: string, message: string, data: Record<string, any>, missed?: number}} LogLine
 * @typedef {{login_required: boolean, setup_code: boolean, first_password: boolean, signed_in: boolean, role: string|null, csrf: string|null, version: string}} Session
 * @typedef {{icon?: string|null, label: string, command: string, payload?: any}} CustomButton
 * @typedef {{title: string, language: string, introduction: {enabled: boolean, text: string|null, title: string|null,
 *   title_position: string, dismiss: string|null}, mini_slots: string[], expanded_slots: string[],
 *   custom_buttons: Record<string, CustomButton>, opens_expanded: boolean, theme: Record<string, any>}} PageSettings
 *
 * @typedef {{type: 'snapshot', id: string, documents: Record<string, any>}
 *   | {type: 'changes', id: string, documents: Record<string, any>}
 *   | {type: 'event', topic: string, payload: Record<string, any>}
 *   | {type: 'log', line: LogLine}
 *   | {type: 'missed', events: number, lines: number}
 *   | {type: 'link', link: Link}} StreamEvent
 * @typedef {{event: string, code: string|null, at: string, until: string, count: number}} LinkEvent
 * @typedef {'connecting'|'live'|'polling'|'lost'|'login'} Link
 */

export {};
