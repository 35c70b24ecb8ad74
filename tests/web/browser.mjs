// What tests/e2e/test_browser.py and test_browser_pages.py have a real browser do. Its one argument is
// JSON: {url, chromium, shots} with {invitation, kernel} for the way of a newcomer and {preview, folder} for an
// author's, with {teacher} for that of a teacher, whose cookie it is, or with {pages, routes, forms}. Pages are
// {path, cookie}, routes are {method, pattern}, and forms are the patterns that a form of these pages is sent
// to. It ends with 0, or says what was wrong and ends with 1.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";

import { Unscripted, offers_of_page } from "./unscripted.mjs";

const ROOT = join(import.meta.dirname ?? new URL(".", import.meta.url).pathname, "../..");
const require = createRequire(join(ROOT, "build/web-tests/package.json"));
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

const config = JSON.parse(process.argv[2]);
const PASSWORD = "correct horse battery";
const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
const SEEN = ["color-contrast", "link-in-text-block", "target-size"]; // what colours and sizes decide
const WIDE = { width: 1280, height: 900 };
const NARROW = { width: 320, height: 700 };
const PATIENCE_MS = Number(process.env.BROWSER_PATIENCE_MS ?? 600_000); // a step that takes so long has failed

const browser = await chromium.launch({
    executablePath: config.chromium,
    args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--renderer-process-limit=1"],
});
const faults = [];
const answers = createInterface({ input: process.stdin })[Symbol.asyncIterator]();

/** A window of its own: nothing of it asks another server, and no script of it fails. */
async function window_of(options = {}) {
    const context = await browser.newContext({ viewport: WIDE, ...options });

    context.setDefaultTimeout(PATIENCE_MS);
    const page = await context.newPage();
    page.on("request", (r) => {
        if (!r.url().startsWith(config.url + "/") && !r.url().startsWith("data:"))
            faults.push(`a request elsewhere: ${r.url()}`);
    });
    page.on("pageerror", (e) => faults.push(`${page.url()}: ${e.stack}`));
    page.on("console", (m) => {
        if (m.type() === "error")
            faults.push(`${page.url()}: ${m.text()}`);
    });
    return page;
}

/** Has the test take a step, and returns what it says of it. */
async function step(name) {
    console.log(name);
    return (await answers.next()).value;
}

/** Ends the test where a page has done what it may not. */
function no_faults(what) {
    assert.deepEqual(faults, [], what);
}

/** A picture of the whole page. Playwright's own way adds a style, which our policy forbids. */
async function shot(page, name) {
    const session = await page.context().newCDPSession(page);
    const { data } = await session.send("Page.captureScreenshot", { captureBeyondViewport: true });

    await session.detach();
    writeFileSync(join(config.shots, `${name}.png`), Buffer.from(data, "base64"));
}

// --- what a page must be ---------------------------------------------------------------------

/** What axe itself does may be against the policy: it adds a style. */
async function accessible(page, what, only = { type: "tag", values: TAGS }) {
    no_faults(what);
    if (!await page.evaluate(() => "axe" in window))
        await page.evaluate(axe);
    const found = await page.evaluate((rules) => window.axe.run(document,
        { runOnly: rules, resultTypes: ["violations"] }), only);
    const wrong = found.violations.map((v) => `${v.id}: ${v.help}\n  ` +
        v.nodes.map((n) => `${n.target}: ${n.failureSummary}`).join("\n  "));

    faults.length = 0;
    assert.deepEqual(wrong, [], what);
}

async function fits(page, what) {
    const [page_width, window_width, widest] = await page.evaluate(() => {
        const width = document.documentElement.clientWidth;
        const over = [...document.querySelectorAll("body *")].filter((e) =>
            e.getBoundingClientRect().right > width + 1 && !e.closest(".scroll, .cm-scroller, pre, .skip"));

        return [document.documentElement.scrollWidth, width, over.slice(0, 3).map((e) => e.outerHTML.slice(0, 90))];
    });

    assert.ok(page_width <= window_width, `${what} is ${page_width} wide in ${window_width}: ${widest}`);
}

/** Text at 200%, as who reads with large letters sets it. */
async function text_size(page, percent) {
    await page.evaluate((size) => {
        document.documentElement.style.fontSize = `${size}%`;
    }, percent);
}

