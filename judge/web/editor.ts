// The editor: CodeMirror with C++ and CUDA's names. It stands in the place of the text area. Its
// colours are those of style.css, in the light and in the dark.

import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { cpp } from "@codemirror/lang-cpp";
import { bracketMatching, foldGutter, foldKeymap, HighlightStyle, indentOnInput, indentUnit,
    syntaxHighlighting } from "@codemirror/language";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { Compartment, EditorSelection, EditorState, type Extension } from "@codemirror/state";
import { Decoration, drawSelection, dropCursor, EditorView, highlightActiveLine,
    highlightActiveLineGutter, keymap, lineNumbers, MatchDecorator, rectangularSelection,
    ViewPlugin, type DecorationSet, type ViewUpdate } from "@codemirror/view";
import { tags as t } from "@lezer/highlight";
import { QUALIFIERS, VARIABLES } from "./cuda_names";

export type Keys = "standard" | "vim" | "emacs";
export interface Settings {
    keys: Keys;
    relative: boolean; // lines are numbered from the cursor's on
}
export interface Editor {
    text(): string;
    show(text: string): void;
    set(settings: Settings): Promise<void>;
}

// --- CUDA's names, which C++ has not ---------------------------------------------------------

const cuda_words = new MatchDecorator({
    regexp: new RegExp(`\\b(?:${[...QUALIFIERS, ...VARIABLES].join("|")})\\b|<<<|>>>`, "g"),
    decoration: Decoration.mark({ class: "cm-cuda" }),
});

const cuda = ViewPlugin.fromClass(
    class {
        words: DecorationSet;

        constructor(view: EditorView) {
            this.words = cuda_words.createDeco(view);
        }
        update(update: ViewUpdate) {
            this.words = cuda_words.updateDeco(update, this.words);
        }
    },
    { decorations: (plugin) => plugin.words },
);

// --- colours ---------------------------------------------------------------------------------

const colours = HighlightStyle.define([
    { tag: [t.keyword, t.modifier, t.controlKeyword, t.operatorKeyword], color: "var(--code-keyword)" },
    { tag: [t.typeName, t.standard(t.typeName), t.className, t.namespace], color: "var(--code-type)" },
    { tag: [t.number, t.bool, t.null, t.atom], color: "var(--code-number)" },
    { tag: [t.string, t.character, t.special(t.string)], color: "var(--code-string)" },
    { tag: [t.comment, t.lineComment, t.blockComment], color: "var(--soft)", fontStyle: "italic" },
    { tag: [t.processingInstruction, t.macroName, t.meta], color: "var(--code-meta)" },
    { tag: [t.function(t.variableName), t.function(t.definition(t.variableName))], color: "var(--code-function)" },
]);

const theme = EditorView.theme({
    "&": { backgroundColor: "var(--sheet)", color: "var(--ink)", fontSize: "var(--small)", height: "100%" },
    "&.cm-focused": { outline: "2px solid var(--mark)", outlineOffset: "1px" },
    ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.5" },
    ".cm-content": { caretColor: "var(--ink)", padding: "var(--s2) 0" },
    ".cm-cursor, .cm-dropCursor": { borderLeftColor: "var(--ink)", borderLeftWidth: "2px" },
    ".cm-gutters": { backgroundColor: "var(--sheet)", color: "var(--soft)", border: "0",
        borderRight: "1px solid var(--line)" },
    ".cm-activeLine": { backgroundColor: "var(--code-line)" },
    ".cm-activeLineGutter": { backgroundColor: "var(--code-line)", color: "var(--ink)" },
    "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
        background: "var(--code-selection)" },
    ".cm-selectionMatch": { backgroundColor: "var(--code-selection)" },
    "&.cm-focused .cm-matchingBracket": { backgroundColor: "var(--code-selection)",
        outline: "1px solid var(--soft)" },
    ".cm-cuda": { color: "var(--code-cuda)", fontWeight: "600" },
    ".cm-cuda span": { color: "inherit" },
    ".cm-panels, .cm-tooltip": { backgroundColor: "var(--shade)", color: "var(--ink)",
        borderColor: "var(--line)" },
    ".cm-tooltip-autocomplete ul li[aria-selected]": { backgroundColor: "var(--accent)",
        color: "var(--accent-ink)" },
    ".cm-panel input, .cm-panel button": { minHeight: "0" },
    ".cm-panel button": { backgroundImage: "none", backgroundColor: "var(--sheet)", color: "var(--ink)" },
    ".cm-textfield": { backgroundColor: "var(--sheet)" },
    ".cm-vim-panel": { padding: "0 var(--s2)", fontFamily: "var(--mono)" },
    ".cm-vim-panel input": { color: "var(--ink)", backgroundColor: "var(--shade)" },
    "&.cm-focused .cm-fat-cursor": { backgroundColor: "var(--mark)", color: "var(--sheet) !important" },
});

