import { messageOf, SvcError } from '../errors/index.js';
import { errorOfFault } from '../providers/provider-error.js';
import { shownAddress, VendorFault, type VendorFaultDetails } from '../providers/vendor-fault.js';
import { formatModel } from '../support/format.js';
import type { RerankerChoice } from './choose-reranker.js';

/** A document's relevance to the query. */
export interface RankedDocument {
  /** Position among the documents of the request. */
  readonly index: number;
  /** Higher is better; the scale depends on the model. */
  readonly score: number;
}

/** What a vendor bills, if it reports that. */
export interface RerankCost {
  readonly tokens?: number | undefined;
  /** Cohere's unit: one query with up to 100 documents. */
  readonly searchUnits?: number | undefined;
}

export interface RerankRequest {
  readonly query: string;
  /** None is blank. */
  readonly documents: readonly string[];
  readonly signal: AbortSignal;
}

export interface RerankAnswer {
  /** In any order; documents may be missing. Checked by the caller. */
  readonly ranked: readonly RankedDocument[];
  readonly cost: RerankCost;
}

/** A model that scores how well documents answer a query. Implemented by the files of adapters/. */
export interface Reranker {
  /** Equal only for rerankers that give the same scores. */
  readonly identity: string;
  /** Whether a score depends on the other documents, so that it only holds for the whole list. */
  readonly listwise: boolean;
  /** Longer documents are cut. */
  readonly maxDocumentChars: number;
  /** @throws VendorFault, or the signal's reason */
  rank(request: RerankRequest): Promise<RerankAnswer>;
  close(): Promise<void>;
}

/** Converts any failure of a reranker. */
export function asRerankError(error: unknown, choice: RerankerChoice): SvcError {
  if (error instanceof SvcError) return error;
  const what = `reranker ${formatModel(choice.provider, choice.model)}`;
  const isLate = error instanceof DOMException && error.name === 'TimeoutError';
  const fault = isLate ? tooLate(choice) : error;
  if (!(fault instanceof VendorFault)) {
    return new SvcError('PROVIDER_REFUSED', `${what}: ${messageOf(error)}`, { cause: error });
  }
  const { provider, model, baseUrl } = choice;
  const endpoint = baseUrl === undefined ? undefined : shownAddress(baseUrl);
  const hint = hintFor(fault.details, choice);
  return errorOfFault(fault, what, hint, { provider, model, endpoint });
}

function tooLate({ timeoutMs }: RerankerChoice): VendorFault {
  return new VendorFault('timeout', `no answer within ${timeoutMs / 1000} s`, {
    hint: 'raise memorySearch.query.rerank.timeoutMs, or lower topN',
  });
}

function hintFor({ kind, url }: VendorFaultDetails, choice: RerankerChoice): string {
  const { credential, model, baseUrl } = choice;
  const endpoint = baseUrl === undefined ? 'the endpoint' : shownAddress(baseUrl);
  const settings = 'memorySearch.query.rerank';
  switch (kind) {
    case 'auth': {
      if (credential.state === 'found') {
        const { source } = credential;
        return `check the key from ${source === 'remote.apiKey' ? `${settings}.${source}` : source}`;
      }
      const withheld = credential.state === 'not_needed' ? credential.withheld : undefined;
      return withheld === undefined
        ? `set ${settings}.remote.apiKey`
        : `${withheld} is only sent to the vendor's own address; set ${settings}.remote.apiKey to "env:${withheld}" to send it to ${endpoint}`;
    }
    case 'quota':
      return 'check the balance and limits of the account; waiting does not help';
    case 'model':
      return `check ${settings}.model (${model ?? 'unset'}) and the address ${url ?? endpoint}`;
    case 'answer':
      return `check that ${endpoint} serves reranking${model === undefined ? '' : ` with ${model}`}`;
    case 'rate':
    case 'overload':
      return 'try again later';
    case 'network':
    case 'timeout':
      return `check that ${endpoint} is reachable`;
    case 'input':
    case 'request':
    case 'setup':
    case 'too_large':
      return 'test it with "svc memory status --deep"';
  }
}
