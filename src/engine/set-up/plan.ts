import { relative, sep } from 'node:path';
import { type ConfigPath, isRecord, valueAt } from '../config/config-path.js';
import { parseConfigText } from '../config/document.js';
import { requireValidEdit } from '../config/edit/edit-config.js';
import { editConfigText } from '../config/edit/edit-text.js';
import { resolveAgent } from '../config/index.js';
import { maskConfigText } from '../config/mask-config-text.js';
import type { SecretValue } from '../config/secret-input.js';
import type { EngineContext } from '../context.js';
import { chooseNamed, chooseProvider } from '../embeddings/choose-provider.js';
import type { AgentProviders } from '../embeddings/provider-world.js';
import { type DiffLine, diffLines } from '../text-diff.js';
import type { KeyChoice } from './key-choice.js';
import { loadText } from './load-text.js';
import { type OpenedSetUp, providersOf } from './open-set-up.js';
import { keyPointer, secretsFile } from './secrets-file.js';

/** What a person, or a script, decided. */
export interface SetUpChoices {
  /** Absolute path of the folder. */
  readonly workspace: string;
  /** An adapter's id or kind, the id of an entry, or undefined for words alone. */
  readonly provider: string | undefined;
  /** Undefined leaves what is configured, else the provider's default. */
  readonly model: string | undefined;
  readonly key: KeyChoice;
}

/** What will be written. Nothing of it is on disk yet. */
export interface SetUpPlan {
  readonly file: string;
  /** The whole text of the configuration. It holds no key that was given. */
  readonly text: string;
  /** What changes, place by place, with stars for secrets; the whole text for a new file. */
  readonly diff: readonly (readonly DiffLine[])[];
  /** Null for words alone. */
  readonly provider: string | null;
  /** The key that goes into the file of secrets. */
  readonly keyToStore: StoredKey | undefined;
  /** The default agent as it will be, with a given key in memory alone: for trying the provider. */
  readonly trial: AgentProviders;
}

/** A key, and where it is to lie. */
interface StoredKey {
  readonly file: string;
  readonly provider: string;
  readonly key: string;
}

interface Edit {
  readonly path: ConfigPath;
  /** Undefined removes what is there. */
  readonly value: unknown;
}

/**
 * Works out the configuration that the choices ask for, as edits that keep comments and everything
 * else.
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
  const chosen = name === undefined ? undefined : chooseNamed(name, settings, world);
  const provider = chosen?.provider ?? null;
  const data = parseConfigText(file, base).value;
  const common = [
    ...workspaceEdits(opened, choices, context),
    ...providerEdits(opened, provider, choices.model),
  ].filter(({ path, value }) => value !== undefined || valueAt(data, path) !== undefined);
  const steps = applied(base, [
    ...common,
    ...(provider === null ? [] : keyEdits(opened, provider, key, context)),
  ]);
  const text = steps.at(-1) ?? base;
  requireValidEdit(file, base, text);
  const trialText =
    key.kind === 'given' && provider !== null
      ? (applied(text, [{ path: keyPath(opened, provider), value: key.value }]).at(-1) ?? text)
      : text;
  const texts = before === base ? [base, ...steps] : ['', text];
  return {
    file,
    text,
    diff: differences(texts.map(maskConfigText)),
    provider,
    keyToStore:
      key.kind === 'given' && provider !== null
        ? { file: secretsFile(context.state.stateDir), provider, key: key.value }
        : undefined,
    trial: providersOf(loadText(file, trialText), context),
  };
}

function applied(base: string, edits: readonly Edit[]): readonly string[] {
  const texts: string[] = [];
  for (const { path, value } of edits) {
    texts.push(editConfigText(texts.at(-1) ?? base, path, value));
  }
  return texts;
}

function differences(texts: readonly string[]): SetUpPlan['diff'] {
  return texts
    .slice(1)
    .map((text, at) => diffLines(texts[at] ?? '', text))
    .filter((lines) => lines.length > 0);
}

function workspaceEdits(
  opened: OpenedSetUp,
  { workspace }: SetUpChoices,
  context: EngineContext,
): readonly Edit[] {
  if (resolveAgent(opened.loaded, undefined, context).workspaceDir === workspace) return [];
  const below = relative(context.homeDir, workspace);
  const isBelow = below !== '' && below !== '..' && !below.startsWith(`..${sep}`);
  const value = isBelow && below !== workspace ? `~/${below.split(sep).join('/')}` : workspace;
  return [{ path: settingPath(opened, ['workspace']), value }];
}

/** What is said of one provider is wrong for another. */
const ABOUT_ONE_PROVIDER = [
  ['model'],
  ['outputDimensionality'],
  ['remote', 'baseUrl'],
  ['remote', 'apiKey'],
  ['remote', 'headers'],
] as const;

