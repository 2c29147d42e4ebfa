/**
 * Which metadata stand below the title of what plays. Pure.
 *
 * @typedef {import('../state/types.js').MediaDocument} MediaDocument
 * @typedef {{name: string, value: string}} Fact
 */

/** The members of all six kinds of metadata, in the order in which they are shown. */
const order = ['subtitle', 'artist', 'album_artist', 'album', 'composer', 'track_number', 'disc_number', 'series', 'studio', 'book_title',
    'chapter_title', 'chapter_number', 'content_rating', 'location', 'coordinates', 'dimensions', 'release_date', 'original_air_date',
    'broadcast_date', 'creation_date_time'];

/**
 * The facts about what plays, without those that are shown above them.
 * @param {MediaDocument|undefined} media
 * @param {readonly string[]} shown Title and lines.
 * @param {(time: string) => string} date Writes a date, with or without a time.
 * @returns {Fact[]}
 */
export function metadataFacts(media, shown, date) {
    const own = /** @type {Record<string, any>} */ (media ?? {});
    const { latitude, longitude, width, height, ...metadata } = own.metadata ?? {};
    /** @type {Record<string, any>} */
    const made = {
        coordinates: latitude == null || longitude == null ? null : `${latitude}, ${longitude}`,
        dimensions: width == null || height == null ? null : `${width} × ${height}`,
    };
    return order
        .map((name) => ({ name, value: made[name] ?? own[name] ?? metadata[name] ?? '' }))
        .filter(({ value }) => value !== '' && typeof value !== 'object')
        .map(({ name, value }) => ({ name, value: /_date(_time)?$/.test(name) ? date(String(value)) : String(value) }))
        .filter(({ value }) => !shown.includes(value));
}
