import { hash } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { SvcError, systemReason, type Warning } from '../../errors/index.js';
import type { EngineContext } from '../../support/context.js';
import { ifThere } from '../../support/files.js';
import { readJsonFile, writeJsonFile } from '../../support/json-file.js';
import { shortList, withSortedKeys } from '../../support/text.js';
import { checkConfigText, readCheckedConfig, requireValid } from '../check.js';
import { formatPath } from '../config-path.js';
import {
  configLocation,
  type Discovery,
  discoverConfig,
  isOwnConfig,
  type LoadConfigOptions,
  needsTrust,
} from '../discovery.js';
import type { LoadedConfig } from '../resolved.js';
import type { ConfigInput } from '../schema/index.js';
import { maskSecrets } from '../secret-input.js';
import { type RiskyValue, splitByRisk } from './risky-part.js';

/** What is loaded of a file: its content without ignored keys, and these, as formatted paths. */
export type TrustedInput = Required<Pick<LoadedConfig, 'ignoredKeys' | 'input' | 'warnings'>>;

/**
 * Drops risky keys from a configuration found by walking up from the current folder, unless the
 * user has trusted the file as it is now. Specifying a file implies trust.
 */
export function trustedInput(
  context: EngineContext,
  discovery: Discovery,
  input: ConfigInput,
): TrustedInput {
  const all = { input, ignoredKeys: [], warnings: [] };
  const { file } = discovery;
  if (file === undefined || !needsTrust(context, discovery)) return all;
  const { risky, harmless } = splitByRisk(input, { ...context, file });
  if (risky.length === 0 || isTrusted(context, file, risky)) return all;
  const ignoredKeys = risky.map(({ path }) => formatPath(path));
  return { input: harmless, ignoredKeys, warnings: [ignoredKeysWarning(file, ignoredKeys)] };
}

/**
 * Refuses a file with keys that would be ignored.
 *
 * @throws SvcError CONFIG_UNTRUSTED
 */
export function requireTrusted(file: string, ignoredKeys: readonly string[]): void {
  if (ignoredKeys.length === 0) return;
  throw new SvcError(
    'CONFIG_UNTRUSTED',
    `${file} is not trusted; it sets ${shortList(ignoredKeys, MOST_NAMED)}`,
    { hint: 'review it, then run "svc config trust"', details: { file, keys: ignoredKeys } },
  );
}

type TrustState = 'trusted' | 'untrusted' | 'not-needed';

/** The risky keys of a file and their state. */
export interface TrustReview {
  /** Absolute, with the links of its folder resolved. */
  readonly file: string;
  /** `not-needed`: it has no risky keys, or is the user's own. */
  readonly state: TrustState;
  /** Secrets masked. */
  readonly risky: readonly { readonly path: string; readonly value: unknown }[];
  /** Identifies exactly what was reviewed. */
  readonly digest: string;
}

function reviewTrust(context: EngineContext, file: string, input: ConfigInput): TrustReview {
  const { risky } = splitByRisk(input, { ...context, file });
  return {
    file: configLocation(file),
    state:
      risky.length === 0 || isOwnConfig(context, file)
        ? 'not-needed'
        : isTrusted(context, file, risky)
          ? 'trusted'
          : 'untrusted',
    risky: risky.map(({ path, value }) => ({
      path: formatPath(path),
      value: maskSecrets(value, path),
    })),
    digest: digestOf(risky),
  };
}

/**
 * Keeps a trusted file trusted when the user changes it through svc. An untrusted one stays
 * untrusted, and so does one that was or is invalid.
 *
 * @throws SvcError STATE_UNWRITABLE
 */
export function keepTrust(
  context: EngineContext,
  file: string,
  texts: Readonly<Record<'after' | 'before', string>>,
): void {
  // It needs no trust. Checking its texts again would take a twentieth of `svc config set`.
  if (isOwnConfig(context, file)) return;
  const { input: before } = checkConfigText(file, texts.before);
  const { input: after } = checkConfigText(file, texts.after);
  if (before === undefined || after === undefined) return;
  const old = reviewTrust(context, file, before);
  const now = reviewTrust(context, file, after);
  if (old.state !== 'untrusted' && now.state === 'untrusted') recordTrust(context, now);
}

/**
 * Equal for equal values that lead to the same files. Keys are in the order of the schema if the file was checked, and
 * else as written.
 */
function digestOf(risky: readonly RiskyValue[]): string {
  const lines = risky.map(({ path, value, leadsTo }) =>
    JSON.stringify([formatPath(path), value, leadsTo ?? []], withSortedKeys),
  );
  return hash('sha256', lines.toSorted().join('\n'));
}

