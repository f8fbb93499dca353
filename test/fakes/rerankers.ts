import * as z from 'zod/mini';
import {
  type FakeAnswer,
  type FakeVendor,
  type RecordedRequest,
  startFake,
  type Trouble,
} from './fake-vendor.js';
import { meaningOf } from './meaning.js';
import { jsonBody, strictTokens, total } from './openai-shape.js';

/** The key that the fakes take. */
export const RERANK_KEY = 'rk-test-0123456789abcdef';

/** How well a document answers a query, from 0 to 1. */
export type Relevance = (query: string, document: string, model: string | undefined) => number;

/** Settings of a fake. */
export interface RerankFakeOptions {
  /** By shared words by default. */
  readonly relevance?: Relevance;
  /** Tokens that a server takes at once: query and document. */
  readonly maxTokens?: number;
  /** Documents that a server of TEI takes at once. */
  readonly maxDocuments?: number;
}

const DIMENSIONS = 256;

const sharedWords: Relevance = (query, document) => {
  const [a, b] = [meaningOf(query, DIMENSIONS), meaningOf(document, DIMENSIONS)];
  return Math.max(
    0,
    Math.min(
      1,
      a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0),
    ),
  );
};

interface RankedDocument {
  readonly index: number;
  readonly score: number;
}

/** What distinguishes the server of one vendor. */
interface Dialect<Body> {
  readonly paths: readonly string[];
  readonly schema: z.ZodMiniType<Body>;
  readonly question: (body: Body) => {
    readonly query: string;
    readonly documents: readonly string[];
    readonly limit: number | undefined;
  };
  readonly model?: (body: Body) => string | undefined;
  /** The error for a request that fits the schema but is refused anyway. */
  readonly refusal?: (body: Body) => FakeAnswer | undefined;
  readonly answer: (body: Body, ranked: readonly RankedDocument[], tokens: number) => unknown;
  readonly invalid: (why: string) => FakeAnswer;
  readonly failure: (status: number, message: string) => FakeAnswer;
  /** Whether results come best first; clients must sort those of the others. */
  readonly sorted: boolean;
}

function start<Body>(dialect: Dialect<Body>, options: RerankFakeOptions): Promise<FakeVendor> {
  const { failure } = dialect;
  return startFake({
    answer: (request, trouble) => answerWith(dialect, request, trouble, options),
    troubleAnswers: {
      key_refused: failure(401, `invalid api token ${RERANK_KEY}`),
      forbidden: failure(403, 'not allowed'),
      quota_spent: failure(402, 'insufficient balance'),
      overloaded: failure(503, 'overloaded'),
      rate_limited: { ...failure(429, 'too many requests'), headers: { 'retry-after': '1' } },
      rate_limited_without_wait: failure(429, 'too many requests'),
      too_large: failure(413, 'too large'),
    },
  });
}

function answerWith<Body>(
  dialect: Dialect<Body>,
  request: RecordedRequest,
  trouble: Trouble | undefined,
  { relevance = sharedWords }: RerankFakeOptions,
): FakeAnswer {
  const { failure } = dialect;
  if (request.method !== 'POST' || !dialect.paths.includes(request.path)) {
    return failure(404, 'Not Found');
  }
  if (request.headers.authorization !== `Bearer ${RERANK_KEY}`) return failure(401, 'no api token');
  const parsed = dialect.schema.safeParse(jsonBody(request));
  if (!parsed.success) return dialect.invalid(z.prettifyError(parsed.error));
  const refused = dialect.refusal?.(parsed.data);
  if (refused !== undefined) return refused;
  const { query, documents, limit } = dialect.question(parsed.data);
  const model = dialect.model?.(parsed.data);
  const scored = documents.map((text, index) => ({ index, score: relevance(query, text, model) }));
  const best = scored.toSorted((a, b) => b.score - a.score).slice(0, limit);
  const ranked = withTrouble(dialect.sorted ? best : best.reverse(), trouble);
  const tokens = total(strictTokens([...documents, ...documents.map(() => query)]));
  return { status: 200, body: dialect.answer(parsed.data, ranked, tokens) };
}