// --- the editor ------------------------------------------------------------------------------

/** A source is indented as it is indented already: with tabs, or with so many spaces. */
function indentation(text: string): string {
    const first = /^(\t| {2,8})\S/m.exec(text);

    return first?.[1] ?? "    ";
}

/** The number of each line, or how far it is from the cursor's, which has its own number. */
function numbered(relative: boolean): Extension {
    if (!relative)
        return lineNumbers();
    return lineNumbers({ formatNumber: (line, state) => {
        const current = state.doc.lineAt(state.selection.main.head).number;

        return String(line === current ? line : Math.abs(line - current));
    } });
}

/** Says that the cursor is in another line than before. */
function moved(update: ViewUpdate): boolean {
    const line = (state: EditorState) => state.doc.lineAt(state.selection.main.head).number;

    return (update.selectionSet || update.docChanged) && line(update.startState) !== line(update.state);
}

/** The keys of another editor come before all others. What is loaded later has a place here. */
class Parts {
    readonly keys = new Compartment();
    readonly numbers = new Compartment();
    readonly completion = new Compartment();
    settings: Settings = { keys: "standard", relative: false };
}

async function keys_of(keys: Keys): Promise<Extension> {
    switch (keys) {
    case "vim":
        return (await import("./keys_vim")).keys();
    case "emacs":
        return (await import("./keys_emacs")).keys();
    case "standard":
        return [];
    }
}

function extensions(area: HTMLTextAreaElement, nonce: string, parts: Parts, changed: () => void): Extension[] {
    return [
        EditorView.cspNonce.of(nonce),
        parts.keys.of([]), parts.numbers.of(numbered(false)), foldGutter(), history(), drawSelection(), dropCursor(), rectangularSelection(),
        EditorState.allowMultipleSelections.of(true), EditorState.tabSize.of(4),
        indentUnit.of(indentation(area.value)), indentOnInput(), bracketMatching(),
        parts.completion.of([]), highlightActiveLine(), highlightActiveLineGutter(), highlightSelectionMatches(),
        cpp(), cuda, syntaxHighlighting(colours), theme,
        keymap.of([...searchKeymap, ...historyKeymap, ...foldKeymap, ...defaultKeymap, indentWithTab]),
        EditorState.readOnly.of(area.readOnly),
        EditorView.contentAttributes.of({ "aria-labelledby": "source-label" }),
        EditorView.updateListener.of((update) => {
            if (update.docChanged)
                changed();
            if (parts.settings.relative && moved(update))
                update.view.dispatch({ effects: parts.numbers.reconfigure(numbered(true)) });
        }),
    ];
}

/** Puts an editor in the place of the text area, with its text, its selection and the focus. */
export function mount(area: HTMLTextAreaElement, nonce: string, changed: () => void): Editor {
    const parts = new Parts();
    const selection = EditorSelection.single(area.selectionStart, area.selectionEnd);
    const view = new EditorView({
        state: EditorState.create({ doc: area.value, selection,
            extensions: extensions(area, nonce, parts, changed) }),
    });
    const focused = document.activeElement === area;
    const box = document.createElement("div");

    box.className = "code-editor";
    box.append(view.dom);
    area.before(box);
    area.hidden = true;
    if (focused) {
        view.focus();
        view.dispatch({ effects: EditorView.scrollIntoView(selection.main, { y: "center" }) });
    }
    document.getElementById("source-label")?.addEventListener("click", () => view.focus());
    void import("./editor_complete").then((module) =>
        view.dispatch({ effects: parts.completion.reconfigure(module.completion()) }));
    return {
        set: async (settings) => {
            const keys = await keys_of(settings.keys);

            parts.settings = settings;
            view.dispatch({ effects: [parts.keys.reconfigure(keys),
                parts.numbers.reconfigure(numbered(settings.relative))] });
        },
        text: () => view.state.doc.toString(),
        show: (text) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } }),
    };
}
