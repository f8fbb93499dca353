import type { Access } from '../../embeddings/open-provider.js';
import {
  bearerHeaders,
  type ExplainStatus,
  parseAnswer,
  sendRequest,
} from '../../providers/http/http-client.js';
import { jsonAt, messageIn } from '../../providers/http/status-fault.js';
import { isTooLong, mostInputsIn } from '../../providers/openai.js';
import { broken, withoutResult } from '../../providers/read-vectors.js';
import { createPacer, INTERACTIVE } from '../../providers/requests/pacer.js';
import { VendorFault } from '../../providers/vendor-fault.js';
import { firstChars } from '../../support/text.js';
import type { RerankerChoice } from '../choose-reranker.js';
import type {
  RankedDocument,
  RerankAnswer,
  RerankCost,
  Reranker,
  RerankRequest,
} from '../reranker.js';

/** What a request consists of. */
interface Question {
  readonly model: string | undefined;
  readonly query: string;
  readonly documents: readonly string[];
}

/** A form of `POST …/rerank`. All answers are read alike, see {@link readAnswer}. */
interface Dialect {
  readonly body: (question: Question) => Readonly<Record<string, unknown>>;
  /** Undefined where a request can have more documents than `topN` allows. */
  readonly maxDocuments?: number;
}

/** docs.cohere.com/reference/rerank, version 2, which vLLM, llama.cpp and others copy. */
const COHERE: Dialect = {
  body: ({ model, query, documents }) => ({ model, query, documents, top_n: documents.length }),
};

/** api.jina.ai: like Cohere's, but documents may come back. */
const JINA: Dialect = {
  ...COHERE,
  body: (question) => ({ ...COHERE.body(question), return_documents: false }),
};

/** docs.voyageai.com/reference/reranker-api. */
const VOYAGE: Dialect = {
  body: ({ model, query, documents }) => ({
    model,
    query,
    documents,
    top_k: documents.length,
    truncation: true,
  }),
};

/** text-embeddings-inference. It serves one model, and by default takes 32 texts at once. */
const TEI: Dialect = {
  body: ({ query, documents }) => ({ query, texts: documents, truncate: true }),
  maxDocuments: 32,
};

/** By provider; a compatible server may turn out to speak the dialect of TEI. */
const DIALECTS = { voyage: VOYAGE, cohere: COHERE, jina: JINA, compatible: COHERE } as const;

/** Models that read all documents together. */
const LISTWISE = /jina-reranker-v3/iu;

interface HttpSettings extends Access, Pick<RerankerChoice, 'model' | 'timeoutMs'> {
  readonly provider: keyof typeof DIALECTS;
  readonly baseUrl: string;
}

/** Vendors cut what is longer; servers with small models may refuse it. */
const VENDOR_CHARS = 8000;
const SERVER_CHARS = 4000;

/** Shorter beginnings of passages are not worth a score. */
const LEAST_CHARS = 200;

/** A vendor's service, or a server with a `/rerank` endpoint. */
export function createHttpReranker(settings: HttpSettings): Reranker {
  const { provider, model, baseUrl, credential, timeoutMs } = settings;
  const pacer = createPacer();
  // `/reranks`: Alibaba's Model Studio.
  const url = /\/rerank(?:ing|s)?$/u.test(baseUrl) ? baseUrl : `${baseUrl}/rerank`;
  const headers = bearerHeaders(credential?.value, settings.headers);
  let dialect: Dialect = DIALECTS[provider];
  /** Less once a server has refused as many documents. */
  let mostDocuments = Number.POSITIVE_INFINITY;
  const send = async (question: Question, signal: AbortSignal): Promise<RerankAnswer> => {
    const pacing = pacer.pacing(INTERACTIVE);
    const json = dialect.body(question);
    const request = { method: 'POST', url, headers, json, signal, timeoutMs, pacing } as const;
    return readAnswer(parseAnswer(await sendRequest(request, explain)));
  };
  /** In parts, if the server takes fewer documents: its scores do not depend on each other. */
  const sendAll = async ({ query, documents, signal }: RerankRequest): Promise<RerankAnswer> => {
    const answers: RerankAnswer[] = [];
    const step = Math.min(dialect.maxDocuments ?? documents.length, mostDocuments);
    for (let from = 0; from < documents.length; from += step) {
      const part = documents.slice(from, from + step);
      const { ranked, cost } = await send({ model, query, documents: part }, signal);
      answers.push({ ranked: ranked.map((one) => ({ ...one, index: one.index + from })), cost });
    }
    const ranked = answers.flatMap((answer) => answer.ranked);
    return { ranked, cost: sumOf(answers.map(({ cost }) => cost)) };
  };
  const rank = async (request: RerankRequest): Promise<RerankAnswer> => {
    try {
      return await sendAll(request);
    } catch (error) {
      if (provider !== 'compatible') throw error;
      const { mostInputs = 0 } = error instanceof VendorFault ? error.details : {};
      if (mostInputs > 0 && mostInputs < mostDocuments) {
        mostDocuments = mostInputs;
        return rank(request);
      }
      if (dialect === TEI || !asksForTexts(error)) {
        return rank({ ...request, documents: shortened(request.documents, error) });
      }
      dialect = TEI;
      return rank(request);
    }
  };
  return {
    identity: [provider, url, model ?? ''].join('\n'),
    listwise: LISTWISE.test(model ?? ''),
    maxDocumentChars: provider === 'compatible' ? SERVER_CHARS : VENDOR_CHARS,
    rank,
    close: async () => undefined,
  };
}

