import { lstatSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  createJsonSchema,
  replaceConfig,
  requireUnchanged,
  SCHEMA_FILE_NAME,
  withConfigLock,
  writeFileAtomically,
} from '../config/authoring.js';
import { isRecord } from '../config/index.js';
import { keepTrust } from '../config/trust/config-trust.js';
import { diagnoseNamed } from '../embeddings/diagnosis/index.js';
import type { Diagnosis, DiagnosisWork } from '../embeddings/index.js';
import { SvcError, systemReason } from '../errors/index.js';
import type { IndexedAgent, SearchOutput } from '../memory/index.js';
import { withProcessLock } from '../sqlite/process-lock.js';
import type { Clock, EngineContext } from '../support/context.js';
import { PRIVATE_MODE, replaceFile } from '../support/files.js';
import { loadText, type OpenedSetUp } from './open-set-up.js';
import type { SetUpPlan } from './plan.js';
import { makeWorkspace } from './workspace.js';

/**
 * Embeds a test query with the provider of a plan; undefined for keyword search only. Writes nothing.
 *
 * @throws the signal's reason
 */
export async function tryPlan(
  { provider, trial }: SetUpPlan,
  work: DiagnosisWork & { readonly clock: Clock },
): Promise<Diagnosis | undefined> {
  return provider === null ? undefined : diagnoseNamed(provider, trial, work);
}

/** The files that were written; absolute paths. */
export interface WrittenSetUp {
  readonly file: string;
  /** Null when an existing configuration was changed. */
  readonly schemaFile: string | null;
  /** Null when no key was given. */
  readonly secretsFile: string | null;
}

/**
 * Applies a plan: the folder, the key, and the configuration last, so that it never refers to something
 * missing.
 *
 * @throws SvcError WORKSPACE_UNREADABLE, CONFIG_WRITE_FAILED, STATE_UNWRITABLE; the signal's reason
 */
export async function applyPlan(
  { before, base, loaded }: OpenedSetUp,
  { file, text, keyToStore }: SetUpPlan,
  work: {
    readonly context: EngineContext;
    readonly workspace: { readonly dir: string; readonly withExample: boolean };
    readonly signal: AbortSignal;
  },
): Promise<WrittenSetUp> {
  work.signal.throwIfAborted();
  return withConfigLock(work.context, work.signal, async () => {
    // Another process may have changed the file while the person was asked.
    requireUnchanged(file, before);
    makeWorkspace(work.workspace.dir, work.workspace.withExample);
    if (keyToStore !== undefined) await storeKey(keyToStore.file, keyToStore, work.signal);
    const isNew = before !== base;
    const schemaFile = isNew ? join(dirname(file), SCHEMA_FILE_NAME) : null;
    if (schemaFile !== null) {
      writeFileAtomically(schemaFile, `${JSON.stringify(createJsonSchema(), null, 2)}\n`);
    }
    if (text !== before) replaceConfig(file, before, text);
    keepTrust(work.context, file, { before: loaded.input, after: loadText(file, text).input });
    return { file, schemaFile, secretsFile: keyToStore?.file ?? null };
  });
}

/** `svc config init --json`, except when it only writes a template. */
export interface SetUpOutput extends WrittenSetUp {
  /** Absolute path of the folder. */
  readonly workspace: string;
  /** Null for keyword search only. */
  readonly provider: string | null;
  /** The test of the provider; null for keyword search only. */
  readonly diagnosis: Diagnosis | null;
  /** Null with --no-index. */
  readonly index: IndexedAgent | null;
  /** The first search; null with --no-index. */
  readonly search: SearchOutput | null;
}

/** The file for keys that a person pasted. @param stateDir absolute path */
export function secretsFile(stateDir: string): string {
  return join(stateDir, 'secrets.json');
}

/** The JSON pointer of a provider's key in that file. */
export function keyPointer(provider: string): string {
  return `/${GROUP}/${provider.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

const GROUP = 'providers';

/**
 * Stores the key of a provider in a private secrets file and keeps the rest of the file. Waits for other
 * processes that write it.
 *
 * @param file absolute path; created when it is missing
 * @throws SvcError CONFIG_WRITE_FAILED, with the old file unchanged; the signal's reason
 */
export async function storeKey(
  file: string,
  { provider, key }: { readonly provider: string; readonly key: string },
  signal: AbortSignal,
): Promise<void> {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    await withProcessLock(`${file}.lock`, { signal }, async () => {
      const secrets = readSecrets(file);
      const group = secrets[GROUP] ?? {};
      if (!isRecord(group)) throw notWritten(file, `its "${GROUP}" is not an object`);
      const merged = { ...secrets, [GROUP]: { ...group, [provider]: key } };
      replaceFile(file, `${JSON.stringify(merged, null, 2)}\n`, PRIVATE_MODE);
    });
  } catch (cause) {
    if (signal.aborted || cause instanceof SvcError) throw cause;
    throw notWritten(file, systemReason(cause));
  }
}

/** Errors of the parser quote the text, so they are not passed on. */
function readSecrets(file: string): Record<string, unknown> {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (stats === undefined) return {};
  // Secret files must not be links, so a key behind one would never be read.
  if (!stats.isFile()) throw notWritten(file, 'it is not a regular file');
  let root: unknown;
  try {
    root = JSON.parse(readFileSync(file, 'utf8').replace(/^\uFEFF/u, ''));
  } catch (error) {
    throw notWritten(file, error instanceof SyntaxError ? 'it is not JSON' : systemReason(error));
  }
  if (!isRecord(root)) throw notWritten(file, 'it is not a JSON object');
  return root;
}

function notWritten(file: string, why: string): SvcError {
  return new SvcError('CONFIG_WRITE_FAILED', `cannot store the key in ${file}: ${why}`, {
    hint: 'fix or move the file, or keep the key in a variable: --key-env NAME',
  });
}
