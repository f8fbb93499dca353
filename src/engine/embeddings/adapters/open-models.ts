import type { EmbeddingInput } from '../embedding-adapter.js';
import { estimateTokens, plainText } from '../requests/input-text.js';

/**
 * What an open model expects around its inputs. Servers that run such models pass texts on as they
 * are, so the words by which the model tells questions from documents have to be sent with them.
 */
export interface ModelPrompts {
  readonly query: (text: string) => string;
  readonly document: (input: EmbeddingInput) => string;
  /** What {@link document} adds, for the identity; empty when it adds nothing. */
  readonly documentForm: string;
}

interface OpenModel {
  readonly name: RegExp;
  /** How long an input may be, in tokens; absent where the model takes 2048 or more. */
  readonly tokens?: number;
  readonly query?: string;
  readonly document?: string;
}

const PASSAGES = 'Represent this sentence for searching relevant passages: ';

/**
 * Prompts and lengths from the model cards on huggingface.co; the first row that fits counts.
 * all-minilm takes 512, but Ollama serves it with 256 (github.com/ollama/ollama, issue 14186).
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

/** The prompts of a model by its name, as Ollama, LM Studio or Hugging Face write it. */
export function promptsOf(model: string): ModelPrompts {
  const { query = '', document: form = '' } = openModel(model);
  return {
    query: (text) => query + text,
    document: (input) => (form.includes('{text}') ? filled(form, input) : form + plainText(input)),
    documentForm: form,
  };
}

/** For models with a place of their own for titles. */
function filled(form: string, { title, text }: EmbeddingInput): string {
  const parts: Readonly<Record<string, string>> = {
    '{title}': title === undefined || title === '' ? 'none' : title,
    '{text}': text,
  };
  // In one go, since the texts may hold the marks themselves.
  return form.replaceAll(/\{(?:title|text)\}/gu, (mark) => parts[mark] ?? mark);
}

/**
 * How many tokens of a text a model takes on a server whose own limit is `most`, beside the prompt.
 */
export function inputTokensOf(model: string, most: number): number {
  const { tokens = most, query = '', document: form = '' } = openModel(model);
  const prompt = Math.max(estimateTokens(query), estimateTokens(form));
  return Math.min(tokens, most) - prompt;
}

function openModel(model: string): OpenModel {
  const name = model.toLowerCase();
  return OPEN_MODELS.find((row) => row.name.test(name)) ?? { name: /^/u };
}
