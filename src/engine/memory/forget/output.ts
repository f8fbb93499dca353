import type { OpenedMemory } from '../open-memory.js';
import type { ChangedFile, ForgetEntry } from './forget-list.js';
import type { ForgetPlan, Undone } from './forget-plan.js';
import type { StoreOutcome } from './memory-store.js';
import type { ForgetListOutput, ForgetOutput, ForgetUndoOutput } from './output-schemas.js';

/*
 * The JSON shapes of docs/json.md, made from what the engine answers.
 */

/** `svc memory forget --json`. @param entry undefined when the person said no */
export function forgetOutput(
  memory: OpenedMemory,
  plan: ForgetPlan,
  entry: ForgetEntry | undefined,
  stores: readonly StoreOutcome[],
): ForgetOutput {
  return {
    agent: memory.agentId,
    id: entry?.id ?? null,
    passages: plan.passages.map(({ path, startLine, endLine, whole, text }) => {
      return { path, startLine, endLine, whole, text };
    }),
    alsoIn: plan.alsoIn,
    files: (entry?.files ?? []).map(changedFileOutput),
    stores: stores.map(({ store, changed, clean }) => ({ store, changed, clean })),
  };
}

/** `svc memory forget --list --json`. */
export function forgetListOutput(
  memory: OpenedMemory,
  entries: readonly ForgetEntry[],
): ForgetListOutput {
  return {
    agent: memory.agentId,
    entries: entries.map(({ id, at, passages, files }) => {
      return { id, at, passages, files: files.map(changedFileOutput) };
    }),
  };
}

/** `svc memory forget --undo --json`. @param undone undefined when the person said no */
export function forgetUndoOutput(
  memory: OpenedMemory,
  id: string,
  undone: Undone | undefined,
  stores: readonly StoreOutcome[],
): ForgetUndoOutput {
  return {
    agent: memory.agentId,
    id,
    undone: undone !== undefined,
    restored: undone?.restored ?? [],
    kept: undone?.kept ?? [],
    stores: stores.map(({ store, changed, clean }) => ({ store, changed, clean })),
  };
}

function changedFileOutput({ path, backup, leftHash }: ChangedFile) {
  return { path, deleted: leftHash === null, backup };
}
