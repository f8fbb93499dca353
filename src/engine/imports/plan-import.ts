import { isAbsolute, join } from 'node:path';
import {
  checkConfigText,
  configTextNow,
  EMPTY_CONFIG,
  editJson,
  loadConfigText,
  PROVIDER_SETTINGS,
  requireValid,
} from '../config/authoring.js';
import {
  type ConfigPath,
  discoverConfig,
  formatPath,
  isSameData,
  type ResolvedAgent,
  resolveAgent,
  valueAt,
  writtenSecrets,
} from '../config/index.js';
import { maskConfigText } from '../config/masked-text.js';
import type { EngineContext } from '../support/context.js';
import { expandHome, realOrGiven } from '../support/paths.js';
import { isRecord, shellWord } from '../support/text.js';
import { type DiffLine, diffLines } from '../support/text-diff.js';
import { type PlannedNote, planNotes } from './entry-notes.js';
import type { ImportedData, ImportedSetting, ImportProgram } from './imported.js';
import type { ConfigImportOutput } from './output-schemas.js';

/** What becomes of something of the other program. */
export type ImportItem = ConfigImportOutput['items'][number];

/** What will be written; nothing is on disk yet. */
export interface ImportPlan {
  readonly program: ImportProgram;
  /** Absolute path of what was read. */
  readonly source: string;
  readonly items: readonly ImportItem[];
  /** Absolute path of the configuration. */
  readonly file: string;
  /** Undefined if there is no file. */
  readonly before: string | undefined;
  readonly text: string;
  /** The changes of the configuration, with secrets masked. */
  readonly diff: readonly DiffLine[];
  /** Whose workspace gets the {@link notes}. */
  readonly agent: ResolvedAgent;
  /** Absolute path of their folder. */
  readonly folder: string;
  readonly notes: readonly PlannedNote[];
}

/**
 * Plans what an import writes. Settings of svc.json always stay.
 *
 * @throws SvcError CONFIG_*, IMPORT_FAILED
 */
export function planImport(
  program: ImportProgram,
  imported: ImportedData,
  context: EngineContext,
  configFile: string | undefined,
): ImportPlan {
  const file = discoverConfig(context, configFile).file ?? context.state.userConfigFile;
  const before = configTextNow(file);
  const { items, text } = mergeSettings(
    imported.settings,
    file,
    before ?? EMPTY_CONFIG,
    context.homeDir,
  );
  const leftOut = imported.leftOut.map(({ from, why }): ImportItem => {
    return { outcome: 'left', from, to: null, why };
  });
  const agent = resolveAgent(loadConfigText(file, text), undefined, context);
  // A part of the memory of the workspace.
  const folder = join(agent.workspaceDir, 'memory', program);
  return {
    program,
    source: imported.source,
    items: [...items, ...leftOut],
    file,
    before,
    text,
    diff: diffLines(maskConfigText(before ?? EMPTY_CONFIG), maskConfigText(text)),
    agent,
    folder,
    notes: planNotes(agent.workspaceDir, folder, imported.entries, agent.dreamTimezone),
  };
}

