import { isCustomAddress, PROVIDERS, type Provider } from '../../providers/registry.js';
import { suggestName } from '../../support/text.js';
import { type ConfigPath, isRecord, valueAt } from '../config-path.js';
import { isSessionReader, MIN_CANDIDATES, SESSION_READERS } from '../defaults.js';
import type { MemorySearchSettings } from '../resolved.js';
import type { ConfigInput } from '../schema/index.js';
import {
  configuredModel,
  eachScope,
  fault,
  followProvider,
  type Rule,
  type RuleFinding,
  type SearchScope,
  warning,
  written,
} from './rule.js';

const INPUT_TYPES = ['inputType', 'queryInputType', 'documentInputType'] as const;

/** Settings that the adapter ignores. */
export const settingsFitAdapter: Rule = eachScope(function* (scope, input) {
  const target = followProvider(input, scope.settings.provider);
  if (target.kind !== 'adapter') return;
  const facts = PROVIDERS[target.adapter];
  yield* unusedInputTypes(input, scope, facts);
  yield* unusedKeys(input, scope, facts);
});

function* unusedInputTypes(
  input: ConfigInput,
  scope: SearchScope,
  facts: Provider,
): Generator<RuleFinding> {
  const { inputTypes, labels } = facts;
  const { provider, remote } = scope.settings;
  const address = remote.baseUrl ?? input.models?.providers?.[provider]?.baseUrl;
  const sends =
    inputTypes === 'always' || (inputTypes !== 'never' && isCustomAddress(facts, address));
  for (const key of INPUT_TYPES) {
    const label = scope.settings[key];
    const isKnown = labels === undefined || label === undefined || labels.includes(label);
    if (sends && isKnown) continue;
    const why = sends
      ? `the provider ${JSON.stringify(provider)} only supports the labels ${labels?.join(' and ')}; ${key} is not sent`
      : `the provider ${JSON.stringify(provider)} ignores ${key}`;
    yield* unused(scope, [key], ['provider'], why);
  }
}

/** Settings of a server that is asked over the network. */
const REMOTE_KEYS = ['baseUrl', 'apiKey', 'headers'] as const;

function* unusedKeys(
  input: ConfigInput,
  scope: SearchScope,
  facts: Provider,
): Generator<RuleFinding> {
  const { provider, multimodal, remote } = scope.settings;
  if (facts.runsOn === 'process') {
    const why = 'the provider "local" uses local.modelPath and ignores model';
    yield* unusedOwn(scope, ['model'], why);
    for (const key of REMOTE_KEYS) {
      const sent = `the provider "local" sends no requests and ignores remote.${key}`;
      yield* unusedOwn(scope, ['remote', key], sent);
    }
  }
  if (remote.batch.enabled && !facts.batch) {
    const why = `the provider ${JSON.stringify(provider)} has no batch API; passages are embedded inline`;
    yield* unused(scope, ['remote', 'batch', 'enabled'], ['provider'], why);
  }
  const model = configuredModel(input, scope)?.model;
  if (multimodal.enabled && model !== undefined && facts.media?.never(model) === true) {
    const why = `the model ${JSON.stringify(model)} only embeds text; images and audio are only found by name`;
    yield* unused(scope, ['multimodal', 'enabled'], ['model'], why);
  }
}

/** An agent with its own provider that inherits model or address of another. */
export const overridesBelongTogether: Rule = function* (input, scopes) {
  const [defaults, ...agents] = scopes;
  if (defaults === undefined) return;
  for (const scope of agents) {
    const path = scope.where('provider');
    const { provider } = scope.settings;
    if (path === undefined || !scope.owns(path) || provider === defaults.settings.provider)
      continue;
    if (followProvider(input, provider).kind !== 'adapter') continue;
    for (const keys of [['model'], ['remote', 'baseUrl'], ['remote', 'apiKey']]) {
      const inherited = scope.where(...keys);
      if (inherited === undefined || scope.owns(inherited)) continue;
      yield warning('setting-unused', path, {
        message: `this agent's provider is ${JSON.stringify(provider)}, but it inherits ${keys.join('.')}, which the defaults set for ${JSON.stringify(defaults.settings.provider)}`,
        expected: `${keys.join('.')} next to provider`,
        related: [inherited],
      });
    }
  }
};

/** Settings that have no effect while a switch is off. */
const SWITCHED: Readonly<Record<string, readonly string[]>> = {
  'cache.enabled': ['cache.maxEntries'],
  'multimodal.enabled': ['multimodal.modalities', 'multimodal.maxFileBytes'],
  'query.hybrid.mmr.enabled': ['query.hybrid.mmr.lambda'],
  'query.hybrid.temporalDecay.enabled': ['query.hybrid.temporalDecay.halfLifeDays'],
  'query.hybrid.enabled': ['query.hybrid.vectorWeight', 'query.hybrid.textWeight'],
  'remote.batch.enabled': [
    'remote.batch.concurrency',
    'remote.batch.wait',
    'remote.batch.pollIntervalMs',
    'remote.batch.timeoutMinutes',
  ],
  'store.vector.enabled': ['store.vector.extensionPath'],
};