function providerEdits(
  opened: OpenedSetUp,
  provider: string | null,
  model: string | undefined,
): readonly Edit[] {
  const { settings, world } = opened.providers;
  const earlier = chooseProvider(settings, world)?.provider;
  const isOther = provider !== null && earlier !== undefined && earlier !== provider;
  const search = (...keys: readonly string[]): readonly string[] => ['memorySearch', ...keys];
  const dropped = [
    ...(isOther ? ABOUT_ONE_PROVIDER : []),
    ...(settings.fallback === provider ? [['fallback']] : []),
  ].flatMap((keys) => levels(opened, search(...keys)).map((path) => ({ path, value: undefined })));
  const wanted = provider ?? 'none';
  const isNewModel = model !== undefined && (isOther || model !== settings.model);
  return [
    ...dropped,
    ...(settings.provider === wanted
      ? []
      : [{ path: settingPath(opened, search('provider')), value: wanted }]),
    ...(isNewModel ? [{ path: settingPath(opened, search('model')), value: model }] : []),
  ];
}

function keyEdits(
  opened: OpenedSetUp,
  provider: string,
  key: KeyChoice,
  { state }: EngineContext,
): readonly Edit[] {
  if (key.kind === 'as-it-is') return [];
  const path = keyPath(opened, provider);
  if (key.kind === 'variable') return [{ path, value: `env:${key.name}` }];
  const file = secretsFile(state.stateDir);
  const { alias, isNew } = aliasFor(opened, file);
  const value: SecretValue = { source: 'file', provider: alias, id: keyPointer(provider) };
  const place = { path: ['secrets', 'providers', alias], value: { source: 'file', path: file } };
  return [...(isNew ? [place] : []), { path, value }];
}

/** `remote.apiKey` goes before all others, so where it counts it is the one to change. */
function keyPath(opened: OpenedSetUp, provider: string): ConfigPath {
  const { settings, world } = opened.providers;
  const chosen = chooseProvider(settings, world);
  const { apiKey } = settings.remote;
  if (apiKey !== undefined && chosen?.provider === provider) {
    return settingPath(opened, ['memorySearch', 'remote', 'apiKey']);
  }
  return ['models', 'providers', provider, 'apiKey'];
}

/** The name under which the configuration knows the file of secrets, or a new one. */
function aliasFor(opened: OpenedSetUp, file: string): { alias: string; isNew: boolean } {
  const known = opened.loaded.input.secrets?.providers ?? {};
  const own = Object.entries(known).find(
    ([, entry]) => entry.source === 'file' && entry.path === file && entry.mode !== 'singleValue',
  );
  if (own !== undefined) return { alias: own[0], isNew: false };
  let alias = 'svc';
  for (let number = 2; Object.hasOwn(known, alias); number++) alias = `svc-${number}`;
  return { alias, isNew: true };
}

/** The places at which a setting of the default agent may be written: its own, and the defaults. */
function levels({ loaded, providers }: OpenedSetUp, keys: readonly string[]): ConfigPath[] {
  const { list } = loaded.resolved.agents;
  const at = list.findIndex(({ id }) => id === providers.agentId);
  const isWritten = (loaded.input.agents?.list ?? []).length > 0;
  const own: ConfigPath[] = isWritten ? [['agents', 'list', at, ...keys]] : [];
  return [...own, ['agents', 'defaults', ...keys]];
}

/** Where a setting of the default agent is to be written: where it is, or else in the defaults. */
function settingPath(opened: OpenedSetUp, keys: readonly string[]): ConfigPath {
  const [first, ...others] = levels(opened, keys);
  const usual: ConfigPath = ['agents', 'defaults', ...keys];
  if (first === undefined || others.length === 0) return usual;
  const { input } = opened.loaded;
  return isRecord(input) && valueAt(input, first) !== undefined ? first : usual;
}
