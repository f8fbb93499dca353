import { sep } from 'node:path';
import {
  editJson,
  loadConfigText,
  PROVIDER_SETTINGS,
  parseConfigText,
  requireValidEdit,
} from '../config/authoring.js';
import {
  agentPlaces,
  type ConfigPath,
  resolveAgent,
  type SecretValue,
  valueAt,
} from '../config/index.js';
import { maskConfigText } from '../config/masked-text.js';
import { type AgentProviders, chooseNamed, chooseProvider } from '../embeddings/index.js';
import type { EngineContext } from '../support/context.js';
import { pathBelow } from '../support/paths.js';
import { type DiffLine, diffLines } from '../support/text-diff.js';
import { type OpenedSetUp, providersOf } from './open-set-up.js';
import { type KeyChoice, keyPointer, secretsFile } from './provider-choices.js';

/** What a person or flags chose. */
export interface SetUpChoices {
  /** Absolute path of the folder. */
  readonly workspace: string;
  /** Adds the whole workspace to the paths that are indexed, or removes it; undefined leaves them as they are. */
  readonly indexesAll: boolean | undefined;
  /**
   * The id or kind of an adapter, or the id of an entry. `none` turns embedding off; undefined leaves it
   * to auto-detection, which picks up a key that is set later.
   */
  readonly provider: string | undefined;
  /** Undefined keeps the configured one, else the provider's default. */
  readonly model: string | undefined;
  readonly key: KeyChoice;
}

/** What will be written; nothing is on disk yet. */
export interface SetUpPlan {
  readonly file: string;
  /** The whole text of the configuration, without a literal key. */
  readonly text: string;
  /** The changes with secrets masked; the whole text for a new file. */
  readonly diff: readonly (readonly DiffLine[])[];
  /** Null for keyword search only. */
  readonly provider: string | null;
  /** The key to store in the secrets file. */
  readonly keyToStore: Readonly<Record<'file' | 'key' | 'provider', string>> | undefined;
  /** The default agent with the new settings, and a literal key in memory only: to test the provider. */
  readonly trial: AgentProviders;
}

interface Edit {
  readonly path: ConfigPath;
  /** Undefined removes the setting. */
  readonly value: unknown;
}

/**
 * Plans the edits of the configuration for the choices. Comments and everything else stay.
 *
 * @throws SvcError PROVIDER_UNKNOWN, CONFIG_INVALID
 */
export function planSetUp(
  opened: OpenedSetUp,
  choices: SetUpChoices,
  context: EngineContext,
): SetUpPlan {
  const { file, before, base, providers } = opened;
  const { provider: name, key } = choices;
  const { settings, world } = providers;
  const isNamed = name !== undefined && name !== 'none';
  const chosen = isNamed ? chooseNamed(name, settings, world) : undefined;
  const provider = chosen?.provider ?? null;
  const data = parseConfigText(file, base).value;
  const edits = [
    ...workspaceEdits(opened, choices, context),
    ...(choices.indexesAll === undefined ? [] : [allNotesEdit(opened, choices.indexesAll)]),
    ...providerEdits(opened, provider ?? name, choices.model),
    ...(provider === null ? [] : keyEdits(opened, provider, key, context)),
  ].filter(({ path, value }) => value !== undefined || valueAt(data, path) !== undefined);
  const steps = textsAfter(base, edits);
  const text = steps.at(-1) ?? base;
  requireValidEdit(file, base, text);
  const keyToStore =
    key.kind === 'literal' && provider !== null
      ? { file: secretsFile(context.state.stateDir), provider, key: key.value }
      : undefined;
  const trialText =
    keyToStore === undefined
      ? text
      : editJson(text, keyPath(opened, keyToStore.provider), keyToStore.key);
  const texts = before === base ? [base, ...steps] : ['', text];
  return {
    file,
    text,
    diff: differences(texts.map(maskConfigText)),
    provider,
    keyToStore,
    trial: providersOf(loadConfigText(file, trialText), context),
  };
}

function textsAfter(base: string, edits: readonly Edit[]): readonly string[] {
  const texts: string[] = [];
  for (const { path, value } of edits) {
    texts.push(editJson(texts.at(-1) ?? base, path, value));
  }
  return texts;
}

/** What each step changes; steps without a change are left out. */
function differences(texts: readonly string[]): SetUpPlan['diff'] {
  return texts
    .slice(1)
    .map((text, at) => diffLines(texts[at] ?? '', text))
    .filter((lines) => lines.length > 0);
}

