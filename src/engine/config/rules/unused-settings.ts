import { isCustomAddress, PROVIDERS, type Provider } from '../../providers/registry.js';
import { isRecord } from '../../support/text.js';
import { type ConfigPath, formatPath, valueAt } from '../config-path.js';
import { EXEC_PROVIDER_DEFAULTS, MIN_CANDIDATES } from '../defaults.js';
import { isAllowedModel } from '../resolve-config.js';
import type { ConfigInput } from '../schema/index.js';
import {
  configuredModel,
  eachScope,
  followProvider,
  type Rule,
  type RuleFinding,
  type SearchScope,
  warning,
  writtenPaths,
} from './rule.js';

/* Settings without an effect; each is a warning. */

const INPUT_TYPES = ['inputType', 'queryInputType', 'documentInputType'] as const;

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
  const { inputTypes } = facts;
  const { provider, remote } = scope.settings;
  const address = remote.baseUrl ?? input.models?.providers?.[provider]?.baseUrl;
  const sends =
    inputTypes === 'always' || (inputTypes !== 'never' && isCustomAddress(facts, address));
  const model = configuredModel(input, scope)?.model ?? facts.model ?? '';
  const labels = sends ? facts.labels?.(model) : [];
  const name = sends ? `model ${JSON.stringify(model)}` : `provider ${JSON.stringify(provider)}`;
  const because = scope.writtenHere('model') === undefined ? ['provider'] : ['model'];
  for (const key of INPUT_TYPES) {
    const label = scope.settings[key];
    if (labels === undefined || label === undefined || labels.includes(label)) continue;
    const why =
      labels.length === 0
        ? `the ${name} ignores ${key}`
        : `the ${name} only supports the labels ${labels.join(', ')}; ${key} is not sent`;
    yield* unused(scope, [key], because, why);
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
    // What is inherited belongs to {@link overridesBelongTogether}.
    yield* unusedHere(scope, ['model'], ['provider'], why);
    for (const key of REMOTE_KEYS) {
      const sent = `the provider "local" sends no requests and ignores remote.${key}`;
      yield* unusedHere(scope, ['remote', key], ['provider'], sent);
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

/** An agent with its own provider or reranker that inherits model or address of another. */
export const overridesBelongTogether: Rule = function* (input, scopes) {
  const [defaults, ...agents] = scopes;
  if (defaults === undefined) return;
  for (const scope of agents) {
    const { provider } = scope.settings;
    if (followProvider(input, provider).kind === 'adapter') {
      const other = defaults.settings.provider;
      yield* mixedInheritance(scope, { group: [], provider, other, remoteKeys: REMOTE_KEYS });
    }
    const { provider: reranker } = scope.settings.query.rerank;
    const { provider: other } = defaults.settings.query.rerank;
    // One that is off in the defaults may be set up there for the agents that turn it on.
    if (reranker === 'none' || other === 'none') continue;
    const remoteKeys = isSilent(reranker) ? [] : REMOTE_KEYS;
    const group = ['query', 'rerank'];
    yield* mixedInheritance(scope, { group, provider: reranker, other, remoteKeys });
  }
};

interface ProviderOverride {
  /** Where `provider` is in `memorySearch`. */
  readonly group: readonly string[];
  readonly provider: string;
  /** That of the defaults. */
  readonly other: string;
  /** Keys of `remote` that the provider uses. */
  readonly remoteKeys: readonly string[];
}

function* mixedInheritance(
  scope: SearchScope,
  { group, provider, other, remoteKeys }: ProviderOverride,
): Generator<RuleFinding> {
  const path = scope.writtenHere(...group, 'provider');
  if (path === undefined || provider === other) return;
  const kind = group.length === 0 ? 'provider' : 'reranker';
  for (const keys of [['model'], ...remoteKeys.map((key) => ['remote', key])]) {
    const inherited = scope.writtenAt(...group, ...keys);
    if (inherited === undefined || scope.concerns(inherited)) continue;
    const name = [...group, ...keys].join('.');
    yield warning('setting-unused', path, {
      message: `this agent's ${kind} is ${JSON.stringify(provider)}, but it inherits ${name}, which the defaults set for ${JSON.stringify(other)}`,
      expected: `${keys.join('.')} next to provider`,
      related: [inherited],
    });
  }
}

/** Values with which a switch is off. */
const OFF: readonly unknown[] = [false, 'none', 'follow'];

/** Settings that have no effect while a switch is off. */
const SWITCHED: Readonly<Record<string, readonly string[]>> = {
  provider: [
    'model',
    'fallback',
    'outputDimensionality',
    ...INPUT_TYPES,
    ...['baseUrl', 'apiKey', 'headers', 'nonBatchConcurrency'].map((key) => `remote.${key}`),
    ...['modelPath', 'modelCacheDir', 'contextSize'].map((key) => `local.${key}`),
    'remote.batch.enabled',
    'query.timeoutSeconds',
    'sync.embeddingBatchTimeoutSeconds',
  ],
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
  'sync.sessions.retention': ['sync.sessions.maxAgeDays', 'sync.sessions.maxBytes'],
};

/** What the defaults set has an effect if an agent that inherits it has the switch on. */
export const switchesAreOn: Rule = function* (_input, scopes) {
  for (const [by, keys] of Object.entries(SWITCHED)) {
    const valueIn = ({ settings }: SearchScope) => valueAt(settings, by.split('.'));
    const on = scopes.filter((scope) => !OFF.includes(valueIn(scope)));
    for (const key of keys) {
      const pathIn = (scope: SearchScope) => formatPath(scope.writtenAt(...key.split('.')) ?? []);
      const used = on.map(pathIn);
      for (const scope of scopes.filter((one) => !used.includes(pathIn(one)))) {
        if (OFF.includes(valueAt(scope.settings, key.split('.')))) continue;
        const why = `${by} is ${JSON.stringify(valueIn(scope))}: ${key} has no effect`;
        yield* unusedHere(scope, key.split('.'), by.split('.'), why);
      }
    }
  }
};

/** An entry that no `provider` can name. */
export const entriesCanBeSelected: Rule = function* ({ models }) {
  for (const id of ['auto', 'none'].filter((name) =>
    Object.hasOwn(models?.providers ?? {}, name),
  )) {
    yield warning('setting-unused', ['models', 'providers', id], {
      message: `memorySearch.provider ${JSON.stringify(id)} does not select this entry`,
      expected: 'another id',
    });
  }
};

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
  const why = 'memory.backend is "builtin"';
  const message = `this has no effect: ${why}`;
  const expected = 'memory.backend: "ext", or remove the setting';
  const keys = Object.keys(input.memory?.ext ?? {}).filter((name) => name !== 'scope');
  const [first] = keys;
  // One for all of them, because every command shows it while the program is turned off.
  if (first !== undefined) {
    yield warning('setting-unused', ['memory', 'ext', first], {
      message: keys.length === 1 ? message : `${keys.join(', ')} have no effect: ${why}`,
      expected,
    });
  }
  for (const scope of scopes) {
    const collections = scope.writtenHere('ext', 'extraCollections');
    if (collections === undefined) continue;
    yield warning('setting-unused', collections, { message, expected });
  }
};

/** What keeps an index fresh has settings of its own with the external backend. */
export const extIsKeptFresh: Rule = eachScope(function* (scope, { memory }) {
  if (memory?.backend !== 'ext') return;
  for (const [key, instead] of [
    ['intervalMinutes', 'interval'],
    ['watchDebounceMs', 'debounceMs'],
  ] as const) {
    const path = scope.writtenHere('sync', key);
    if (path === undefined) continue;
    yield warning('setting-unused', path, {
      message: `sync.${key} has no effect: memory.backend is "ext", whose setting is memory.ext.update.${instead}`,
      related: [['memory', 'backend']],
    });
  }
});

/** Settings of a server. */
export const storageIsUsed: Rule = function* ({ storage = {} }) {
  if (storage.url !== undefined) return;
  for (const key of Object.keys(storage)) {
    const message = `storage.${key} has no effect: storage.url is not set`;
    yield warning('setting-unused', ['storage', key], { message });
  }
};

/** A program that is no agent asks for no permission, so that "deny" would be a false promise. */
export const permissionsAreAskedFor: Rule = function* ({ flows }) {
  if (flows?.runtimes?.subagent?.permissions === undefined) return;
  yield warning('setting-unused', ['flows', 'runtimes', 'subagent', 'permissions'], {
    message: 'permissions has no effect: only ACP agents ask for permissions',
  });
};

/** The log has a form of its own in a file. */
export const logFormatIsUsed: Rule = function* ({ logging }) {
  if (logging?.format === undefined || logging.file === undefined) return;
  yield warning('setting-unused', ['logging', 'format'], {
    message: 'logging.format has no effect: lines in logging.file are JSON',
    related: [['logging', 'file']],
  });
};

/** A program that is stopped sooner cannot be silent for that long. */
export const silenceIsShorter: Rule = function* ({ secrets }) {
  for (const [alias, provider] of Object.entries(secrets?.providers ?? {})) {
    if (provider.source !== 'exec') continue;
    const { timeoutMs = EXEC_PROVIDER_DEFAULTS.timeoutMs, noOutputTimeoutMs = 0 } = provider;
    if (noOutputTimeoutMs <= timeoutMs) continue;
    yield warning('setting-unused', ['secrets', 'providers', alias, 'noOutputTimeoutMs'], {
      message: `noOutputTimeoutMs has no effect: the program is stopped after timeoutMs (${timeoutMs})`,
    });
  }
};

/** The model of the diary needs a permission. */
export const dreamModelIsAllowed: Rule = function* ({ plugins }) {
  const { config, subagent } = plugins?.entries?.['memory-core'] ?? {};
  const model = config?.dreaming?.model;
  if (model === undefined) return;
  const entry: ConfigPath = ['plugins', 'entries', 'memory-core'];
  const path: ConfigPath = [...entry, 'config', 'dreaming', 'model'];
  if (subagent?.allowModelOverride !== true) {
    yield warning('setting-unused', path, {
      message: 'dreaming.model has no effect: subagent.allowModelOverride is not true',
      expected: `${formatPath([...entry, 'subagent', 'allowModelOverride'])}: true`,
    });
  } else if (!isAllowedModel(model, subagent.allowedModels)) {
    yield warning('setting-unused', path, {
      message: `dreaming.model has no effect: subagent.allowedModels does not include ${JSON.stringify(model)}`,
      expected: 'a model of the list; "*" in the list allows any',
      related: [[...entry, 'subagent', 'allowedModels']],
    });
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
  const [path, other] = [scope.writtenAt(...keys), scope.writtenAt(...because)];
  if (path === undefined || !scope.concerns(path, other)) return;
  yield warning('setting-unused', path, { message, related: writtenPaths(other) });
}

/** A warning at a setting of the scope itself, none at an inherited one. */
function* unusedHere(
  scope: SearchScope,
  keys: readonly string[],
  because: readonly string[],
  message: string,
): Generator<RuleFinding> {
  if (scope.writtenHere(...keys) !== undefined) yield* unused(scope, keys, because, message);
}

/** Settings for conversations that nothing searches. Half of the switches is a rule of its own. */
export const sessionSettingsAreUsed: Rule = function* (input, scopes) {
  const { backend, ext } = input.memory ?? {};
  const areExported = backend === 'ext' && ext?.sessions?.enabled === true;
  const isAnyOn = scopes.some(({ settings: { sources, experimental } }) => {
    return sources.includes('sessions') || experimental.sessionMemory;
  });
  if (areExported || isAnyOn) return;
  for (const scope of scopes) {
    const path = scope.writtenHere('sync', 'sessions');
    if (path === undefined) continue;
    const written = valueAt(input, path);
    for (const key of isRecord(written) ? Object.keys(written) : []) {
      yield warning('setting-unused', [...path, key], {
        message: `sync.sessions.${key} has no effect: conversations are not searched`,
        expected: 'sources: ["memory", "sessions"] and experimental.sessionMemory: true',
      });
    }
  }
};

/** Settings that the reranker ignores. With `provider` set to `none`, they are kept for another time. */
export const rerankSettingsAreUsed: Rule = eachScope(function* (scope) {
  const { provider } = scope.settings.query.rerank;
  const providerPath = scope.writtenAt('query', 'rerank', 'provider');
  const why =
    providerPath === undefined
      ? 'query.rerank.provider is not set'
      : `the reranker ${JSON.stringify(provider)} ignores it`;
  const ignored =
    providerPath === undefined ? RERANKER_OPTIONS : isSilent(provider) ? ['remote'] : [];
  for (const key of ignored) {
    const message = `query.rerank.${key} has no effect: ${why}`;
    yield* unused(scope, ['query', 'rerank', key], ['query', 'rerank', 'provider'], message);
  }
});

/** Whether a reranker sends no requests of its own. */
function isSilent(reranker: string): boolean {
  return reranker === 'local' || reranker === 'chat';
}

const RERANKER_OPTIONS: readonly string[] = ['model', 'topN', 'timeoutMs', 'remote', 'budget'];
