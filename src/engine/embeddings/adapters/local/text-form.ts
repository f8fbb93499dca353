import type { EmbeddingInput, InputRole } from '../../embedding-adapter.js';
import { plainText } from '../../requests/input-text.js';

/** What a model wants before a text, as its maker's model card says. */
export interface TextForm {
  /** Part of the identity: documents of two forms have vectors that do not compare. */
  readonly documentForm: string;
  readonly write: (input: EmbeddingInput, role: InputRole) => string;
}

const PLAIN: TextForm = { documentForm: '', write: plainText };

/** Models by a part of their file's name; those not listed want nothing. */
const FORMS: readonly (readonly [name: RegExp, form: TextForm])[] = [
  [
    // ai.google.dev/gemma/docs/embeddinggemma/model_card, "Prompt instructions"
    /embedding-?gemma/iu,
    {
      documentForm: 'title: {title} | text: {text}',
      write: ({ title, text }, role) =>
        role === 'query'
          ? `task: search result | query: ${text}`
          : `title: ${title === undefined || title === '' ? 'none' : title} | text: ${text}`,
    },
  ],
  // huggingface.co/nomic-ai/nomic-embed-text-v1.5, "Task instruction prefixes"
  [/nomic-embed-text/iu, prefixed('search_document: ', 'search_query: ')],
  // huggingface.co/mixedbread-ai/mxbai-embed-large-v1, "Quickstart"
  [
    /mxbai-embed-large/iu,
    prefixed('', 'Represent this sentence for searching relevant passages: '),
  ],
  // huggingface.co/Qwen/Qwen3-Embedding-0.6B, "Usage"
  [
    /qwen3-embedding/iu,
    prefixed(
      '',
      'Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:',
    ),
  ],
];

/** The form for a model, by its reference or file name: the file may not be there yet. */
export function textFormOf(modelName: string): TextForm {
  return FORMS.find(([name]) => name.test(modelName))?.[1] ?? PLAIN;
}

function prefixed(document: string, query: string): TextForm {
  return {
    documentForm: document,
    write: (input, role) => `${role === 'query' ? query : document}${plainText(input)}`,
  };
}
