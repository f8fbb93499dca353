import * as z from 'zod/mini';
import { invalid, malformed } from './bedrock-errors.js';
import { type FakeAnswer, type Trouble, troubledVectors } from './fake-vendor.js';
import { meaningOf } from './meaning.js';

/** Where the vectors are in the answers of models that have more than one place for them. */
export type AnswerShape = 'bare' | 'list' | 'typed';

/** One model of the fake. */
export interface FakeModel {
  /** Answers through an inference profile alone. */
  readonly profileOnly: boolean;
  readonly answer: (body: unknown, trouble: Trouble | undefined, shape: AnswerShape) => FakeAnswer;
}

/** What a family takes and gives. */
interface FakeFamily<Schema extends z.ZodMiniType> {
  readonly schema: Schema;
  readonly texts: (body: z.infer<Schema>) => readonly string[];
  readonly dimensions: (body: z.infer<Schema>) => number;
  readonly maxTokens: number;
  readonly give: (vectors: readonly (readonly number[])[], shape: AnswerShape) => unknown;
}

/** Keys that the model does not have are refused by name, as the service does. */
function fakeModel<Schema extends z.ZodMiniType>(
  family: FakeFamily<Schema>,
  profileOnly = false,
): FakeModel {
  return {
    profileOnly,
    answer: (json, trouble, shape) => {
      const parsed = family.schema.safeParse(json);
      if (!parsed.success) return malformed(describe(parsed.error));
      const texts = family.texts(parsed.data);
      // About four characters of words a token, and one of digits.
      const tokens = texts.map((text) => text.replace(/\D{1,4}/gu, 'w').length);
      const longest = Math.max(...tokens);
      if (longest > family.maxTokens) {
        return invalid(
          `400 Bad Request: Too many input tokens. Max input tokens: ${family.maxTokens}, request input token count: ${longest}`,
        );
      }
      const size = family.dimensions(parsed.data);
      const vectors = troubledVectors(
        texts.map((text) => meaningOf(text, size)),
        trouble,
      );
      const numbers = vectors.map((vector) => [...vector]);
      return { status: 200, body: family.give(numbers, shape) };
    },
  };
}

function describe(error: z.core.$ZodError): string {
  const [issue] = error.issues;
  if (issue?.code === 'unrecognized_keys') {
    return `#: extraneous key [${issue.keys.join()}] is not permitted`;
  }
  const path = `#/${issue?.path.join('/') ?? ''}`;
  if (issue?.code === 'too_big') return `${path}: expected maxLength: ${String(issue.maximum)}`;
  return `${path}: ${issue?.message ?? 'invalid'}`;
}

const titanText = z.string().check(z.minLength(1), z.maxLength(50_000));
const TITAN_V1 = fakeModel({
  schema: z.strictObject({ inputText: titanText }),
  texts: ({ inputText }) => [inputText],
  dimensions: () => 1536,
  maxTokens: 8192,
  give: ([embedding]) => ({ embedding, inputTextTokenCount: 3 }),
});

const cohereTexts = (maxChars: number) =>
  z
    .array(z.string().check(z.minLength(1), z.maxLength(maxChars)))
    .check(z.minLength(1), z.maxLength(96));
const cohereType = z.enum(['search_document', 'search_query', 'classification', 'clustering']);
const COHERE_V3 = fakeModel({
  schema: z.strictObject({
    texts: cohereTexts(2048),
    input_type: cohereType,
    truncate: z.optional(z.enum(['START', 'END'])),
    embedding_types: z.optional(z.array(z.string())),
  }),
  texts: ({ texts }) => texts,
  dimensions: () => 1024,
  // Longer ones are cut off, as "truncate" says.
  maxTokens: Number.POSITIVE_INFINITY,
  give: (embeddings) => ({ id: 'x', response_type: 'embeddings_floats', embeddings }),
});

const MARENGO = {
  texts: ({ text: { inputText } }: { text: { inputText: string } }) => [inputText],
  give: ([embedding]: readonly (readonly number[])[], shape: AnswerShape): unknown => {
    if (shape === 'bare') return { embedding };
    return { data: shape === 'list' ? [{ embedding }] : { embedding } };
  },
};

