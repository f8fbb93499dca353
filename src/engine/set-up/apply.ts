import {
  replaceConfig,
  requireUnchanged,
  withConfigLock,
  writeSchemaFile,
} from '../config/authoring.js';
import type { Diagnosis } from '../embeddings/index.js';
import type { IndexedAgent, SearchOutput } from '../memory/index.js';
import type { EngineContext } from '../support/context.js';
import type { OpenedSetUp } from './open-set-up.js';
import type { SetUpPlan } from './plan.js';
import { storeKey } from './provider-choices.js';
import { makeWorkspace } from './workspace.js';

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
  { before, base }: OpenedSetUp,
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
    const schemaFile = before === base ? null : writeSchemaFile(file);
    replaceConfig(work.context, file, { before, base, after: text });
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
