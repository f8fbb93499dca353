import {
  providerListOutputSchema,
  providerTestOutputSchema,
} from '../../src/engine/embeddings/output-schemas.js';
import type { JsonDocument } from './json-document.js';

const list: JsonDocument = {
  title: 'svc provider list',
  introduction:
    'All adapters in the order of auto-detection, then the entries of `models.providers` that name one. No provider is contacted.',
  schema: providerListOutputSchema,
  example: {
    agent: 'main',
    primary: 'openai',
    fallback: null,
    providers: [
      {
        provider: 'openai',
        adapter: 'openai',
        kind: 'general-vendor',
        role: 'primary',
        configured: false,
        credential: { state: 'found', source: 'env OPENAI_API_KEY', set: true, hint: null },
        model: 'text-embedding-3-small',
        dimensions: 1536,
        endpoint: 'https://api.openai.com/v1',
        cost: 'per_token',
        batch: true,
        autoPlace: 3,
        available: true,
        why: 'auto-detected by env OPENAI_API_KEY',
      },
    ],
    warnings: [],
  },
};

const test: JsonDocument = {
  title: 'svc provider test',
  introduction: 'Each step and its result. Exits with 1 if `ok` is false.',
  schema: providerTestOutputSchema,
  example: {
    agent: 'main',
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
      { check: 'key', state: 'ok', text: 'env CORP_API_KEY', note: 'set, 51 characters' },
      {
        check: 'endpoint',
        state: 'ok',
        text: 'https://emb.corp.example/v1',
        note: 'TLS ok',
        latencyMs: 38.2,
      },
      {
        check: 'embed',
        state: 'failed',
        text: 'text-embedding-3-small',
        code: 'PROVIDER_AUTH',
        cause: '401 Incorrect API key provided. (invalid_api_key)',
        hint: 'check the key from env CORP_API_KEY; test it with "svc provider test corp"',
      },
      { check: 'batch', state: 'off', text: 'off', note: 'not available' },
      { check: 'fallback', state: 'off', text: 'none' },
      {
        check: 'vectors',
        state: 'ok',
        text: 'sqlite-vec 0.1.9',
        dimensions: 1536,
        passages: { done: 13115, all: 13115 },
      },
    ],
    warnings: [],
  },
};

/** The documents of the provider commands. */
export const PROVIDER_DOCUMENTS: readonly JsonDocument[] = [list, test];