/** How a server of TEI refuses `documents`: "missing field `texts`". */
function asksForTexts(error: unknown): boolean {
  if (!(error instanceof VendorFault)) return false;
  const { status, message } = error.details;
  return (status === 400 || status === 422) && /\btexts\b/u.test(message);
}

/**
 * The beginnings of documents that are too long for a server: by default, llama.cpp takes 512 tokens, and some models of
 * vLLM have no more.
 *
 * @throws the error if that cannot help
 */
function shortened(documents: readonly string[], error: unknown): readonly string[] {
  const isTooLong = error instanceof VendorFault && error.details.kind === 'too_large';
  const half = Math.ceil(Math.max(...documents.map(({ length }) => length)) / 2);
  if (!isTooLong || half < LEAST_CHARS) throw error;
  return documents.map((text) => firstChars(text, half));
}

/**
 * Reads `{results: [{index, relevance_score}]}`, Voyage's `{data: […]}` or TEI's bare `[{index, score}]`.
 *
 * @throws VendorFault
 */
function readAnswer(json: unknown): RerankAnswer {
  const list = Array.isArray(json) ? json : (jsonAt(json, 'results') ?? jsonAt(json, 'data'));
  if (!Array.isArray(list)) {
    throw withoutResult(json, 'no results');
  }
  const ranked = list.map((item: unknown): RankedDocument => {
    const index = jsonAt(item, 'index');
    const score = jsonAt(item, 'relevance_score') ?? jsonAt(item, 'score');
    if (typeof index === 'number' && typeof score === 'number') return { index, score };
    throw broken('a result has no index or no score');
  });
  return { ranked, cost: costOf(json) };
}

function costOf(json: unknown): RerankCost {
  const tokens = jsonAt(json, 'usage', 'total_tokens');
  const units = jsonAt(json, 'meta', 'billed_units', 'search_units');
  return {
    ...(typeof tokens === 'number' ? { tokens } : {}),
    ...(typeof units === 'number' ? { searchUnits: units } : {}),
  };
}

function sumOf(costs: readonly RerankCost[]): RerankCost {
  const sum = (name: keyof RerankCost): RerankCost => {
    const known = costs.map((cost) => cost[name]).filter((count) => count !== undefined);
    return known.length === 0 ? {} : { [name]: known.reduce((total, count) => total + count, 0) };
  };
  return { ...sum('tokens'), ...sum('searchUnits') };
}

const explain: ExplainStatus = ({ status, body }) => {
  // Cohere's code for an invalid token.
  if (status === 498) return { kind: 'auth' };
  if (status === 501) {
    return { kind: 'setup', hint: 'start llama-server with --reranking, or choose another server' };
  }
  // How TEI reports a model that does not rerank.
  if (status === 424) return { kind: 'model' };
  const message = messageIn(body) ?? '';
  const mostInputs = mostInputsIn(message);
  if (mostInputs !== undefined) return { kind: 'too_large', mostInputs };
  if (isTooLong(status, message)) return { kind: 'too_large' };
  const isModelFault =
    /\bmodel\b.{0,300}(?:not supported|not exist|not found|unknown|invalid)/iu.test(message);
  return (status === 400 || status === 422) && isModelFault ? { kind: 'model' } : {};
};
