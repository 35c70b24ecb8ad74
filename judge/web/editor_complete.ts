// What the editor loads once it is there: completion, with CUDA's names, and brackets that close themselves.

import { autocompletion, closeBrackets, closeBracketsKeymap, completeAnyWord, completeFromList,
    completionKeymap } from "@codemirror/autocomplete";
import { cppLanguage } from "@codemirror/lang-cpp";
import type { Extension } from "@codemirror/state";
import { keymap } from "@codemirror/view";
import { FUNCTIONS, QUALIFIERS, VARIABLES } from "./cuda_names";

const completions = completeFromList([
    ...QUALIFIERS.map((label) => ({ label, type: "keyword" })),
    ...VARIABLES.map((label) => ({ label, type: "variable" })),
    ...FUNCTIONS.map((label) => ({ label, type: "function" })),
]);

export function completion(): Extension {
    return [
        autocompletion(), closeBrackets(),
        cppLanguage.data.of({ autocomplete: completions }),
        cppLanguage.data.of({ autocomplete: completeAnyWord }),
        keymap.of([...closeBracketsKeymap, ...completionKeymap]),
    ];
}
