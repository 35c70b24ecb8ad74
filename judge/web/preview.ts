// A preview's page: an event says that the problem's folder has changed, and the page is asked for anew. The
// event's address has the version that the page shows, so that no change is missed between two of them.

import { announce } from "./dom";

const LATER_MS = 2000;

class Preview {
    private stream: EventSource | null = null;
    private box: HTMLElement;
    private readonly look = () => this.open();

    constructor(box: HTMLElement, private readonly begin: (root: ParentNode) => void) {
        this.box = box;
        document.addEventListener("visibilitychange", this.look);
        this.open();
    }

    /** Waits for a change while somebody looks: a browser has only six connections to a server. */
    private open(): void {
        this.stream?.close();
        this.stream = null;
        if (document.hidden)
            return;
        this.stream = new EventSource(this.box.dataset.preview ?? "");
        this.stream.addEventListener("changed", () => void this.ask());
        this.stream.onerror = () => {
            if (this.stream?.readyState === EventSource.CLOSED)
                setTimeout(this.look, LATER_MS); // it was refused
        };
    }

    /** Shows the page as it is now. Where it cannot be had, what is there stays. */
    private async ask(): Promise<void> {
        this.stream?.close();
        try {
            const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
            const page = new DOMParser().parseFromString(await answer.text(), "text/html");
            const main = page.querySelector("main");
            const box = main?.querySelector<HTMLElement>("[data-preview]");

            if (!answer.ok || main === null || !box)
                throw new Error();
            document.title = page.title;
            document.querySelector("main")!.replaceWith(main);
            this.box = box;
            this.begin(main);
            announce(`It has changed. ${main.querySelector("#state")?.textContent ?? ""}`);
            this.open();
        } catch {
            setTimeout(this.look, LATER_MS);
        }
    }
}

export function preview_begin(root: ParentNode, begin: (root: ParentNode) => void): void {
    const box = root.querySelector<HTMLElement>("[data-preview]");

    if (box !== null)
        new Preview(box, begin);
}
