import type { ResolvedMemorySearch, ResolvedRerank, SecretInput } from '../config/index.js';
import {
  type CredentialPlace,
  entryOf,
  findCredential,
  type ProviderWorld,
} from '../embeddings/index.js';
import type { KeyFacts, Provider } from '../providers/provider.js';
import { PROVIDERS } from '../providers/registry.js';
import { withoutEndSlashes } from '../providers/vendor-fault.js';

export type RerankProvider = Exclude<ResolvedRerank['provider'], 'none'>;

/** What is known about a reranker without calling it. */
interface RerankerFacts extends Pick<Provider, 'ownOrigins'> {
  /** Default address; null if there is none. */
  readonly endpoint: string | null;
  /** Default model; null if there is none. */
  readonly model: string | null;
  readonly key: KeyFacts;
  readonly timeoutMs: number;
}

const TIMEOUT_MS = 5000;
/** A local model is loaded first, and a chat model writes its answer word by word. */
const SLOW_TIMEOUT_MS = 30_000;
const NO_KEY: KeyFacts = { variables: [], required: false };

const RERANKERS: Readonly<Record<RerankProvider, RerankerFacts>> = {
  voyage: {
    endpoint: PROVIDERS.voyage.endpoint,
    ownOrigins: PROVIDERS.voyage.ownOrigins,
    model: 'rerank-2.5',
    key: PROVIDERS.voyage.key,
    timeoutMs: TIMEOUT_MS,
  },
  cohere: {
    endpoint: 'https://api.cohere.com/v2',
    model: 'rerank-v3.5',
    // Cohere's own libraries read the second.
    key: { variables: ['COHERE_API_KEY', 'CO_API_KEY'], required: true },
    timeoutMs: TIMEOUT_MS,
  },
  jina: {
    endpoint: 'https://api.jina.ai/v1',
    model: 'jina-reranker-v3',
    key: { variables: ['JINA_API_KEY'], required: true },
    timeoutMs: TIMEOUT_MS,
  },
  compatible: { endpoint: null, model: null, key: NO_KEY, timeoutMs: TIMEOUT_MS },
  local: { endpoint: null, model: null, key: NO_KEY, timeoutMs: SLOW_TIMEOUT_MS },
  chat: { endpoint: null, model: null, key: NO_KEY, timeoutMs: SLOW_TIMEOUT_MS },
};

/** The reranker that an agent's settings select. */
export interface RerankerChoice {
  readonly provider: RerankProvider;
  /** Undefined for a server that knows only one. */
  readonly model: string | undefined;
  /** Without trailing slash; undefined where nothing is sent over HTTP by the adapter itself. */
  readonly baseUrl: string | undefined;
  readonly credential: CredentialPlace;
  readonly headers: Readonly<Record<string, SecretInput>>;
  readonly timeoutMs: number;
}

/** Selects the reranker by settings alone: no secret is read, and nothing is sent. */
export function chooseReranker(
  provider: RerankProvider,
  { query: { rerank } }: Pick<ResolvedMemorySearch, 'query'>,
  world: Pick<ProviderWorld, 'config' | 'env'>,
): RerankerChoice {
  const { model, remote, timeoutMs } = rerank;
  const facts = RERANKERS[provider];
  const entry = entryOf(provider, world);
  const configured = remote.baseUrl ?? entry?.baseUrl;
  const address = configured ?? facts.endpoint;
  return {
    provider,
    model: model ?? facts.model ?? undefined,
    baseUrl: address === null ? undefined : withoutEndSlashes(address),
    credential: findCredential({
      provider,
      vendor: { id: provider, ...facts },
      remoteKey: remote.apiKey,
      entry,
      address: configured,
      env: world.env,
    }),
    headers: { ...entry?.headers, ...remote.headers },
    timeoutMs: timeoutMs ?? facts.timeoutMs,
  };
}
