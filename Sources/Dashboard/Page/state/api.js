/**
 * @typedef {import('./types.js').Answer} Answer
 * @typedef {import('./types.js').Session} Session
 */

/** A request that the bridge did not carry out. */
export class ApiError extends Error {
    /** @param {string} code @param {string} message @param {Answer|null} answer */
    constructor(code, message, answer = null) {
        super(message);
        this.code = code;
        this.answer = answer;
    }
}

/** The JSON API of the bridge. */
export class Api {
    /** @param {string} base Address of the API, with a slash at the end. @param {string|null} token */
    constructor(base, token = null) {
        this.base = base;
        this.token = token;
        /** @type {Session|null} */
        this.session = null;
        /** Called when the bridge wants a password. */
        this.onLoginRequired = () => {};
    }

    async loadSession() {
        this.session = /** @type {Session} */ (await this.request('GET', 'session'));
        return this.session;
    }

    /** @param {string} password */
    async signIn(password) {
        this.session = /** @type {Session} */ (await this.request('POST', 'session', { password }));
        return this.session;
    }

    /** @param {string|undefined} code Not needed by who is signed in. @param {string} password */
    async chooseFirstPassword(code, password) {
        await this.request('POST', 'session/first-password', { code, password });
        return this.signIn(password);
    }

    async signOut() {
        await this.request('DELETE', 'session');
        await this.loadSession();
    }

    /** @param {string} path */
    get(path) {
        return this.request('GET', path);
    }

    /**
     * Sends a command and returns its answer.
     * @param {string} topic The command's topic below the base, as `living-room/cmd/pause`.
     * @param {any} [payload]
     * @param {boolean} [keepalive] Whether it is sent although the page is closed.
     * @returns {Promise<Answer>}
     * @throws {ApiError} With the answer when the bridge answered that it failed.
     */
    command(topic, payload, keepalive = false) {
        return this.request('POST', `commands/${topic}`, payload, keepalive);
    }

    /**
     * @param {string} slug
     * @param {{width: number, item?: number, version: string}} options
     */
    artwork(slug, { width, item, version }) {
        const query = new URLSearchParams({ width: String(width), v: version });
        if (item !== undefined) query.set('item', String(item));
        return `${this.base}artwork/${encodeURIComponent(slug)}?${query}`;
    }

    /**
     * Gives a file to the bridge.
     * @param {File} file @param {(part: number) => void} progress Called with the part that was sent, 0 to 1.
     * @returns {Promise<{id: string}>} What `cmd/load` takes as `file`.
     */
    async upload(file, progress) {
        // A file is not sent twice because the page's token was an old one.
        await this.loadSession();
        // `fetch` reports no progress.
        const request = new XMLHttpRequest();
        request.open('POST', `${this.base}media/uploads?name=${encodeURIComponent(file.name)}`);
        for (const [name, value] of Object.entries(this.headers('application/octet-stream'))) request.setRequestHeader(name, value);
        request.upload.onprogress = ({ loaded, total }) => progress(total > 0 ? loaded / total : 0);
        request.responseType = 'json';
        await new Promise((resolve) => {
            request.onloadend = resolve;
            request.send(file);
        });
        if (request.status === 401) this.onLoginRequired();
        return contentOf(request.status, request.response);
    }

    /**
     * Whether the signed-in role may do what another one may.
     * @param {'control'|'admin'} role
     */
    may(role) {
        const mine = this.session?.role;
        return mine === 'admin' || mine === role;
    }

    /** @param {string} method @param {string} path @param {any} [body] @param {boolean} [keepalive] @returns {Promise<any>} */
    async request(method, path, body, keepalive = false) {
        const former = this.session?.csrf;
        try {
            return await this.requestOnce(method, path, body, keepalive);
        } catch (error) {
            // After a restart of the bridge the page's token is an old one: once with a new one.
            const mayBeOld = error instanceof ApiError && error.code === 'forbidden' && error.answer === null;
            if (!mayBeOld || method === 'GET' || path === 'session' || this.token !== null) throw error;
            await this.loadSession();
            if (this.session?.csrf === former) throw error;
            return this.requestOnce(method, path, body, keepalive);
        }
    }

    /**
     * @param {string} method @param {string} path @param {any} [body] @param {boolean} [keepalive]
     * @returns {Promise<any>}
     */
    async requestOnce(method, path, body, keepalive = false) {
        const headers = this.headers(method === 'GET' ? null : 'application/json');
        let response;
        try {
            response = await fetch(this.base + path, { method, headers, keepalive, body: body === undefined ? undefined : JSON.stringify(body) });
        } catch {
            throw new ApiError('unreachable', '');
        }
        if (response.status === 204) return null;
        let content;
        try {
            content = await response.json();
        } catch {
            throw new ApiError(response.ok ? 'unreadable' : 'unreachable', '');
        }
        if (response.status === 401 && path !== 'session' && content.error) this.onLoginRequired();
        return contentOf(response.status, content);
    }

    /** @param {string|null} type Of the body; null: nothing is changed. @returns {Record<string, string>} */
    headers(type) {
        return {
            ...(this.token !== null && { Authorization: `Bearer ${this.token}` }),
            ...(type && { 'Content-Type': type }), ...(type && this.session?.csrf && { 'X-CSRF-Token': this.session.csrf }),
        };
    }
}

/**
 * @param {number} status @param {any} content
 * @throws {ApiError}
 */
function contentOf(status, content) {
    if (status >= 200 && status < 300) return content;
    if (!content) throw new ApiError('unreachable', '');
    if (content.error) throw new ApiError(content.error.code, content.error.message ?? '');
    throw new ApiError(content.code ?? 'internal', content.message ?? '', content);
}