/** The models by id, as their own pages describe request and answer. */
export const FAKE_MODELS: Readonly<Record<string, FakeModel>> = {
  'amazon.titan-embed-text-v2:0': fakeModel({
    schema: z.strictObject({
      inputText: titanText,
      dimensions: z.optional(z.literal([256, 512, 1024])),
      normalize: z.optional(z.boolean()),
      embeddingTypes: z.optional(z.array(z.enum(['float', 'binary']))),
    }),
    texts: ({ inputText }) => [inputText],
    dimensions: ({ dimensions }) => dimensions ?? 1024,
    maxTokens: 8192,
    give: ([embedding]) => ({ embedding, inputTextTokenCount: 3 }),
  }),
  'amazon.titan-embed-text-v1': TITAN_V1,
  'amazon.titan-embed-g1-text-02': TITAN_V1,
  'amazon.titan-embed-image-v1': fakeModel({
    schema: z.strictObject({
      inputText: z.optional(z.string().check(z.minLength(1))),
      inputImage: z.optional(z.string()),
      embeddingConfig: z.optional(
        z.strictObject({ outputEmbeddingLength: z.literal([256, 384, 1024]) }),
      ),
    }),
    texts: ({ inputText = '' }) => [inputText],
    dimensions: ({ embeddingConfig }) => embeddingConfig?.outputEmbeddingLength ?? 1024,
    maxTokens: 256,
    give: ([embedding]) => ({ embedding, message: null }),
  }),
  'amazon.nova-2-multimodal-embeddings-v1:0': fakeModel({
    schema: z.strictObject({
      schemaVersion: z.optional(z.literal('nova-multimodal-embed-v1')),
      taskType: z.literal('SINGLE_EMBEDDING'),
      singleEmbeddingParams: z.strictObject({
        embeddingPurpose: z.enum([
          'GENERIC_INDEX',
          'GENERIC_RETRIEVAL',
          'TEXT_RETRIEVAL',
          'CLASSIFICATION',
        ]),
        embeddingDimension: z.optional(z.literal([256, 384, 1024, 3072])),
        text: z.strictObject({
          truncationMode: z.enum(['START', 'END', 'NONE']),
          value: z.string().check(z.minLength(1), z.maxLength(8192)),
        }),
      }),
    }),
    texts: ({ singleEmbeddingParams: { text } }) => [text.value],
    dimensions: ({ singleEmbeddingParams }) => singleEmbeddingParams.embeddingDimension ?? 3072,
    maxTokens: 8192,
    give: ([embedding]) => ({ embeddings: [{ embeddingType: 'TEXT', embedding }] }),
  }),
  'cohere.embed-english-v3': COHERE_V3,
  'cohere.embed-multilingual-v3': COHERE_V3,
  'cohere.embed-v4:0': fakeModel({
    schema: z.strictObject({
      texts: cohereTexts(600_000),
      input_type: cohereType,
      embedding_types: z.optional(z.array(z.enum(['float', 'int8']))),
      output_dimension: z.optional(z.literal([256, 512, 1024, 1536])),
      max_tokens: z.optional(z.int()),
      truncate: z.optional(z.enum(['NONE', 'LEFT', 'RIGHT'])),
    }),
    texts: ({ texts }) => texts,
    dimensions: ({ output_dimension: size }) => size ?? 1536,
    maxTokens: 128_000,
    give: (vectors, shape) => ({
      id: 'x',
      response_type: shape === 'typed' ? 'embeddings_by_type' : 'embeddings_floats',
      embeddings: shape === 'typed' ? { float: vectors } : vectors,
    }),
  }),
  'twelvelabs.marengo-embed-2-7-v1:0': fakeModel(
    {
      ...MARENGO,
      schema: z.strictObject({
        inputType: z.literal('text'),
        inputText: z.string().check(z.minLength(1)),
        textTruncate: z.optional(z.enum(['end', 'none'])),
      }),
      texts: ({ inputText }) => [inputText],
      dimensions: () => 1024,
      maxTokens: 77,
    },
    true,
  ),
  'twelvelabs.marengo-embed-3-0-v1:0': fakeModel({
    ...MARENGO,
    schema: z.strictObject({
      inputType: z.literal('text'),
      text: z.strictObject({ inputText: z.string().check(z.minLength(1)) }),
    }),
    dimensions: () => 512,
    maxTokens: 500,
  }),
};