/** A page in the light on a narrow screen, and in the dark with large text: each has a half of what can be wrong.
 * Then with JavaScript off. */
async function look_at(page, unscripted, path) {
    const name = path.replaceAll(/\W+/g, "-").replace(/^-$/, "-home");

    await page.emulateMedia({ colorScheme: "light" });
    await page.setViewportSize(NARROW);
    const answer = await page.goto(config.url + path);
    assert.equal(answer.status(), 200, path);
    const offered = await page.evaluate(offers_of_page);
    await accessible(page, `${path}, light and narrow`);
    await fits(page, path);
    await shot(page, `narrow${name}`);
    await page.emulateMedia({ colorScheme: "dark" });
    await page.setViewportSize(WIDE);
    await shot(page, `dark${name}`);
    await text_size(page, 200);
    await accessible(page, `${path}, dark and large`, { type: "rule", values: SEEN });
    await fits(page, `${path}, large`);
    await unscripted.look_at(config.url, path, offered);
    no_faults(path);
}

/** Every page, by whom it is for. All of them are looked at before the test tells what is wrong. */
async function look_at_all(pages) {
    const wrong = [], sent = new Set();

    for (const cookie of new Set(pages.map((p) => p.cookie))) {
        const page = await window_of(), plain = await window_of({ javaScriptEnabled: false });
        const unscripted = new Unscripted(plain, config.routes);

        if (cookie !== "") {
            const [name, value] = cookie.split("=");
            for (const window of [page, plain])
                await window.context().addCookies([{ name, value, url: config.url }]);
        }
        for (const { path } of pages.filter((p) => p.cookie === cookie))
            await look_at(page, unscripted, path).catch((error) => wrong.push(error.message));
        unscripted.sent.forEach((s) => sent.add(s));
        await page.context().close();
        await plain.context().close();
    }
    for (const pattern of config.forms)
        if (!sent.has(`POST ${pattern}`))
            wrong.push(`no form of these pages is sent to ${pattern}`);
    assert.equal(wrong.join("\n"), "");
}

// --- the ways --------------------------------------------------------------------------------

async function joins(page) {
    await page.goto(`${config.url}/join?invitation=${encodeURIComponent(config.invitation)}`);
    await page.getByLabel(/name/i).first().fill("ada");
    await page.getByLabel(/^Password/).fill(PASSWORD);
    await page.getByRole("button", { name: "Join" }).click();
    await page.getByRole("button", { name: "Sign out" }).waitFor();
}

/** What a paste by keyboard does, without the machine's clipboard. */
async function paste(page, text) {
    await page.evaluate((pasted) => {
        const data = new DataTransfer();

        data.setData("text/plain", pasted);
        document.activeElement.dispatchEvent(new ClipboardEvent("paste",
            { clipboardData: data, bubbles: true, cancelable: true }));
    }, text);
}

/** The keys of vim and of emacs, and numbers from the cursor's line on, which stay chosen. */
async function has_other_keys(page) {
    const numbers = () => page.locator(".cm-lineNumbers .cm-gutterElement:visible").allTextContents();

    await page.getByLabel("Keys").selectOption("vim");
    await page.locator(".cm-vim-panel").waitFor();
    await page.getByLabel("numbers from the cursor's line on").check();
    await page.locator(".cm-content").focus();
    await page.keyboard.type("ggO// by vim");
    await page.keyboard.press("Escape");
    await page.keyboard.type("jj");
    await page.locator(".cm-line", { hasText: "// by vim" }).waitFor();
    assert.deepEqual((await numbers()).slice(0, 5), ["2", "1", "3", "1", "2"], "numbers go from the cursor's line on");
    await accessible(page, "vim's keys");
    await page.getByLabel("Keys").selectOption("emacs");
    await page.locator(".cm-vim-panel").waitFor({ state: "detached" });
    await page.locator(".cm-content").focus();
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Control+a"); // the line's beginning, where other editors select everything
    await page.keyboard.press("Control+k");
    await page.locator(".cm-line", { hasText: "// by vim" }).waitFor({ state: "detached" });
    assert.equal(await page.evaluate(() => localStorage.getItem("warpjudge:editor")), '{"keys":"emacs","relative":true}');
    await page.getByLabel("Keys").selectOption("standard");
    await page.getByLabel("numbers from the cursor's line on").uncheck();
    await page.locator(".cm-content").focus();
}

