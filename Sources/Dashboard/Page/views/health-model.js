/**
 * What the small graphs of health show. Pure.
 *
 * @typedef {{ts: string}} Report `bridge/health`.
 * @typedef {{points: string, latest: number, least: number, most: number, minutes: number}} Graph
 *   `points` is for a polyline of 100 by 28 units.
 */

/**
 * The values of reports. A counter becomes what it grew by in a minute: it would only ever rise.
 * @param {readonly any[]} reports Oldest first.
 * @param {(report: any) => number} read
 * @param {boolean} isCounter
 * @returns {number[]}
 */
export function valuesOf(reports, read, isCounter) {
    if (!isCounter) return reports.map(read);
    return reports.slice(1).map((report, index) => {
        const minutes = (Date.parse(report.ts) - Date.parse(reports[index].ts)) / 60_000;
        // A bridge that was started again counts from 0.
        return minutes > 0 ? Math.max(0, read(report) - read(reports[index])) / minutes : 0;
    });
}

/**
 * @param {readonly any[]} reports Oldest first.
 * @param {(report: any) => number} read
 * @param {boolean} [isCounter]
 * @returns {Graph|null} Null until there is a value.
 */
export function graphOf(reports, read, isCounter = false) {
    const values = valuesOf(reports, read, isCounter);
    if (values.length === 0) return null;
    const most = Math.max(...values);
    const least = Math.min(...values);
    // Values that hardly differ would all be at the upper edge.
    const top = Math.max(most, 0.001);
    const low = least > top * 0.8 ? least - (top - least || top) : 0;
    const points = (values.length === 1 ? [values[0], values[0]] : values)
        .map((value, index, all) => `${((index / (all.length - 1)) * 100).toFixed(1)},${(26 - ((value - low) / (top - low || 1)) * 24).toFixed(1)}`)
        .join(' ');
    const minutes = Math.round((Date.parse(reports[reports.length - 1].ts) - Date.parse(reports[0].ts)) / 60_000);
    return { points, latest: values[values.length - 1], least, most, minutes };
}
