import { existsSync } from 'node:fs';
import {
  EMPTY_CONFIG,
  replaceConfig,
  requireUnchanged,
  withConfigLock,
} from '../config/authoring.js';
import { type EngineContext, typedPath } from '../support/context.js';
import { writeNotes } from './entry-notes.js';
import type { ImportedData, ImportProgram } from './imported.js';
import type { ConfigImportOutput } from './output-schemas.js';
import { type ImportPlan, planImport } from './plan-import.js';

export { IMPORT_PROGRAMS, type ImportProgram } from './imported.js';
export type { ConfigImportOutput } from './output-schemas.js';
export type { ImportItem, ImportPlan } from './plan-import.js';

interface ImportRequest {
  readonly program: ImportProgram;
  /** A file or folder of the program; undefined is its default. */
  readonly path: string | undefined;
  /** From `--config`. */
  readonly configFile: string | undefined;
}

/**
 * Reads another program and plans what to take over. Nothing is written.
 *
 * @throws SvcError IMPORT_*, CONFIG_*
 */
export async function prepareImport(
  { program, path, configFile }: ImportRequest,
  context: EngineContext,
): Promise<ImportPlan> {
  const source = path === undefined ? undefined : typedPath(path, context);
  const read = await READERS[program]();
  return planImport(program, read(source, context), context, configFile);
}

/** Whether OpenClaw has a configuration where it keeps it. */
export async function hasOpenClaw(context: EngineContext): Promise<boolean> {
  const { openClawFile } = await import('./sources/openclaw.js');
  return existsSync(openClawFile(context));
}

type ReadProgram = (path: string | undefined, context: EngineContext) => ImportedData;

/** The parsers of each format are loaded only for it. */
const READERS: Readonly<Record<ImportProgram, () => Promise<ReadProgram>>> = {
  openclaw: async () => (await import('./sources/openclaw.js')).readOpenClaw,
  qmd: async () => (await import('./sources/qmd.js')).readQmd,
  'basic-memory': async () => (await import('./sources/basic-memory.js')).readBasicMemory,
  'claude-mem': async () => (await import('./sources/claude-mem.js')).readClaudeMem,
};

/** The JSON document of an import. */
export function importOutput(
  { program, source, items, file, diff, notes }: ImportPlan,
  applied: boolean,
): ConfigImportOutput {
  return {
    from: program,
    source,
    items,
    file,
    diff,
    notes: notes.map((note) => ({ file: note.file, entries: note.entries.length })),
    applied,
  };
}

/** Whether applying a plan would change anything. */
export function writesAnything({ before, text, notes }: ImportPlan): boolean {
  return notes.length > 0 || text !== (before ?? EMPTY_CONFIG);
}

/**
 * Writes the notes, and then the configuration. Killed in between, importing again continues.
 *
 * @throws SvcError IMPORT_FAILED, CONFIG_WRITE_FAILED, STATE_UNWRITABLE; the signal's reason
 */
export async function applyImport(
  { file, before, text, agent, notes }: ImportPlan,
  context: EngineContext,
  signal: AbortSignal,
): Promise<void> {
  await withConfigLock(context, signal, () => {
    requireUnchanged(file, before);
    writeNotes(agent.workspaceDir, notes, signal);
    if (text === (before ?? EMPTY_CONFIG)) return;
    replaceConfig(context, file, { before, after: text });
  });
}
