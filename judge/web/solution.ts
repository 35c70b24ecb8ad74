// The form of a problem's page: drafts, keys, and the editor, which is loaded when somebody
// first wants to type. The text area is the form's field with the editor, too.

import { Drafts, type Draft } from "./drafts";
import { element, moment, nonce } from "./dom";
import type { Editor, Keys, Settings } from "./editor";

const SAVED_AFTER_MS = 250;
const SETTINGS_KEY = "warpjudge:editor";

function stored_settings(): Settings {
    const settings: Settings = { keys: "standard", relative: false };

    try {
        const stored = JSON.parse(localStorage.getItem(SETTINGS_KEY) ?? "{}") as Partial<Settings>;

        if (stored.keys === "vim" || stored.keys === "emacs")
            settings.keys = stored.keys;
        settings.relative = stored.relative === true;
    } catch {
        // not there for us, or not ours
    }
    return settings;
}

class Solution {
    private editor: Editor | null = null;
    private loading = false;
    private timer = 0;
    private readonly drafts: Drafts;
    private readonly given: string; // what the server has put into the text area
    private settings = stored_settings();
    private readonly list = element("details", "drafts");
    private readonly note = element("p", "quiet draft-note");

    constructor(
        private readonly form: HTMLFormElement,
        private readonly area: HTMLTextAreaElement,
    ) {
        this.drafts = new Drafts(form.dataset.user ?? "", form.dataset.slug ?? "");
        this.given = area.value;
        this.begin();
        area.addEventListener("focus", () => void this.load());
        area.addEventListener("input", () => this.changed());
        form.addEventListener("keydown", (e) => this.key(e), { capture: true });
        form.addEventListener("submit", () => this.save());
        form.addEventListener("formdata", (e) => {
            if (this.editor !== null)
                e.formData.set("source", this.editor.text());
        });
        addEventListener("pagehide", () => this.save());
        document.addEventListener("visibilitychange", () => this.save());
    }

    private text(): string {
        return this.editor !== null ? this.editor.text() : this.area.value;
    }

    private show(text: string): void {
        if (this.editor !== null)
            this.editor.show(text);
        else
            this.area.value = text;
    }

    /** Goes on with the draft, unless the page shows what somebody has asked for. */
    private begin(): void {
        const draft = this.drafts.current();

        this.form.querySelector("[for=source]")?.after(this.note);
        this.area.after(this.list);
        if (this.form.dataset.given === "starter" && draft !== null) {
            this.drafts.take(draft);
            if (draft.text !== this.given) {
                this.area.value = draft.text;
                this.tell(`This is your draft of ${moment(draft.at)}.`, "Begin anew", () => this.anew());
            }
        }
        this.fill();
    }

    /** Shows the starter. What was there stays among the earlier drafts. */
    private anew(): void {
        this.drafts.keep({ text: this.text(), at: Date.now() });
        this.show(this.given);
        this.drafts.save(this.given);
        this.tell("This is the starter. What you had is among the earlier drafts.");
        this.fill();
    }

    private again(draft: Draft): void {
        this.drafts.keep({ text: this.text(), at: Date.now() });
        this.show(draft.text);
        this.drafts.save(draft.text);
        this.tell(`This is your draft of ${moment(draft.at)}.`);
        this.fill();
    }

    private tell(words: string, button?: string, then?: () => void): void {
        this.note.textContent = words + " ";
        this.note.setAttribute("role", "status");
        if (button !== undefined && then !== undefined) {
            const b = element("button", "plain", button);

            b.type = "button";
            b.addEventListener("click", then);
            this.note.append(b);
        }
    }

    /** Lists the earlier drafts by their first line that has something of their own. */
    private fill(): void {
        const drafts = this.drafts.earlier().filter((d) => d.text !== this.text());
        const items = element("ul");

        for (const draft of drafts) {
            const lines = draft.text.split("\n").length;
            const b = element("button", "plain", `${moment(draft.at)}, ${lines} lines`);

            b.type = "button";
            b.addEventListener("click", () => this.again(draft));
            items.append(element("li", "", b));
        }
        this.list.hidden = drafts.length === 0;
        this.list.replaceChildren(element("summary", "", `Earlier drafts (${drafts.length})`), items);
    }

    private changed(): void {
        clearTimeout(this.timer);
        this.timer = setTimeout(() => this.save(), SAVED_AFTER_MS);
    }

    private save(): void {
        const text = this.text();

        clearTimeout(this.timer);
        if (text === this.given && this.drafts.current() === null)
            return; // nobody has typed
        if (this.form.dataset.given !== "starter" && text === this.given)
            return;
        this.drafts.save(text);
        if (!this.drafts.works)
            this.tell("This browser keeps no draft: its storage is full, or forbidden.");
        this.fill();
    }

    private key(e: KeyboardEvent): void {
        const mode = e.shiftKey ? "run" : "submit";
        const button = this.form.querySelector<HTMLButtonElement>(`button[value=${mode}]`);

        if (e.key !== "Enter" || !(e.ctrlKey || e.metaKey) || e.altKey || button === null)
            return;
        e.preventDefault();
        e.stopPropagation();
        this.form.requestSubmit(button);
    }

    /** The fields by which somebody has the keys of another editor. */
    private choices(): HTMLElement {
        const keys = element("select");
        const relative = element("input");

        for (const name of ["standard", "vim", "emacs"])
            keys.append(new Option(name, name, false, name === this.settings.keys));
        relative.type = "checkbox";
        relative.checked = this.settings.relative;
        const set = () => {
            this.settings = { keys: keys.value as Keys, relative: relative.checked };
            try {
                localStorage.setItem(SETTINGS_KEY, JSON.stringify(this.settings));
            } catch {
                // it holds for this page alone
            }
            void this.editor?.set(this.settings);
        };
        keys.addEventListener("change", set);
        relative.addEventListener("change", set);
        return element("p", "choices", element("label", "", "Keys ", keys), " ",
            element("label", "", relative, " numbers from the cursor's line on"));
    }

    private async load(): Promise<void> {
        if (this.editor !== null || this.loading)
            return;
        this.loading = true;
        try {
            const module = await import("./editor");

            this.editor = module.mount(this.area, nonce(), () => this.changed());
            this.form.querySelector(".code-editor")?.after(this.choices());
            await this.editor.set(this.settings);
        } catch (error) {
            console.error(error); // the text area goes on
        }
        this.loading = false;
    }
}

export function solution_begin(root: ParentNode): void {
    const form = root.querySelector<HTMLFormElement>("form.editor");
    const area = form?.querySelector<HTMLTextAreaElement>("textarea");

    if (!form || !area)
        return;
    new Solution(form, area);
    if (area.readOnly)
        return;
    form.querySelector("button[value=submit]")?.setAttribute("aria-keyshortcuts", "Control+Enter");
    form.querySelector("button[value=run]")?.setAttribute("aria-keyshortcuts", "Control+Shift+Enter");
    form.append(keys());
}

/** Which keys there are, for those who do not know them. */
function keys(): HTMLElement {
    const hint = element("p", "quiet keys");
    const key = (name: string) => element("kbd", "", name);

    hint.append(key("Ctrl+Enter"), " submits, ", key("Ctrl+Shift+Enter"), " runs the samples. ",
        key("Esc"), " then ", key("Tab"), " leaves the editor.");
    return hint;
}
