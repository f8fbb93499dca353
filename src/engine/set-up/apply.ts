import { dirname, join } from 'node:path';
import { writeFileAtomically } from '../config/edit/atomic-write.js';
import { SCHEMA_FILE_NAME } from '../config/init-template.js';
import { createJsonSchema } from '../config/json-schema.js';
import type { Clock } from '../context.js';
import {
  type Diagnosis,
  type DiagnosisEvent,
  diagnoseNamed,
} from '../embeddings/diagnosis/index.js';
import { SvcError } from '../errors/index.js';
import { configTextNow, type OpenedSetUp } from './open-set-up.js';
import type { SetUpPlan } from './plan.js';
import { storeKey } from './secrets-file.js';
import { makeWorkspace } from './workspace.js';

/**
 * Really embeds a word with the provider of a plan; undefined for words alone. Writes nothing.
 *
 * @throws the signal's reason
 */
export async function tryPlan(
  { provider, trial }: SetUpPlan,
  work: {
    readonly clock: Clock;
    readonly signal: AbortSignal;
    readonly onEvent: (event: DiagnosisEvent) => void;
  },
): Promise<Diagnosis | undefined> {
  return provider === null ? undefined : diagnoseNamed(provider, trial, work);
}

/** What was written; absolute paths. */
export interface WrittenSetUp {
  readonly file: string;
  /** Null where a configuration that was there was changed. */
  readonly schemaFile: string | null;
  /** Null where no key was given. */
  readonly secretsFile: string | null;
}

/**
 * Writes what was planned: the folder, the key, and the configuration last, so that it never names
 * what is not there.
 *
 * @throws SvcError WORKSPACE_UNREADABLE, CONFIG_WRITE_FAILED; the signal's reason
 */
export async function applyPlan(
  { before, base }: OpenedSetUp,
  { file, text, keyToStore }: SetUpPlan,
  work: {
    readonly workspace: { readonly dir: string; readonly withExample: boolean };
    readonly signal: AbortSignal;
  },
): Promise<WrittenSetUp> {
  work.signal.throwIfAborted();
  requireUnchanged(file, before);
  makeWorkspace(work.workspace.dir, work.workspace.withExample);
  if (keyToStore !== undefined) await storeKey(keyToStore.file, keyToStore, work.signal);
  const isNew = before !== base;
  const schemaFile = isNew ? join(dirname(file), SCHEMA_FILE_NAME) : null;
  if (schemaFile !== null) {
    writeFileAtomically(schemaFile, `${JSON.stringify(createJsonSchema(), null, 2)}\n`);
  }
  if (text !== before) writeFileAtomically(file, text);
  return { file, schemaFile, secretsFile: keyToStore?.file ?? null };
}

/** Somebody else's change, made while the person was asked, must not be undone. */
function requireUnchanged(file: string, before: string | undefined): void {
  // Only one that is to be replaced was taken although it cannot be read as text.
  if (configTextNow(file, true) === before) return;
  throw new SvcError('CONFIG_WRITE_FAILED', `${file} was changed in the meantime`, {
    hint: 'run the command again; nothing was written',
  });
}