export const switchesAreOn: Rule = eachScope(function* (scope) {
  for (const [by, keys] of Object.entries(SWITCHED)) {
    if (valueAt(scope.settings, by.split('.')) !== false) continue;
    for (const key of keys) {
      yield* unused(scope, key.split('.'), by.split('.'), `${by} is false: ${key} has no effect`);
    }
  }
});

/** A multiplier below the minimum has no effect. */
export const candidatesExceedMinimum: Rule = eachScope(function* (scope) {
  const { maxResults, hybrid } = scope.settings.query;
  const candidates = maxResults * hybrid.candidateMultiplier;
  if (candidates >= MIN_CANDIDATES) return;
  const why = `${hybrid.candidateMultiplier} × ${maxResults} results is ${candidates}, but a search ranks at least ${MIN_CANDIDATES} candidates, so candidateMultiplier has no effect`;
  yield* unused(scope, ['query', 'hybrid', 'candidateMultiplier'], ['query', 'maxResults'], why);
});

/** `memory.ext` concerns only the external backend, except for its scope. */
export const extIsUsed: Rule = function* (input, scopes) {
  if (input.memory?.backend === 'ext') return;
  const path: ConfigPath = ['memory', 'ext'];
  const message = 'this has no effect: memory.backend is "builtin"';
  const expected = 'memory.backend: "ext", or remove the setting';
  for (const key of Object.keys(input.memory?.ext ?? {}).filter((name) => name !== 'scope')) {
    yield warning('setting-unused', [...path, key], { message, expected });
  }
  for (const scope of scopes) {
    const collections = scope.where('ext', 'extraCollections');
    if (collections === undefined || !scope.owns(collections)) continue;
    yield warning('setting-unused', collections, { message, expected });
  }
};

/** Exports of conversations for the external backend. */
export const exportSettingsAreUsed: Rule = function* ({ memory }) {
  const sessions = memory?.ext?.sessions ?? {};
  if (memory?.backend !== 'ext' || sessions.enabled === true) return;
  for (const key of Object.keys(sessions).filter((name) => name !== 'enabled')) {
    yield warning('setting-unused', ['memory', 'ext', 'sessions', key], {
      message: `sessions.${key} has no effect: sessions.enabled is not true`,
    });
  }
};

/** A warning at the setting, reported once for the scope it belongs to. */
function* unused(
  scope: SearchScope,
  keys: readonly string[],
  because: readonly string[],
  message: string,
): Generator<RuleFinding> {
  const [path, other] = [scope.where(...keys), scope.where(...because)];
  if (path === undefined || !scope.owns(path, other)) return;
  yield warning('setting-unused', path, { message, related: written(other) });
}

/** A key that the scope sets itself: {@link overridesBelongTogether} reports inherited ones. */
function* unusedOwn(
  scope: SearchScope,
  keys: readonly string[],
  message: string,
): Generator<RuleFinding> {
  if (scope.owns(scope.where(...keys))) yield* unused(scope, keys, ['provider'], message);
}

/** With both weights 0, every hybrid score would be 0 (spec/memory-search §2.5). */
export const weightsCount: Rule = eachScope(function* (scope) {
  const { vectorWeight, textWeight } = scope.settings.query.hybrid;
  const places = ['vectorWeight', 'textWeight'].map((key) => scope.where('query', 'hybrid', key));
  const [path, ...related] = written(...places);
  if (vectorWeight + textWeight > 0 || path === undefined || !scope.owns(...places)) return;
  yield fault('weights-sum-zero', path, {
    message: 'vectorWeight and textWeight are both 0, so every score would be 0',
    expected: 'at least one weight above 0',
    related,
  });
});

/** Chunks with full overlap would never reach the end of a document. */
export const overlapIsSmaller: Rule = eachScope(function* (scope) {
  const { tokens, overlap } = scope.settings.chunking;
  const [overlapPath, tokensPath] = [
    scope.where('chunking', 'overlap'),
    scope.where('chunking', 'tokens'),
  ];
  const [path, ...related] = written(overlapPath, tokensPath);
  if (overlap < tokens || path === undefined || !scope.owns(overlapPath, tokensPath)) return;
  yield fault('overlap-exceeds-chunk', path, {
    message: `chunking.overlap is ${overlap} and chunking.tokens ${tokens}: neighboring chunks cannot share a whole chunk`,
    expected: 'an overlap smaller than tokens',
    related,
  });
});

