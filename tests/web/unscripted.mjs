// What a page must be in a browser with JavaScript off: what it offers with scripts it offers without, no
// control of it does nothing, nothing waits to be shown by a script, and each of its forms can be sent.

import assert from "node:assert/strict";

const SENT_MS = 60_000; // a button that has sent nothing for so long does nothing

/** Runs in the page. What a reader finds there: headings, links, fields and buttons. */
export function offers_of_page() {
    const text = (e) => (e.getAttribute("aria-label") ?? e.textContent).trim().replaceAll(/\s+/g, " ");
    const all = (selector, words) =>
        [...document.querySelectorAll(selector)].filter((e) => e.closest("[hidden]") === null).map(words);

    return [
        ...all("h1, h2, h3, caption, summary, th", (e) => `${e.localName} ${text(e)}`),
        ...all("a[href]", (e) => `a ${e.getAttribute("href")}`),
        ...all("form", (e) => `form ${e.method} ${e.getAttribute("action")}`),
        ...all("form [name]", (e) => `field ${e.name}`),
        ...all("button", (e) => `button ${text(e)}`),
    ];
}

/** Runs in the page, whose sections that fold are then open. What nobody sees, and what does nothing. */
function faults_of_page() {
    const wrong = [];
    const name = (e) => e.outerHTML.slice(0, 120);
    const unseen = (e) => !e.checkVisibility({ visibilityProperty: true, opacityProperty: true });

    for (const fold of document.querySelectorAll("details"))
        fold.open = true;
    for (const e of document.body.querySelectorAll("*")) {
        if (e.matches("script, style, noscript, option, datalist, input[type=hidden], svg *")
            || (e.textContent.trim() === "" && !e.matches("input, select, textarea")))
            continue;
        if (unseen(e) && !unseen(e.parentElement))
            wrong.push(`it is not shown: ${name(e)}`);
    }
    for (const e of document.querySelectorAll("button, input, select, textarea")) {
        if (e.readOnly)
            continue; // it is there to be read
        if (e.form === null || e.disabled || e.type === "button")
            wrong.push(`it does nothing: ${name(e)}`);
        else if (![...e.form.elements].some((other) => other.type === "submit"))
            wrong.push(`its form has no button: ${name(e)}`);
    }
    for (const e of document.querySelectorAll("a:not([href]), [role=button], [role=tab], [contenteditable], [draggable]"))
        wrong.push(`only a script gives it a meaning: ${name(e)}`);
    for (const e of document.querySelectorAll("a[href^='#']"))
        if (document.getElementById(e.getAttribute("href").slice(1)) === null)
            wrong.push(`it leads nowhere: ${name(e)}`);
    return wrong;
}

/** Runs in the page. Fills what a form asks for, and says whether a browser would send it. */
function fill_form(form) {
    const words = { "datetime-local": "2030-01-01T09:00", date: "2030-01-01", password: "correct horse battery" };

    for (const e of form.elements) {
        if (e.type === "number" && e.value === "")
            e.value = e.min === "" ? "1" : e.min;
        else if (e.required && e.type === "checkbox")
            e.checked = true;
        else if (e.required && e.value === "" && e.localName !== "select")
            e.value = words[e.type] ?? "abc";
    }
    return form.checkValidity() ? "" : [...form.elements].filter((e) => !e.checkValidity()).map((e) => e.name).join();
}

/** Does this address belong to the pattern of a route? */
function is_of(path, pattern) {
    const words = pattern.split("/"), said = path.slice(1).split("/");

    return words.length === said.length && words.every((w, i) => w === "*" || w === said[i]);
}

/** A window without scripts. Its forms are sent, and noted, but nobody gets them. */
export class Unscripted {
    sent = new Set(); // "METHOD pattern", of all pages
    #tried = new Set();
    constructor(page, routes) {
        this.page = page;
        this.routes = routes;
    }

    #route_of(method, path) {
        return this.routes.find((r) => r.method === method && is_of(path, r.pattern));
    }

    /** Presses a button of a form. */
    async #send(form, button, what) {
        const missing = await form.evaluate(fill_form);

        assert.equal(missing, "", `${what}: what the form asks for`);
        const request = this.page.waitForRequest(() => true, { timeout: SENT_MS });

        await Promise.all([request, button.click()]);
        const method = (await request).method(), url = new URL((await request).url());
        const route = this.#route_of(method, url.pathname);

        assert.ok(route !== undefined, `${what}: it is sent to ${method} ${url.pathname}, which is no page`);
        if (method === "POST")
            assert.match((await request).postData() ?? "", /form(=|"\r\n\r\n)[0-9a-f]{32}/, `${what}: its token`);
        this.sent.add(`${method} ${route.pattern}`);
    }

    /** Each form once with each of its buttons, whatever page it stands on. */
    async #forms(path) {
        await this.page.route("**", (route) => route.fulfill({ status: 204 })); // a browser stays where it is
        for (const form of await this.page.locator("form").all())
            for (const button of await form.locator("button").all()) {
                const what = await button.evaluate((e) =>
                    `${e.form.method} ${e.form.getAttribute("action").replaceAll(/\d+/g, "N")} ` +
                    `${e.form.elements.do?.value ?? ""} ${e.name}=${e.value}`);

                if (this.#tried.has(what))
                    continue;
                this.#tried.add(what);
                await this.#send(form, button, `${path}: ${what}`);
            }
        await this.page.unroute("**");
    }

    /** Looks at a page, of which `offered` is what it offers with scripts. */
    async look_at(url, path, offered) {
        const answer = await this.page.goto(url + path);

        assert.equal(answer.status(), 200, path);
        const offers = new Set(await this.page.evaluate(offers_of_page));

        assert.deepEqual(offered.filter((o) => !offers.has(o)), [], `${path}: what only scripts show`);
        assert.deepEqual(await this.page.evaluate(faults_of_page), [], `${path} without scripts`);
        for (const address of offers) {
            const [, to] = /^a (\/[^?#]*)/.exec(address) ?? [];

            assert.ok(to === undefined || to.startsWith("/api/") || this.#route_of("GET", to) !== undefined,
                `${path}: ${address} leads to no page`);
        }
        await this.#forms(path);
    }
}