/** Applies the troubles that are in an otherwise good answer. */
function withTrouble(
  ranked: readonly RankedDocument[],
  trouble: Trouble | undefined,
): readonly RankedDocument[] {
  switch (trouble) {
    // One too many: the first result twice.
    case 'wrong_count':
      return [...ranked, ...ranked.slice(0, 1)];
    // A document that was not sent.
    case 'wrong_dimensions':
      return ranked.map((one, at) => (at === 0 ? { ...one, index: ranked.length } : one));
    // JSON has no NaN; it is sent as null.
    case 'not_finite':
      return ranked.map((one, at) => (at === 0 ? { ...one, score: Number.NaN } : one));
    default:
      return ranked;
  }
}

const text = z.string().check(z.minLength(1));
const texts = z.array(text).check(z.minLength(1));
const limit = z.optional(z.int().check(z.minimum(1)));

const results = (ranked: readonly RankedDocument[]) =>
  ranked.map(({ index, score }) => ({ index, relevance_score: score }));

const COHERE_MODELS = [
  'rerank-v4.0-pro',
  'rerank-v4.0-fast',
  'rerank-v3.5',
  'rerank-english-v3.0',
  'rerank-multilingual-v3.0',
];

/** Cohere's `POST /v2/rerank` (the types of its own library, cohere-ai 8). */
export function startCohereRerankFake(options: RerankFakeOptions = {}): Promise<FakeVendor> {
  const failure = (status: number, message: string) => ({ status, body: { message } });
  return start(
    {
      paths: ['/v2/rerank'],
      schema: z.strictObject({
        model: text,
        query: text,
        documents: texts,
        top_n: limit,
        max_tokens_per_doc: z.optional(z.int()),
        priority: z.optional(z.int()),
      }),
      question: ({ query, documents, top_n }) => ({ query, documents, limit: top_n }),
      refusal: ({ model, documents }) => {
        if (!COHERE_MODELS.includes(model)) return failure(404, `model '${model}' not found`);
        return documents.length > 10_000 ? failure(400, 'too many documents') : undefined;
      },
      answer: ({ documents }, ranked) => ({
        id: '07734bd2',
        results: results(ranked),
        meta: { billed_units: { search_units: Math.ceil(documents.length / 100) } },
      }),
      invalid: (why) => failure(400, `invalid request: ${why}`),
      failure,
      sorted: true,
    },
    options,
  );
}

const VOYAGE_MODELS = ['rerank-2.5', 'rerank-2.5-lite', 'rerank-2', 'rerank-2-lite'];

/** Voyage's `POST /v1/rerank` ("Reranker API" of its reference). */
export function startVoyageRerankFake(options: RerankFakeOptions = {}): Promise<FakeVendor> {
  const failure = (status: number, detail: string) => ({ status, body: { detail } });
  return start(
    {
      paths: ['/v1/rerank'],
      schema: z.strictObject({
        model: text,
        query: text,
        documents: texts,
        top_k: limit,
        return_documents: z.optional(z.boolean()),
        truncation: z.optional(z.boolean()),
      }),
      question: ({ query, documents, top_k }) => ({ query, documents, limit: top_k }),
      refusal: ({ model, documents, query }) => {
        if (!VOYAGE_MODELS.includes(model)) {
          return failure(400, `Model ${model} is not supported. Supported models are [...].`);
        }
        if (documents.length > 1000) return failure(400, 'The number of documents exceeds 1000.');
        const [queryTokens = 0] = strictTokens([query]);
        const tokens = queryTokens * documents.length + total(strictTokens(documents));
        return tokens > 600_000 ? failure(400, 'The request exceeds 600K tokens.') : undefined;
      },
      answer: ({ model }, ranked, tokens) => ({
        object: 'list',
        data: results(ranked),
        model,
        usage: { total_tokens: tokens },
      }),
      invalid: (why) => failure(400, why),
      failure,
      sorted: true,
    },
    options,
  );
}

/** Jina's `POST /v1/rerank`. It returns the documents unless the request refuses them. */
export function startJinaRerankFake(options: RerankFakeOptions = {}): Promise<FakeVendor> {
  const failure = (status: number, detail: string) => ({ status, body: { detail } });
  return start(
    {
      paths: ['/v1/rerank'],
      schema: z.strictObject({
        model: text,
        query: text,
        documents: texts,
        top_n: limit,
        return_documents: z.literal(false),
      }),
      question: ({ query, documents, top_n }) => ({ query, documents, limit: top_n }),
      refusal: ({ model }) =>
        /^jina-/.test(model) ? undefined : failure(422, `Model ${model} not found`),
      answer: ({ model }, ranked, tokens) => ({
        model,
        usage: { total_tokens: tokens },
        results: results(ranked),
      }),
      invalid: (why) => failure(422, why),
      failure,
      sorted: false,
    },
    options,
  );
}

