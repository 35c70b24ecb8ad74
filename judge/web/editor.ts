// The editor: CodeMirror with C++ and CUDA's names. It stands in the place of the text area. Its
// colours are those of style.css, in the light and in the dark.

import { autocompletion, closeBrackets, closeBracketsKeymap, completeAnyWord, completeFromList,
    completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { cppLanguage, cpp } from "@codemirror/lang-cpp";
import { bracketMatching, foldGutter, foldKeymap, HighlightStyle, indentOnInput, indentUnit,
    syntaxHighlighting } from "@codemirror/language";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { EditorSelection, EditorState, type Extension } from "@codemirror/state";
import { Decoration, drawSelection, dropCursor, EditorView, highlightActiveLine,
    highlightActiveLineGutter, keymap, lineNumbers, MatchDecorator, rectangularSelection,
    ViewPlugin, type DecorationSet, type ViewUpdate } from "@codemirror/view";
import { tags as t } from "@lezer/highlight";

export interface Editor {
    text(): string;
    show(text: string): void;
}

// --- CUDA's names, which C++ has not ---------------------------------------------------------

const QUALIFIERS = ["__global__", "__device__", "__host__", "__shared__", "__constant__",
    "__managed__", "__restrict__", "__launch_bounds__", "__forceinline__", "__noinline__",
    "__grid_constant__"];
const VARIABLES = ["threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize"];
const FUNCTIONS = ["__syncthreads", "__syncwarp", "__shfl_sync", "__shfl_up_sync",
    "__shfl_down_sync", "__shfl_xor_sync", "__ballot_sync", "__any_sync", "__all_sync",
    "__activemask", "__reduce_add_sync", "__threadfence", "__threadfence_block", "__ldg",
    "__popc", "__clz", "__ffs", "__fmaf_rn", "__expf", "__logf", "__fdividef", "atomicAdd",
    "atomicMax", "atomicMin", "atomicCAS", "atomicExch", "rsqrtf", "cudaMalloc", "cudaFree",
    "cudaMemcpy", "cudaMemcpyAsync", "cudaMemset", "cudaMemsetAsync", "cudaDeviceSynchronize",
    "cudaStreamCreate", "cudaStreamDestroy", "cudaMallocAsync", "cudaFreeAsync",
    "cudaFuncSetAttribute", "cudaGetLastError", "float2", "float4", "int2", "int4", "half",
    "half2", "nv_bfloat16", "make_float4", "dim3"];

const completions = completeFromList([
    ...QUALIFIERS.map((label) => ({ label, type: "keyword" })),
    ...VARIABLES.map((label) => ({ label, type: "variable" })),
    ...FUNCTIONS.map((label) => ({ label, type: "function" })),
]);

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
});

// --- the editor ------------------------------------------------------------------------------

/** A source is indented as it is indented already: with tabs, or with so many spaces. */
function indentation(text: string): string {
    const first = /^(\t| {2,8})\S/m.exec(text);

    return first?.[1] ?? "    ";
}

function extensions(area: HTMLTextAreaElement, nonce: string, changed: () => void): Extension[] {
    return [
        EditorView.cspNonce.of(nonce),
        lineNumbers(), foldGutter(), history(), drawSelection(), dropCursor(), rectangularSelection(),
        EditorState.allowMultipleSelections.of(true), EditorState.tabSize.of(4),
        indentUnit.of(indentation(area.value)), indentOnInput(), bracketMatching(), closeBrackets(),
        autocompletion(), highlightActiveLine(), highlightActiveLineGutter(), highlightSelectionMatches(),
        cpp(), cppLanguage.data.of({ autocomplete: completions }),
        cppLanguage.data.of({ autocomplete: completeAnyWord }), cuda,
        syntaxHighlighting(colours), theme,
        keymap.of([...closeBracketsKeymap, ...completionKeymap, ...searchKeymap, ...historyKeymap,
            ...foldKeymap, ...defaultKeymap, indentWithTab]),
        EditorState.readOnly.of(area.readOnly),
        EditorView.contentAttributes.of({ "aria-labelledby": "source-label" }),
        EditorView.updateListener.of((update) => {
            if (update.docChanged)
                changed();
        }),
    ];
}

/** Puts an editor in the place of the text area, with its text, its selection and the focus. */
export function mount(area: HTMLTextAreaElement, nonce: string, changed: () => void): Editor {
    const selection = EditorSelection.single(area.selectionStart, area.selectionEnd);
    const view = new EditorView({
        state: EditorState.create({ doc: area.value, selection,
            extensions: extensions(area, nonce, changed) }),
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
    return {
        text: () => view.state.doc.toString(),
        show: (text) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } }),
    };
}
