import type { ListedProvider } from '../../../src/engine/embeddings/index.js';
import type { Diagnosis } from '../../../src/engine/embeddings/output-schemas.js';

/** A diagnosis of a path whose key is refused, with texts that would drive a terminal. */
export const REFUSED: Diagnosis = {
  scope: 'path',
  ok: false,
  usable: null,
  provider: 'corp',
  adapter: 'openai',
  checks: [
    {
      check: 'selected',
      state: 'ok',
      text: 'corp (openai)',
      note: 'agents.list[0].memorySearch.provider',
      location: { file: '/home/ada/.svc/svc.json', line: 14, column: 23 },
    },
    {
      check: 'key',
      state: 'ok',
      text: 'models.providers.corp.apiKey (env CORP_KEY)',
      note: 'set, 51 characters',
      location: { file: '/home/ada/.svc/svc.json', line: 30, column: 7 },
    },
    {
      check: 'endpoint',
      state: 'ok',
      text: 'https://emb.corp.example/v1',
      note: 'TLS ok',
      latencyMs: 38.4,
    },
    {
      check: 'embed',
      state: 'failed',
      text: 'text-embedding-3-small',
      code: 'PROVIDER_AUTH',
      cause: '401 Incorrect API key provided\u001B[2J. (invalid_api_key)',
      hint: 'check the key from models.providers.corp.apiKey; test it with "svc provider test corp"',
    },
    { check: 'batch', state: 'off', text: 'off', note: 'not available' },
    {
      check: 'fallback',
      state: 'failed',
      text: 'gemini',
      code: 'PROVIDER_UNREACHABLE',
      cause: 'host not found',
      hint: 'check that generativelanguage.googleapis.com is reachable from this machine',
    },
    {
      check: 'vectors',
      state: 'warning',
      text: 'sqlite-vec 0.1.9',
      dimensions: 1536,
      passages: { done: 13_000, all: 13_115 },
      code: 'EMBEDDINGS_PENDING',
      cause: '115 passages have no vector yet',
      hint: 'run "svc memory index" to embed them; until then only keyword search finds them',
    },
  ],
};

/** A listed provider around what a test is about. */
export function aProvider(fields: Partial<ListedProvider> = {}): ListedProvider {
  return {
    provider: 'openai',
    adapter: 'openai',
    kind: 'general-vendor',
    role: null,
    configured: false,
    credential: {
      state: 'missing',
      source: null,
      set: false,
      hint: 'set OPENAI_API_KEY, or models.providers.openai.apiKey',
    },
    model: 'text-embedding-3-small',
    dimensions: 1536,
    endpoint: 'https://api.openai.com/v1',
    cost: 'per_token',
    batch: true,
    autoPlace: 3,
    available: false,
    why: 'set OPENAI_API_KEY, or models.providers.openai.apiKey',
    ...fields,
  };
}