/** From a problem's page to a verdict: by keyboard, with a draft that outlives its page. */
async function solves(page) {
    await page.goto(`${config.url}/problems/vector-addition`);
    await page.locator(".statement .display math").waitFor();
    assert.equal(await page.locator("code.tex").count(), 1, "what is no TeX stays as it was written");
    assert.equal(await page.locator(".cm-editor").count(), 0, "the editor is loaded when it is wanted");
    await page.locator("#source").focus();
    await page.locator(".cm-content").waitFor();
    await page.keyboard.press("Control+a");
    await paste(page, "// a draft\n" + config.kernel);
    await page.locator(".cm-line", { hasText: "// a draft" }).waitFor();
    await page.reload();
    assert.match(await page.locator("#source").inputValue(), /^\/\/ a draft\n/, "the draft is there again");
    await page.getByText("This is your draft of").waitFor();
    await page.getByRole("button", { name: "Begin anew" }).click();
    assert.doesNotMatch(await page.locator("#source").inputValue(), /a draft/);
    await page.getByText("Earlier drafts (1)").click();
    await page.locator(".drafts button").click();
    await page.locator("#source").focus();
    await page.locator(".cm-cuda", { hasText: "__global__" }).first().waitFor();
    assert.equal(await page.locator(".cm-cuda").first().evaluate((e) => getComputedStyle(e).fontWeight), "600",
        "the policy lets the editor have its styles");
    await accessible(page, "the editor");
    await has_other_keys(page);
    await shot(page, "editor");
    await page.keyboard.press("Control+Enter");
    await page.waitForURL(/\/submissions\/\d+$/);
    await page.locator("h1", { hasText: "accepted" }).waitFor();
    assert.equal(await page.locator("[data-events]").count(), 0);
    await page.locator(".code", { hasText: "// a draft" }).waitFor();
    no_faults("a newcomer's way");
}

/** The same without scripts: the text area is the editor, and the page asks again by itself. */
async function solves_without_scripts(state) {
    const page = await window_of({ javaScriptEnabled: false, storageState: state });

    await page.goto(`${config.url}/problems/vector-addition`);
    await page.locator("#source").fill(config.kernel);
    await page.getByRole("button", { name: "Submit" }).click();
    await page.waitForURL(/\/submissions\/\d+$/);
    await page.locator("h1", { hasText: "accepted" }).waitFor();
    no_faults("without scripts");
    await page.context().close();
}

/** Two tabs with one problem: what was typed in either is there, whichever was closed last. */
async function has_two_tabs(page) {
    const address = `${config.url}/problems/reverse-array`, tabs = [page, await page.context().newPage()];

    for (const tab of tabs)
        await tab.goto(address);
    for (const [i, tab] of tabs.entries()) {
        await tab.bringToFront();
        await tab.locator("#source").focus();
        await tab.locator(".cm-content").waitFor();
        await tab.keyboard.press("Control+a");
        await paste(tab, `// of tab ${i}\n`);
        await tab.locator(".cm-line", { hasText: `// of tab ${i}` }).waitFor();
        await tab.waitForFunction((text) => Object.values(localStorage).some((v) => v.includes(text)), `// of tab ${i}`);
    }
    await tabs[1].close();
    await page.bringToFront();
    await page.reload();
    assert.equal(await page.locator("#source").inputValue(), "// of tab 1\n", "the draft that was typed last");
    await page.getByText("Earlier drafts (1)").click();
    await page.locator(".drafts button").click();
    assert.equal(await page.locator("#source").inputValue(), "// of tab 0\n", "the other tab's draft");
    no_faults("two tabs");
}

/** The judge is killed while a submission runs. Its page says so, and goes on when the judge is back. */
async function outlives_the_judge(page) {
    const id = await step("send what sleeps");
    const lost = page.getByText("The connection is lost. It is tried again.");

    await page.goto(`${config.url}/submissions/${id}`);
    await page.locator("[data-state=running][aria-current]").waitFor();
    no_faults("before the judge is killed");
    await step("kill the judge");
    await lost.waitFor();
    await step("start the judge");
    await lost.waitFor({ state: "hidden" });
    await page.locator("[data-state=running][aria-current]").waitFor();
    await page.getByRole("button", { name: "Cancel it" }).click();
    await page.getByText("Nothing was done yet: send it once more.").waitFor(); // the form was of the judge before
    await page.getByRole("button", { name: "Cancel it" }).click();
    await page.locator("h1", { hasText: "cancelled" }).waitFor();
    const others = faults.filter((f) => !/net::ERR_|status of 400/.test(f)); // which is what it was about

    faults.length = 0;
    assert.deepEqual(others, [], "a judge that is killed");
}

