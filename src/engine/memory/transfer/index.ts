/* Exports and imports a memory as one file. Loaded by name: output-schemas.ts, for tests and docs. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { SvcError, type Warning } from '../../errors/index.js';
import { closing } from '../../support/async.js';
import { realPath } from '../../support/files.js';
import { iso } from '../../support/time.js';
import { ExtractedTexts } from '../extract/index.js';
import { readForgotten } from '../forgotten/index.js';
import type { IndexKeeper, IndexKeeperOptions } from '../keeper/index-keeper.js';
import { displayPath, resolveWorkspace } from '../sources/index.js';
import type { WorkOptions } from '../sync/index.js';
import { withIndexLock } from '../sync/index-lock.js';
import type { CheckedExport } from './export-format.js';
import { type ExportContext, type ExportTally, exportLines } from './export-memory.js';
import {
  type ExistingFiles,
  type ImportedFiles,
  type ImportPlan,
  importFiles,
  importVectors,
  planImport,
} from './import-memory.js';
import type { ImportOutput } from './output-schemas.js';

export { type ExportTally, writeExportFile } from './export-memory.js';
export type { ExistingFiles, ImportPlan } from './import-memory.js';
export * from './output-schemas.js';

export interface ImportResult extends ImportedFiles, Pick<ImportOutput, 'notIndexed' | 'same'> {
  /** Those that match a passage. */
  readonly vectors: number;
}

/** Exports and imports a memory as one file. */
export type Transfer = ReturnType<typeof createTransfer>;

export function createTransfer({ target, clock }: IndexKeeperOptions, keeper: IndexKeeper) {
  const { memory } = target.sources;
  const { workspaceDir } = memory;
  return {
    /** Produces an export line by line. @param write takes a line including its end */
    export: async (
      { agent, vectors }: Pick<ExportContext, 'agent' | 'vectors'>,
      write: (line: string) => Promise<void>,
      work: WorkOptions = {},
    ) => {
      const warnings: Warning[] = [];
      const tally: ExportTally = { documents: 0, vectors: 0, bytes: 0, skipped: [] };
      const forgotten = await readForgotten(target.forget);
      const texts = new ExtractedTexts(target);
      const atMs = clock.now();
      const onWarning = (warning: Warning): number => warnings.push(warning);
      await keeper.answer({ ...work, onWarning }, async (index) => {
        if (tally.bytes > 0) throw replacedMeanwhile(target.indexFile);
        const { signal } = work;
        const context = { index, memory, forgotten, texts, agent, atMs, vectors, signal };
        for await (const line of exportLines(context, tally)) await write(line);
      });
      return { ...tally, warnings };
    },
    /** See {@link planImport}. @param into the folder; defaults to the workspace */
    planImport: (file: string, into = workspaceDir) => planImport(file, into),
    /** Writes the planned files and indexes them. @throws SvcError IMPORT_CONFLICT, IMPORT_FAILED */
    import: async (
      plan: ImportPlan,
      existing: ExistingFiles,
      work: WorkOptions = {},
    ): Promise<ImportResult> => {
      const stamp = iso(clock.now()).replaceAll(/[:.]/gu, '-');
      const backupDir = join(target.forget.backupDir, `import-${stamp}`);
      const files = await importFiles(plan, existing, backupDir, work.signal);
      const root = realPath(plan.root);
      const paths = Array.from(plan.checked.documents.keys(), (path) => join(root, path));
      return {
        ...files,
        same: plan.comparison.same.length,
        ...(await indexImported(paths, plan.checked, work)),
      };
    },
  };

  async function indexImported(
    files: readonly string[],
    checked: CheckedExport,
    work: WorkOptions,
  ): Promise<Pick<ImportResult, 'notIndexed' | 'vectors'>> {
    if (!existsSync(workspaceDir)) return { notIndexed: files.length, vectors: 0 };
    await keeper.sync({ ...work, embeds: false });
    keeper.close();
    const root = resolveWorkspace(workspaceDir);
    const { signal } = work;
    const lock = { nowMs: clock.now(), signal };
    return withIndexLock(target.indexFile, lock, async () => {
      const opened = await target.home.openToWrite();
      if (opened === undefined) throw damagedMeanwhile(target.indexFile);
      using index = closing(opened);
      const known = new Set((await index.documents()).map(({ path }) => path));
      const notIndexed = files.filter((file) => !known.has(displayPath(root, file))).length;
      const vectors = checked.vectors === 0 ? 0 : await importVectors(checked, index, signal);
      return { notIndexed, vectors };
    });
  }
}

/** Not a damage, for which the index would be rebuilt. */
function replacedMeanwhile(indexFile: string): SvcError {
  return new SvcError('INDEX_LOCKED', `the index ${indexFile} was replaced during the export`, {
    hint: 'run the command again',
  });
}

function damagedMeanwhile(indexFile: string): SvcError {
  return new SvcError('INDEX_CORRUPT', `the index ${indexFile} is damaged`, {
    hint: 'the next command rebuilds it; run this one again',
  });
}