/** Sets one setting after the other, and keeps each that leaves the file valid. */
function mergeSettings(
  settings: readonly ImportedSetting[],
  file: string,
  before: string,
  homeDir: string,
) {
  let text = before;
  let data: unknown = requireValid(checkConfigText(file, text)).input;
  const take = (setting: ImportedSetting): ImportItem => {
    const { from, value, adds = false, note, agent } = setting;
    const path = pathOf(agent, setting.path);
    const item = { from, to: formatPath(path), why: note ?? null };
    const existing = valueAt(data, path);
    if (path.includes('__proto__')) return { ...item, outcome: 'left', why: 'not a valid name' };
    const why = isOfOtherProvider(setting)
      ? 'it belongs to a provider that is not taken'
      : plainSecretIn(value, path);
    if (why !== undefined) return { ...item, outcome: 'left', why };
    const isPaths = path.at(-1) === 'extraPaths';
    const meaningOf = (one: unknown) => (isPaths ? placeOf(one) : one);
    const target = adds ? withMissing(existing, value, meaningOf) : value;
    if (isSameData(existing, target)) return { ...item, outcome: 'present' };
    if (existing !== undefined && !adds) {
      return { ...item, outcome: 'conflict', why: 'svc.json has another value, which stays' };
    }
    const edited = editJson(textWith(agent, path), path, target);
    const checked = checkConfigText(file, edited);
    if (checked.input === undefined) {
      const [fault] = checked.faults;
      return { ...item, outcome: 'left', why: fault?.message ?? 'it would not be valid' };
    }
    text = edited;
    data = checked.input;
    return { ...item, outcome: note === undefined ? 'taken' : 'translated' };
  };
  /** Whether a setting belongs to the imported provider, while svc.json keeps another one, or would not be valid with it. */
  const isOfOtherProvider = ({ path, agent }: ImportedSetting): boolean => {
    const keys = path.slice(path.indexOf('memorySearch') + 1);
    if (!PROVIDER_SETTINGS.some((own) => own.every((key, at) => keys[at] === key))) return false;
    const places = [
      ...(agent === undefined ? [] : [{ agent, path: ['memorySearch', 'provider'] }]),
      { agent: undefined, path: ['agents', 'defaults', 'memorySearch', 'provider'] },
    ];
    const used = places.map((place) => valueAt(data, pathOf(place.agent, place.path)));
    const imported = places.map(
      (place) =>
        settings.find((one) => one.agent === place.agent && isSameData(one.path, place.path))
          ?.value,
    );
    const nameIn = (values: readonly unknown[]) =>
      values.find((value) => value !== undefined) ?? 'auto';
    return nameIn(used) !== nameIn(imported);
  };
  /** `~/wiki` and a link to it are the same folder; a relative path depends on the workspace. */
  const placeOf = (item: unknown): unknown => {
    const path = typeof item === 'string' ? expandHome(item, homeDir) : '';
    return isAbsolute(path) ? realOrGiven(path) : item;
  };
  const pathOf = (agent: string | undefined, path: ConfigPath): ConfigPath => {
    if (agent === undefined) return path;
    const listed = valueAt(data, ['agents', 'list']);
    const list: readonly unknown[] = Array.isArray(listed) ? listed : [];
    const position = list.findIndex((entry) => isRecord(entry) && entry['id'] === agent);
    return ['agents', 'list', position === -1 ? list.length : position, ...path];
  };
  const textWith = (agent: string | undefined, path: ConfigPath): string => {
    const entry = path.slice(0, 3);
    if (agent === undefined || valueAt(data, entry) !== undefined) return text;
    return editJson(text, entry, { id: agent });
  };
  const items = settings.map(take).map((item, at) => {
    const setting = settings[at];
    // Some settings are taken only with one that comes later.
    return item.outcome === 'left' && setting !== undefined ? take(setting) : item;
  });
  return { items, text };
}

/** Why a value with a secret in plain text is not copied; undefined for any other. */
function plainSecretIn(value: unknown, path: ConfigPath): string | undefined {
  const written = writtenSecrets(value, ALIASES, path);
  const plain = written.find(({ secret }) => secret.kind === 'plain');
  if (plain === undefined) return undefined;
  // A part of a value, such as the password of a URL, cannot be a reference.
  return plain.inAddress || plain.path.length > path.length
    ? 'it contains a secret in plain text and is not copied'
    : `it is a secret in plain text and is not copied; set a variable, then: svc config set ${shellWord(formatPath(path))} env:NAME`;
}

/** A list with the items of another that it lacks. */
function withMissing(
  existing: unknown,
  value: unknown,
  meaningOf: (item: unknown) => unknown,
): unknown {
  if (!Array.isArray(existing) || !Array.isArray(value)) return value;
  const meanings = existing.map(meaningOf);
  const missing = value.filter((item) => {
    const meaning = meaningOf(item);
    return !meanings.some((one) => isSameData(one, meaning));
  });
  return missing.length === 0 ? existing : [...existing, ...missing];
}

const ALIASES = { env: 'default', file: 'default', exec: 'default' };