/** A preview follows the files of its problem, whatever stands in them. Who has its address needs no account. */
async function follows_files() {
    const page = await window_of();
    const [statement, spec] = ["statement.md", "problem.json"].map((name) => join(config.folder, name));
    const right = readFileSync(spec, "utf8");

    await page.goto(config.url + config.preview);
    await page.locator(".notice.fine").waitFor();
    writeFileSync(statement, "# Title\n\n## As it is now\n\n<script>alert(1)</script>\n\n" +
        "[here](javascript:alert(2)) and $$x_1 < 2$$\n");
    await page.locator(".statement h2", { hasText: "As it is now" }).waitFor();
    await page.locator(".statement math").waitFor();
    assert.equal(await page.locator(".statement script, .statement a[href^=javascript]").count(), 0);
    writeFileSync(spec, right.replace("{", '{"unheard_of": 1,'));
    await page.locator(".findings code", { hasText: "problem.json: $" }).waitFor();
    assert.equal(await page.locator(".statement h2").count(), 1, "the statement is there beside the errors");
    await accessible(page, "a preview with errors");
    writeFileSync(spec, right);
    await page.locator(".notice.fine").waitFor();
    no_faults("a preview");
    await page.context().close();
}

/** The way of a newcomer: from an invitation to a ranked kernel. */
async function newcomer() {
    const page = await window_of();

    await joins(page);
    await solves(page);
    await has_two_tabs(page);
    await outlives_the_judge(page);
    await solves_without_scripts(await page.context().storageState());
}

/** A teacher who is an admin: sets an assignment, looks at its grades, judges again, and throws somebody out. */
async function teacher() {
    const page = await window_of(), [name, value] = config.teacher.split("=");
    const press = (words) => page.getByRole("button", { name: words, exact: true }).click();
    const follow = (words) => page.getByRole("link", { name: words }).first().click();
    const says = (words) => page.locator("main").getByText(words).first().waitFor();

    await page.context().addCookies([{ name, value, url: config.url }]);
    await page.goto(`${config.url}/groups/physics`);
    await page.getByLabel("Name", { exact: true }).fill("week-1");
    await page.getByLabel(/^Problems/).fill("Vector Addition, reductoin");
    await page.getByLabel(/^Opens/).fill("2026-01-01T09:00");
    await page.getByLabel(/^Closes/).fill("2037-03-28T23:59");
    await press("Set it");
    await says('did you mean "reduction"?');
    assert.match(faults.splice(0).join("; "), /^[^;]*400 \(Bad Request\)$/); // the refusal, which browsers note
    await page.getByLabel(/^Problems/).fill("Vector Addition, reduction");
    await press("Set it");
    await says("2037-03-28 23:59 CET");
    await follow(/^Change/);
    await page.getByLabel(/^Closes/).fill("2037-04-01T23:59");
    await press("Set it");
    await says("2037-04-01 23:59 CEST");
    await follow("Grades");
    await says("1 of 2");
    await page.locator("td a[href^='/submissions/']").first().click();
    await follow("judge again");
    await press("Preview");
    await page.waitForURL(/submissions=/);
    while (await page.getByRole("link", { name: "Look again" }).count() > 0) {
        await page.waitForTimeout(200);
        await follow("Look again");
    }
    await says("previewed");
    await press("Replace the results"); // of what was previewed
    await says(/^Run 2/);
    await page.goto(`${config.url}/users/ada`);
    await follow("the account");
    await page.getByLabel("State").selectOption("closed");
    await press("Change");
    await says("member, closed");
    await shot(page, "teacher-closed");
    no_faults("the teacher's way");
    await page.context().close();
}

try {
    if (config.teacher !== undefined)
        await teacher();
    else if (config.pages !== undefined)
        await look_at_all(config.pages);
    else {
        await follows_files(); // first, because its key ends with the judge
        await newcomer();
    }
    await browser.close();
    process.stdin.destroy();
} catch (error) {
    console.error(error.message, faults);
    process.exit(1);
}
