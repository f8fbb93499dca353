import {
  providerListOutputSchema,
  providerTestOutputSchema,
} from '../../src/engine/embeddings/provider-output-schemas.js';
import { diagnosisMeanings, type JsonDocument, WARNINGS } from './json-document.js';

const list: JsonDocument = {
  title: 'svc provider list',
  introduction:
    'All adapters in the order of auto-detection, then the entries of `models.providers` that lead to one. Nobody is asked.',
  schema: providerListOutputSchema,
  meanings: {
    agent: 'Whose settings were looked at.',
    primary: 'The provider that they lead to; `null` where memory is searched by words alone.',
    fallback: 'Who stands in when that fails; `null` for none.',
    providers: 'One entry a provider.',
    'providers[].provider': "An adapter's id, or that of a `models.providers` entry.",
    'providers[].adapter': 'The adapter behind it.',
    'providers[].kind': "The adapter's kind, accepted wherever its id is; `null` for none.",
    'providers[].role': 'What it does for the agent; `null` for nothing.',
    'providers[].configured': 'Whether `provider`, `fallback` or `models.providers` name it.',
    'providers[].credential': 'Its key, never the value.',
    'providers[].credential.state': '`missing`: one is needed and none was found.',
    'providers[].credential.source': 'Where it comes from; `null` for none.',
    'providers[].credential.set':
      'Whether there is a value; `null` where only reading a file or running a program would tell.',
    'providers[].credential.mend': 'What to do for one; `null` when there is nothing to do.',
    'providers[].model': "Configured, else the default; `null` where the vendor's list decides.",
    'providers[].dimensions': 'Asked for, else what the model gives; `null` when not known.',
    'providers[].endpoint': 'Address, or `local`; `null` where region or account decide.',
    'providers[].cost': '`unknown`: whoever runs the configured address decides.',
    'providers[].batch': 'Whether the vendor has a batch API.',
    'providers[].autoPlace': 'Place in auto-detection, from 1; `null` for never.',
    'providers[].available': 'Whether auto-detection would take it if it came to it.',
    'providers[].why': 'Why it is used, or why not; for people.',
    ...WARNINGS,
  },
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
        credential: { state: 'found', source: 'env OPENAI_API_KEY', set: true, mend: null },
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
  introduction: 'What was tried and what came of it. Exits with 1 when `ok` is false.',
  schema: providerTestOutputSchema,
  meanings: {
    agent: 'Whose settings were used; `null` for a folder.',
    ...diagnosisMeanings(''),
    ...WARNINGS,
  },
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
        mend: 'check the key from env CORP_API_KEY; svc provider test corp tries again',
      },
      { check: 'batch', state: 'off', text: 'off', note: 'not offered' },
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

/** The documents of the commands that tell of providers. */
export const PROVIDER_DOCUMENTS: readonly JsonDocument[] = [list, test];