function allNotesEdit(opened: OpenedSetUp, indexesAll: boolean): Edit {
  const path = settingPath(opened, ['memorySearch', 'extraPaths']);
  const written = valueAt(opened.loaded.input, path);
  const others = Array.isArray(written) ? written.filter((one) => one !== '.') : [];
  const paths = indexesAll ? [...others, '.'] : others;
  return { path, value: paths.length === 0 ? undefined : paths };
}

function workspaceEdits(
  opened: OpenedSetUp,
  { workspace }: SetUpChoices,
  context: EngineContext,
): readonly Edit[] {
  if (resolveAgent(opened.loaded, undefined, context).workspaceDir === workspace) return [];
  const below = pathBelow(workspace, context.homeDir);
  const value = below === undefined ? workspace : `~/${below.split(sep).join('/')}`;
  return [{ path: settingPath(opened, ['workspace']), value }];
}

function providerEdits(
  opened: OpenedSetUp,
  provider: string | undefined,
  model: string | undefined,
): readonly Edit[] {
  const { settings, world } = opened.providers;
  const earlier = chooseProvider(settings, world);
  const isUsed = provider !== undefined && provider !== 'none';
  // Those of memorySearch are not settings of a fallback.
  const isOther = isUsed && earlier?.isPrimary === true && earlier.provider !== provider;
  const search = (...keys: readonly string[]): readonly string[] => ['memorySearch', ...keys];
  const removals = [
    ...(isOther ? PROVIDER_SETTINGS : []),
    ...(isUsed && settings.fallback === provider ? [['fallback']] : []),
    ...(provider === undefined && settings.provider !== 'auto' ? [['provider']] : []),
  ].flatMap((keys) =>
    settingPaths(opened, search(...keys)).map((path) => ({ path, value: undefined })),
  );
  const isNewModel = model !== undefined && (isOther || model !== settings.model);
  return [
    ...removals,
    ...(provider === undefined || settings.provider === provider
      ? []
      : [{ path: settingPath(opened, search('provider')), value: provider }]),
    ...(isNewModel ? [{ path: settingPath(opened, search('model')), value: model }] : []),
  ];
}

function keyEdits(
  opened: OpenedSetUp,
  provider: string,
  key: KeyChoice,
  { state }: EngineContext,
): readonly Edit[] {
  if (key.kind === 'unchanged') return [];
  const path = keyPath(opened, provider);
  if (key.kind === 'variable') return [{ path, value: `env:${key.name}` }];
  const file = secretsFile(state.stateDir);
  const { alias, isNew } = aliasFor(opened, file);
  const value: SecretValue = { source: 'file', provider: alias, id: keyPointer(provider) };
  const providerEdit = {
    path: ['secrets', 'providers', alias],
    value: { source: 'file', path: file },
  };
  return [...(isNew ? [providerEdit] : []), { path, value }];
}

/** `remote.apiKey` overrides all others, so where it is in effect it is the one to change. */
function keyPath(opened: OpenedSetUp, provider: string): ConfigPath {
  const { settings, world } = opened.providers;
  const chosen = chooseProvider(settings, world);
  const { apiKey } = settings.remote;
  if (apiKey !== undefined && chosen?.isPrimary === true && chosen.provider === provider) {
    return settingPath(opened, ['memorySearch', 'remote', 'apiKey']);
  }
  return ['models', 'providers', provider, 'apiKey'];
}

/** The alias of the secrets file in the configuration, or a new one. */
function aliasFor(opened: OpenedSetUp, file: string): { alias: string; isNew: boolean } {
  const known = opened.loaded.input.secrets?.providers ?? {};
  const existing = Object.entries(known).find(
    ([, entry]) => entry.source === 'file' && entry.path === file && entry.mode !== 'singleValue',
  );
  if (existing !== undefined) return { alias: existing[0], isNew: false };
  let alias = 'svc';
  for (let number = 2; Object.hasOwn(known, alias); number++) alias = `svc-${number}`;
  return { alias, isNew: true };
}

/** Where a setting of the default agent can be: its own, and that of the defaults. */
function settingPaths({ loaded, providers }: OpenedSetUp, keys: readonly string[]) {
  const at = loaded.resolved.agents.list.findIndex(({ id }) => id === providers.agentId);
  return agentPlaces(at, keys);
}

/** Where to write a setting of the default agent: where it is, or else in the defaults. */
function settingPath(opened: OpenedSetUp, keys: readonly string[]): ConfigPath {
  const { input } = opened.loaded;
  const writtenPath = settingPaths(opened, keys).find((path) => valueAt(input, path) !== undefined);
  return writtenPath ?? ['agents', 'defaults', ...keys];
}