/** A vLLM server: Cohere's form; it always returns the documents. */
export function startVllmRerankFake(options: RerankFakeOptions = {}): Promise<FakeVendor> {
  const failure = (code: number, message: string) => ({
    status: code,
    body: { error: { message, type: 'BadRequestError', param: null, code } },
  });
  return start(
    {
      paths: ['/rerank', '/v1/rerank', '/v1/reranks', '/v2/rerank'],
      schema: z.strictObject({
        model: z.optional(text),
        query: text,
        documents: texts,
        top_n: z.optional(z.int().check(z.minimum(0))),
      }),
      question: ({ query, documents, top_n = 0 }) => ({
        query,
        documents,
        limit: top_n === 0 ? undefined : top_n,
      }),
      model: ({ model }) => model,
      refusal: ({ model }) =>
        model === 'unknown' ? failure(404, 'The model `unknown` does not exist.') : undefined,
      answer: ({ documents, model = 'served' }, ranked, tokens) => ({
        id: 'rerank-1',
        model,
        usage: { total_tokens: tokens },
        results: ranked.map(({ index, score }) => ({
          index,
          document: { text: documents[index] },
          relevance_score: score,
        })),
      }),
      invalid: (why) => failure(400, why),
      failure,
      sorted: true,
    },
    options,
  );
}

/** llama.cpp's server with `--reranking`: raw scores, here as an old release sends them, unsorted. */
export function startLlamaRerankFake(options: RerankFakeOptions = {}): Promise<FakeVendor> {
  const failure = (code: number, message: string) => ({
    status: code,
    body: { error: { code, message, type: 'invalid_request_error' } },
  });
  return start(
    {
      paths: ['/rerank', '/reranking', '/v1/rerank', '/v1/reranking'],
      schema: z.strictObject({
        model: z.optional(text),
        query: text,
        documents: texts,
        top_n: limit,
      }),
      question: ({ query, documents }) => ({ query, documents, limit: undefined }),
      // As for `--ubatch-size`, with status 500 (github.com/ggml-org/llama.cpp, issue 11105).
      refusal: ({ query, documents }) => {
        const { maxTokens = Number.POSITIVE_INFINITY } = options;
        const tokens = Math.max(...strictTokens(documents.map((one) => query + one)));
        const message = `input (${tokens} tokens) is too large to process. increase the physical batch size`;
        return tokens > maxTokens ? failure(500, message) : undefined;
      },
      answer: ({ model = 'model.gguf' }, ranked, tokens) => ({
        model,
        object: 'list',
        usage: { prompt_tokens: tokens, total_tokens: tokens },
        results: ranked.map(({ index, score }) => ({ index, relevance_score: 20 * score - 10 })),
      }),
      invalid: (why) => failure(400, why),
      failure,
      sorted: false,
    },
    options,
  );
}

/** Texts that a TEI server takes at once, by default. */
const TEI_BATCH = 32;

/** A server of text-embeddings-inference (its router's types). */
export function startTeiRerankFake(options: RerankFakeOptions = {}): Promise<FakeVendor> {
  const failure = (status: number, error: string) =>
    status === 401
      ? { status, body: '' }
      : { status, body: { error, error_type: status === 413 ? 'validation' : 'backend' } };
  return start(
    {
      paths: ['/rerank', '/'],
      // Its parser ignores what it does not know.
      schema: z.object({
        query: text,
        texts: z.array(z.string()),
        truncate: z.optional(z.boolean()),
        raw_scores: z.optional(z.boolean()),
        return_text: z.optional(z.boolean()),
      }),
      question: ({ query, texts: documents }) => ({ query, documents, limit: undefined }),
      refusal: ({ texts: documents }) => {
        if (documents.length === 0 || documents.includes('')) {
          return { status: 400, body: { error: '`texts` cannot be empty', error_type: 'empty' } };
        }
        const { maxDocuments = TEI_BATCH } = options;
        if (documents.length <= maxDocuments) return undefined;
        const error = `batch size ${documents.length} > maximum allowed batch size ${maxDocuments}`;
        return { status: 422, body: { error, error_type: 'validation' } };
      },
      answer: (_, ranked) => ranked,
      invalid: () => ({
        status: 422,
        body: 'Failed to deserialize the JSON body into the target type: missing field `texts` at line 1 column 60',
      }),
      failure,
      sorted: true,
    },
    options,
  );
}
