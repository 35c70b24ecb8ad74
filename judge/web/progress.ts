// A submission's page until its verdict: the stream of its events moves the steps, and the verdict
// brings the whole page. Where there is no stream, as for who may not see the source, and while
// nobody looks, the page is asked for again and again. A browser has only six connections to a
// server, so that no page in the background may hold one.

import { announce, element } from "./dom";

const HIDDEN_MS = 5000;
const LEAST_MS = 2000;
const MOST_MS = 30000;

interface State {
    state: string;
    position?: number;
    estimate_seconds?: number;
}
interface Count {
    done: number;
    of: number;
}

class Progress {
    private stream: EventSource | null = null;
    private timer = 0;
    private wait_ms = LEAST_MS;
    private state = "";
    private ended = false;
    private readonly where = element("p", "where");
    private readonly bar = element("progress");
    private readonly count = element("label", "count", this.bar, element("span"));
    private readonly look = () => this.open();

    constructor(private readonly box: HTMLElement) {
        box.removeAttribute("role"); // announce() says less, and all of it
        box.querySelector("p")?.replaceWith(this.where);
        if (this.where.parentNode === null)
            box.append(this.where);
        this.state = box.querySelector<HTMLElement>("[aria-current]")?.dataset.state ?? "";
        this.count.hidden = true;
        box.append(this.count);
        document.addEventListener("visibilitychange", this.look);
        this.open();
    }

    /** Opens the stream, or waits where nobody looks. */
    private open(): void {
        clearTimeout(this.timer);
        this.stream?.close();
        this.stream = null;
        if (this.ended)
            return;
        if (document.hidden) {
            this.timer = setTimeout(() => void this.ask(), HIDDEN_MS);
            return;
        }
        this.stream = new EventSource(this.box.dataset.events ?? "");
        this.on<State>("state", (s) => this.move(s));
        this.on<{ cached: boolean }>("compiled", (c) =>
            this.say(c.cached ? "It was compiled before." : "It is compiled."));
        this.on<Count>("test", (c) => this.show(c, "tests passed"));
        this.on<Count>("timing", (c) => this.show(c, "timed calls made"));
        this.on("done", () => void this.ask());
        this.stream.onopen = () => {
            this.wait_ms = LEAST_MS;
        };
        this.stream.onerror = () => this.lost();
    }

    private on<T>(name: string, take: (data: T) => void): void {
        this.stream?.addEventListener(name, (e) => take(JSON.parse((e as MessageEvent<string>).data) as T));
    }

    /** A browser opens a broken stream again by itself, unless it was refused. */
    private lost(): void {
        if (this.stream?.readyState !== EventSource.CLOSED) {
            this.say("The connection is lost. It is tried again.");
            return;
        }
        this.stream = null;
        this.later();
    }

    private later(): void {
        clearTimeout(this.timer);
        this.timer = setTimeout(() => void this.ask(), this.wait_ms);
        this.wait_ms = Math.min(this.wait_ms * 2, MOST_MS);
    }

    private say(words: string): void {
        this.where.textContent = words;
    }

    private move(s: State): void {
        const step = this.box.querySelector<HTMLElement>(`[data-state=${CSS.escape(s.state)}]`);
        let words = s.position !== undefined ? `Place ${s.position} in the queue` : "";

        if (s.estimate_seconds !== undefined)
            words += `${words === "" ? "A" : ", a"}bout ${Math.round(s.estimate_seconds)} s from now`;
        this.say(words);
        if (s.position === undefined)
            this.box.querySelector("[data-reason]")?.remove();
        if (s.state === this.state || step === null)
            return;
        this.state = s.state;
        this.count.hidden = true;
        this.box.querySelector("[aria-current]")?.removeAttribute("aria-current");
        step.setAttribute("aria-current", "step");
        announce(`${step.textContent}. ${words}`);
    }

    private show(c: Count, words: string): void {
        this.say("");
        this.count.hidden = false;
        this.bar.max = c.of;
        this.bar.value = c.done;
        this.count.lastElementChild!.textContent = `${c.done} of ${c.of} ${words}`;
    }

    /** Asks for the page. With a verdict it takes this one's place. */
    private async ask(): Promise<void> {
        let main: HTMLElement | null = null;
        let title = "";

        try {
            const answer = await fetch(this.box.dataset.page ?? "", { headers: { Accept: "text/html" } });
            const page = new DOMParser().parseFromString(await answer.text(), "text/html");

            if (answer.ok)
                main = page.querySelector("main");
            title = page.title;
        } catch {
            this.say("The judge does not answer. It is asked again.");
        }
        if (this.ended)
            return;
        if (main === null || main.querySelector("[data-events]") !== null) {
            this.take_step(main);
            return;
        }
        this.ended = true;
        this.open(); // which closes the stream
        document.removeEventListener("visibilitychange", this.look);
        document.title = title;
        document.querySelector("main")!.replaceWith(main);
        announce(main.querySelector("h1")?.textContent ?? "It is done");
    }

    /** It is not done: what its page says of it is shown, and then it goes on. */
    private take_step(main: HTMLElement | null): void {
        const step = main?.querySelector<HTMLElement>("[data-events] [aria-current]");
        const where = main?.querySelector("[data-events] p");

        if (step)
            this.move({ state: step.dataset.state ?? "" });
        if (where)
            this.say(where.textContent ?? "");
        if (document.hidden)
            this.open();
        else
            this.later();
    }
}

export function progress_begin(root: ParentNode): void {
    const box = root.querySelector<HTMLElement>("[data-events]");

    if (box !== null)
        new Progress(box);
}
