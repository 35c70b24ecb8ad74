// What somebody types for a problem stays in the browser, under the user's name and the problem's. A
// draft goes to the earlier ones where another tab has written it, or where something else takes its
// place. No text is thrown away before EARLIER_MOST others have been kept after it.

export interface Draft {
    text: string;
    at: number; // ms since 1970
}

const EARLIER_MOST = 10;

export class Drafts {
    private readonly current_key: string;
    private readonly earlier_key: string;
    private known: string | null = null; // the draft as this page has read or written it
    works = true; // false: this browser keeps nothing

    constructor(user: string, slug: string) {
        this.current_key = `warpjudge:draft:${user}:${slug}`;
        this.earlier_key = `warpjudge:earlier:${user}:${slug}`;
    }

    /** The draft that was written last. */
    current(): Draft | null {
        const draft = this.read<Draft>(this.current_key);

        return draft !== null && typeof draft.text === "string" ? draft : null;
    }

    /** The ones before it, the newest first. */
    earlier(): Draft[] {
        const drafts = this.read<Draft[]>(this.earlier_key);

        return Array.isArray(drafts) ? drafts.filter((d) => typeof d?.text === "string") : [];
    }

    /** Says that this page shows that draft, and goes on from it. */
    take(draft: Draft): void {
        this.known = draft.text;
    }

    /** Keeps what is typed. Where nothing was, what another tab has written since stays the draft. */
    save(text: string): void {
        const stored = this.current();

        if (text === this.known)
            return;
        if (stored !== null && stored.text === text) {
            this.known = text;
            return;
        }
        if (stored !== null && stored.text !== this.known)
            this.keep(stored);
        if (this.write(this.current_key, { text, at: Date.now() }))
            this.known = text;
    }

    /** Puts a draft among the earlier ones. */
    keep(draft: Draft): void {
        const others = this.earlier().filter((d) => d.text !== draft.text);

        if (draft.text.trim() !== "")
            this.write(this.earlier_key, [draft, ...others].slice(0, EARLIER_MOST));
    }

    private read<T>(key: string): T | null {
        try {
            return JSON.parse(localStorage.getItem(key) ?? "null") as T | null;
        } catch {
            return null; // not there for us, or not ours
        }
    }

    private write(key: string, value: unknown): boolean {
        try {
            localStorage.setItem(key, JSON.stringify(value));
            this.works = true;
        } catch {
            this.works = false; // full, or forbidden: the page says so
        }
        return this.works;
    }
}
