import { estimateTokens, plainText } from './requests/input-text.js';
import type { EmbeddingInput, InputRole } from './vendor.js';
import type { VendorFaultDetails } from './vendor-fault.js';

/**
 * Prompts of an open model. Servers pass texts on unchanged, so the prefixes that mark queries and
 * documents have to be sent with them.
 */
export interface ModelPrompts {
  readonly write: (input: EmbeddingInput, role: InputRole) => string;
  /** Added to documents; part of the identity. Empty for none. */
  readonly documentForm: string;
}

interface OpenModel {
  readonly name: RegExp;
  /** Maximum tokens of an input; undefined for 2,048 or more. */
  readonly tokens?: number;
  readonly query?: string;
  readonly document?: string;
}

const PASSAGES = 'Represent this sentence for searching relevant passages: ';

/**
 * From the model cards on huggingface.co; the first match counts. all-minilm has 512 tokens, but
 * Ollama serves it with 256 (github.com/ollama/ollama, issue 14186).
 */
const OPEN_MODELS: readonly OpenModel[] = [
  {
    name: /nomic-embed-text-v2/u,
    tokens: 512,
    query: 'search_query: ',
    document: 'search_document: ',
  },
  { name: /nomic-embed-text/u, query: 'search_query: ', document: 'search_document: ' },
  { name: /mxbai-embed-large/u, tokens: 512, query: PASSAGES },
  { name: /snowflake-arctic-embed(?:2|-[ml]-v2)/u, query: 'query: ' },
  { name: /snowflake-arctic-embed/u, tokens: 512, query: PASSAGES },
  { name: /bge-(?:small|base|large)-zh/u, tokens: 512 },
  { name: /bge-(?:small|base|large)/u, tokens: 512, query: PASSAGES },
  {
    name: /qwen3-embedding/u,
    query:
      'Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:',
  },
  {
    name: /embedding-?gemma/u,
    query: 'task: search result | query: ',
    document: 'title: {title} | text: {text}',
  },
  {
    name: /multilingual-e5|e5-(?:small|base|large)/u,
    tokens: 512,
    query: 'query: ',
    document: 'passage: ',
  },
  { name: /all-minilm/u, tokens: 256 },
  { name: /granite-embedding|paraphrase-multilingual/u, tokens: 512 },
];

/** The prompts of a model, by its name in Ollama, LM Studio or Hugging Face. */
export function promptsOf(model: string): ModelPrompts {
  const { query = '', document: form = '' } = openModel(model);
  return {
    write: (input, role) => {
      if (role === 'query') return query + plainText(input);
      return form.includes('{text}') ? filled(form, input) : form + plainText(input);
    },
    documentForm: form,
  };
}

/** For models with a title field. */
function filled(form: string, { title, text }: EmbeddingInput): string {
  const parts: Readonly<Record<string, string>> = {
    '{title}': title === undefined || title === '' ? 'none' : title,
    '{text}': text,
  };
  // In one pass, since the texts may contain the placeholders.
  return form.replaceAll(/\{(?:title|text)\}/gu, (mark) => parts[mark] ?? mark);
}

/** How many tokens of text fit next to the prompt, on a server whose own limit is `most`. */
export function inputTokensOf(model: string, most: number): number {
  const { tokens = most, query = '', document: form = '' } = openModel(model);
  const prompt = Math.max(estimateTokens(query), estimateTokens(form));
  return Math.min(tokens, most) - prompt;
}

/** Fewer tokens fit into any model. */
const LEAST_LIMIT = 128;

/**
 * How Ollama reports, in both of its APIs, that a model fails on a text, or on all texts: its numbers are none, or it crashes
 * on more tokens than its batch has (github.com/ollama/ollama, issues 15582 and 16582).
 */
export function modelFailure(
  message = '',
  inputs: readonly EmbeddingInput[],
): Partial<VendorFaultDetails> {
  if (/unsupported value: (?:NaN|[+-]Inf)/u.test(message))
    return { kind: 'input', isInVector: true };
  const hasCrashed = /^(?:do embedding request: .*)?EOF$/u.test(message);
  return hasCrashed && inputs.some((input) => estimateTokens(plainText(input)) > LEAST_LIMIT)
    ? { kind: 'too_large', isInVector: true }
    : {};
}

function openModel(model: string): OpenModel {
  const name = model.toLowerCase();
  return OPEN_MODELS.find((row) => row.name.test(name)) ?? { name: /^/u };
}
