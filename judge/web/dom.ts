// What all scripts of the pages need of the document. Text is set as text, and never as HTML.

/** A new element of this class, with texts and elements in it. */
export function element<K extends keyof HTMLElementTagNameMap>(
    name: K, css = "", ...inner: (string | Node)[]
): HTMLElementTagNameMap[K] {
    const e = document.createElement(name);

    if (css !== "")
        e.className = css;
    e.append(...inner);
    return e;
}

/** The nonce of the page, which its Content-Security-Policy asks of styles. */
export function nonce(): string {
    return document.querySelector<HTMLScriptElement>("script[nonce]")?.nonce ?? "";
}

/** A moment as people of this browser's place write it: of today without the day. */
export function moment(ms: number): string {
    const then = new Date(ms);
    const today = then.toDateString() === new Date().toDateString();

    return then.toLocaleString(undefined, today ? { timeStyle: "short" }
        : { dateStyle: "medium", timeStyle: "short" });
}

let region: HTMLElement | null = null;

/** Has a screen reader say it, when it has said what it is saying. */
export function announce(words: string): void {
    if (region === null)
        announce_begin();
    region!.textContent = words;
}

/** A region must be there before what it says. */
export function announce_begin(): void {
    region = element("p", "away");
    region.setAttribute("role", "status");
    document.body.append(region);
}
