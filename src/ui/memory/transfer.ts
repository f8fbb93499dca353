import type { ImportResult } from '../../engine/memory/backends/memory-backend.js';
import type { ExportTally } from '../../engine/memory/transfer/export-memory.js';
import type { ImportPlan } from '../../engine/memory/transfer/import-memory.js';
import type { ExistingFiles } from '../../engine/memory/transfer/land-documents.js';
import { formatBytes, formatCount, formatCountOf } from '../format.js';
import { safeLine } from '../safe-text.js';
import { skippedNames } from './words.js';

const PATHS_SHOWN = 10;
const NAMED = 3;

/** What was exported, in a line or two. @param file undefined when it went to stdout */
export function renderExport(
  { documents, vectors, bytes, skipped }: Readonly<ExportTally>,
  file: string | undefined,
): string {
  const what = `${formatCountOf(documents, 'note')}, ${formatCountOf(vectors, 'vector')}, ${formatBytes(bytes)}`;
  const left = skipped.length === 0 ? [] : [`left out: ${skippedNames(skipped, NAMED)}`];
  const where = file === undefined ? '' : ` to ${safeLine(file)}`;
  return [`exported${where}: ${what}`, ...left, ''].join('\n');
}

/** What an import would do. */
export function renderImportPlan({ root, landing }: ImportPlan, existing: ExistingFiles): string {
  const { fresh, same, different } = landing;
  const fate: Readonly<Record<ExistingFiles, string>> = {
    refuse: 'there with another content',
    keep: 'there with another content, kept as they are',
    replace: 'to be replaced, with a backup',
  };
  return [
    `into ${safeLine(root)}`,
    `  ${formatCount(fresh.length)} new`,
    ...(same.length === 0 ? [] : [`  ${formatCount(same.length)} there already`]),
    ...(different.length === 0 ? [] : [`  ${formatCount(different.length)} ${fate[existing]}`]),
    ...different.slice(0, PATHS_SHOWN).map((path) => `    ${safeLine(path)}`),
    ...(different.length > PATHS_SHOWN ? ['    …'] : []),
    '',
  ].join('\n');
}

/** What was imported. @param vectorsInFile how many vectors came with it */
export function renderImport(
  { written, replaced, notIndexed, vectors }: ImportResult,
  vectorsInFile: number,
): string {
  const backups = replaced.map(({ path, backup }) => {
    return `replaced ${safeLine(path)}; backup: ${safeLine(backup)}`;
  });
  return [
    `imported ${formatCountOf(written.length + replaced.length, 'note')}`,
    ...backups,
    ...(vectorsInFile === 0
      ? []
      : [`${formatCount(vectors)} of ${formatCountOf(vectorsInFile, 'vector')} found a passage`]),
    ...(notIndexed === 0
      ? []
      : [
          `${formatCountOf(notIndexed, 'note')} not indexed there: this memory does not cover that place`,
        ]),
    '',
  ].join('\n');
}