function isTrusted(context: EngineContext, file: string, risky: readonly RiskyValue[]): boolean {
  return findTrusted(context.state.stateDir, configLocation(file))?.digest === digestOf(risky);
}

function ignoredKeysWarning(file: string, keys: readonly string[]): Warning {
  return {
    code: 'CONFIG_UNTRUSTED',
    message: `${file} is not trusted; ignoring ${shortList(keys, MOST_NAMED)}. Review it, then run "svc config trust"`,
  };
}

const MOST_NAMED = 8;

/**
 * The current configuration file.
 *
 * @throws SvcError CONFIG_NOT_FOUND
 */
export function fileToTrust(context: EngineContext, { configFile }: LoadConfigOptions): string {
  const { file } = discoverConfig(context, configFile);
  if (file !== undefined) return file;
  const message = `no svc.json found in ${context.cwd} or its parent folders`;
  throw new SvcError('CONFIG_NOT_FOUND', message, {
    hint: 'change to its folder, or pass it with --config',
  });
}

/**
 * The risky keys of the current configuration.
 *
 * @throws SvcError CONFIG_*
 */
export function reviewFile(context: EngineContext, options: LoadConfigOptions): TrustReview {
  const file = fileToTrust(context, options);
  return reviewTrust(context, file, requireValid(readCheckedConfig(file)).input);
}

const trustedConfig = z.object({
  /** Absolute path with the links of its folder resolved. */
  file: z.string(),
  /** Hash of its risky keys when it was trusted. */
  digest: z.string(),
  trustedAtMs: z.number(),
});
type TrustedConfig = Readonly<z.infer<typeof trustedConfig>>;

function findTrusted(stateDir: string, file: string): TrustedConfig | undefined {
  const record = readRecord(recordFile(stateDir, file));
  return record?.file === file ? record : undefined;
}

/** Files that the user trusted, and whether they changed so that they have to be trusted again. */
export function listTrust(
  context: EngineContext,
): readonly (TrustedConfig & { readonly changed: boolean })[] {
  const { stateDir } = context.state;
  const names = ifThere(() => readdirSync(folderOf(stateDir))) ?? [];
  return names
    .flatMap((name) => readRecord(join(folderOf(stateDir), name)) ?? [])
    .filter(({ file }) => findTrusted(stateDir, file) !== undefined)
    .map((record) => ({ ...record, changed: isUntrusted(context, record.file) }))
    .toSorted((a, b) => (a.file < b.file ? -1 : 1));
}

function isUntrusted(context: EngineContext, file: string): boolean {
  try {
    const { input } = readCheckedConfig(file);
    return input !== undefined && reviewTrust(context, file, input).state === 'untrusted';
  } catch {
    // Deleted or unreadable: nothing of it is ignored, and its error belongs to other commands.
    return false;
  }
}

/** Trusts what was reviewed. @throws SvcError STATE_UNWRITABLE */
export function recordTrust(
  { state, clock }: Pick<EngineContext, 'state' | 'clock'>,
  { file, digest }: Pick<TrustedConfig, 'file' | 'digest'>,
): void {
  const record: TrustedConfig = { file, digest, trustedAtMs: clock.now() };
  withWriteError(state.stateDir, () => writeJsonFile(recordFile(state.stateDir, file), record));
}

/** Returns whether the file was trusted. @throws SvcError STATE_UNWRITABLE */
export function revokeTrust({ state: { stateDir } }: EngineContext, file: string): boolean {
  const place = configLocation(file);
  const isTrusted = findTrusted(stateDir, place) !== undefined;
  withWriteError(stateDir, () => rmSync(recordFile(stateDir, place), { force: true }));
  return isTrusted;
}

function folderOf(stateDir: string): string {
  return join(stateDir, 'trusted-configs');
}

/** One file per record, so that processes do not overwrite each other's changes. */
function recordFile(stateDir: string, file: string): string {
  return join(folderOf(stateDir), `${hash('sha256', file)}.json`);
}

/** An unreadable record does not count. */
function readRecord(path: string): TrustedConfig | undefined {
  return trustedConfig.safeParse(readJsonFile(path)).data;
}

function withWriteError(stateDir: string, work: () => void): void {
  try {
    work();
  } catch (cause) {
    const folder = folderOf(stateDir);
    throw new SvcError('STATE_UNWRITABLE', `cannot write to ${folder}: ${systemReason(cause)}`, {
      hint: `check the permissions of ${stateDir} and its free disk space`,
      cause,
    });
  }
}
