import type { EmbeddingInput, InputRole } from '../embedding-adapter.js';

/** Content of one vector; Google puts all parts of one content into one vector. */
export type GeminiPart =
  | { readonly text: string }
  | {
      /** `data` in base64. */
      readonly inlineData: { readonly mimeType: string; readonly data: string };
    };

/** `EmbedContentRequest` without its model (ai.google.dev, "Embeddings" of the API reference). */
export interface GeminiRequest {
  readonly content: { readonly parts: readonly GeminiPart[] };
  readonly taskType?: 'RETRIEVAL_DOCUMENT' | 'RETRIEVAL_QUERY';
  readonly title?: string;
  readonly outputDimensionality?: number;
}

/** How a model is told what a text is for; part of what makes its vectors comparable. */
export interface GeminiForm {
  /** What {@link EmbeddingIdentity} says of it. */
  readonly documentForm: string;
  /** The request that embeds one input. */
  request(input: EmbeddingInput, role: InputRole): GeminiRequest;
}

const TASKS = { document: 'RETRIEVAL_DOCUMENT', query: 'RETRIEVAL_QUERY' } as const;

/** gemini-embedding-001 and older: fields beside the content. */
const IN_FIELDS: GeminiForm = {
  documentForm: TASKS.document,
  request: (input, role) => ({
    content: { parts: [{ text: input.text }] },
    taskType: TASKS[role],
    ...(role === 'query' || !hasTitle(input) ? {} : { title: input.title }),
  }),
};

/** gemini-embedding-2 takes no notice of those fields; its guide has the task said in the text. */
const IN_TEXT: GeminiForm = {
  documentForm: 'title: {title} | text: {text}',
  request: (input, role) => ({
    content: {
      parts: [
        {
          text:
            role === 'query'
              ? `task: search result | query: ${input.text}`
              : `title: ${hasTitle(input) ? input.title : 'none'} | text: ${input.text}`,
        },
        ...mediaParts(input),
      ],
    },
  }),
};

/** The form that a model wants. */
export function geminiForm(model: string): GeminiForm {
  return speaksInText(model) ? IN_TEXT : IN_FIELDS;
}

/** Whether a model takes images and recordings besides texts. */
export function geminiTakesMedia(model: string): boolean {
  return speaksInText(model);
}

/** Tokens of one input, of which the words around a text take a few (Google's "Embeddings" guide). */
export function geminiMaxTokens(model: string): number {
  return speaksInText(model) ? 8192 - WORDS_AROUND : 2048;
}

const WORDS_AROUND = 16;

function speaksInText(model: string): boolean {
  return /^gemini-embedding-[2-9]/u.test(model);
}

function hasTitle(input: EmbeddingInput): input is EmbeddingInput & { readonly title: string } {
  return (input.title ?? '').trim() !== '';
}

function mediaParts({ media }: EmbeddingInput): readonly GeminiPart[] {
  if (media === undefined) return [];
  const { mimeType, data } = media;
  return [{ inlineData: { mimeType, data: data.toString('base64') } }];
}