export const sessionReadersAreKnown: Rule = function* (input) {
  for (const [at, reader] of (input.sessions?.readers ?? []).entries()) {
    const name = typeof reader === 'string' ? reader : reader.id;
    if (isSessionReader(name)) continue;
    const path: ConfigPath = ['sessions', 'readers', at];
    yield fault('unknown-reader', typeof reader === 'string' ? path : [...path, 'id'], {
      message: `unknown transcript reader ${JSON.stringify(name)}`,
      expected: `one of ${SESSION_READERS.join(', ')}`,
      suggestion: suggestName(name, SESSION_READERS),
    });
  }
};

/** Sessions are only indexed if both keys enable it. */
export const sessionsAreSwitchedOn: Rule = eachScope(function* (scope) {
  const { sources, experimental } = scope.settings;
  const [named, switched] = [scope.where('sources'), scope.where('experimental', 'sessionMemory')];
  if (sources.includes('sessions') === experimental.sessionMemory) return;
  if (!scope.owns(named, switched)) return;
  const path = experimental.sessionMemory ? switched : named;
  if (path === undefined) return;
  yield warning('sessions-half-on', path, {
    message: experimental.sessionMemory
      ? 'sessionMemory is on, but sources does not include "sessions": no transcripts are indexed'
      : 'sources includes "sessions", but experimental.sessionMemory is off: no transcripts are indexed',
    expected: experimental.sessionMemory
      ? 'sources: ["memory", "sessions"]'
      : 'experimental.sessionMemory: true',
  });
});

/** Settings for conversations that nothing searches. Half of the switches is {@link sessionsAreSwitchedOn}. */
export const sessionSettingsAreUsed: Rule = function* (input, scopes) {
  const { backend, ext } = input.memory ?? {};
  const areExported = backend === 'ext' && ext?.sessions?.enabled === true;
  const isAnyOn = scopes.some(({ settings: { sources, experimental } }) => {
    return sources.includes('sessions') || experimental.sessionMemory;
  });
  if (areExported || isAnyOn) return;
  for (const scope of scopes) {
    const path = scope.where('sync', 'sessions');
    if (path === undefined || !scope.owns(path)) continue;
    const written = valueAt(input, path);
    for (const key of isRecord(written) ? Object.keys(written) : []) {
      yield warning('setting-unused', [...path, key], {
        message: `sync.sessions.${key} has no effect: conversations are not searched`,
        expected: 'sources: ["memory", "sessions"] and experimental.sessionMemory: true',
      });
    }
  }
};

type RerankerName = MemorySearchSettings['query']['rerank']['provider'];

/** What a reranker cannot do without. */
const NEEDED_BY_RERANKER: Readonly<
  Partial<Record<RerankerName, { readonly keys: string; readonly form: string }>>
> = {
  compatible: { keys: 'remote.baseUrl', form: 'the address of a server with a /rerank endpoint' },
  local: { keys: 'model', form: 'a GGUF file of a reranking model, or an hf: reference' },
  chat: { keys: 'model', form: 'PROVIDER/MODEL, such as "openai/gpt-5-mini"' },
};

/** Rerankers without a default address or model need one. */
export const rerankerIsComplete: Rule = eachScope(function* (scope) {
  const { provider, model, remote } = scope.settings.query.rerank;
  const required = NEEDED_BY_RERANKER[provider];
  const path = scope.where('query', 'rerank', 'provider');
  if (required === undefined || path === undefined || !scope.owns(path)) return;
  const value = required.keys === 'model' ? model : remote.baseUrl;
  if (value !== undefined) return;
  yield fault('reranker-incomplete', path, {
    message: `the reranker ${JSON.stringify(provider)} needs query.rerank.${required.keys}`,
    expected: `query.rerank.${required.keys}: ${required.form}`,
  });
});

/** Settings that the reranker ignores. With `provider` set to `none`, they are kept for another time. */
export const rerankSettingsAreUsed: Rule = eachScope(function* (scope) {
  const { provider } = scope.settings.query.rerank;
  const named = scope.where('query', 'rerank', 'provider');
  const why =
    named === undefined
      ? 'query.rerank.provider is not set'
      : `the reranker ${JSON.stringify(provider)} ignores it`;
  const sendsNothing = provider === 'local' || provider === 'chat';
  const ignored = named === undefined ? RERANKER_OPTIONS : sendsNothing ? ['remote'] : [];
  for (const key of ignored) {
    const path = scope.where('query', 'rerank', key);
    if (path === undefined || !scope.owns(path, named)) continue;
    const message = `query.rerank.${key} has no effect: ${why}`;
    yield warning('setting-unused', path, { message, related: written(named) });
  }
});

const RERANKER_OPTIONS: readonly string[] = ['model', 'topN', 'timeoutMs', 'remote', 'budget'];
