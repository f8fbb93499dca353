import type {
  ExistingFiles,
  ExportTally,
  ImportPlan,
  ImportResult,
} from '../../engine/memory/transfer/index.js';
import { formatBytes, formatCount, formatCountOf } from '../../engine/support/format.js';
import { safeLine } from '../safe-text.js';
import type { View } from '../style.js';
import { skippedNames } from './words.js';

const PATHS_SHOWN = 10;
const SKIPS_NAMED = 3;

/** What was exported. @param file undefined for stdout */
export function renderExport(
  { documents, vectors, bytes, skipped }: Readonly<ExportTally>,
  file: string | undefined,
): string {
  const what = `${formatCountOf(documents, 'note')}, ${formatCountOf(vectors, 'vector')}, ${formatBytes(bytes)}`;
  const left = skipped.length === 0 ? [] : [`skipped: ${skippedNames(skipped, SKIPS_NAMED)}`];
  const where = file === undefined ? '' : ` to ${safeLine(file)}`;
  return [`exported${where}: ${what}`, ...left, ''].join('\n');
}

/** What an import would do. */
export function renderImportPlan(
  { root, comparison, instructions }: ImportPlan,
  existing: ExistingFiles,
): string {
  const { fresh, same, different } = comparison;
  const some = (paths: readonly string[]) => [
    ...paths.slice(0, PATHS_SHOWN).map((path) => `    ${safeLine(path)}`),
    ...(paths.length > PATHS_SHOWN ? ['    …'] : []),
  ];
  const differentWords: Readonly<Record<ExistingFiles, string>> = {
    refuse: 'already there with different content',
    keep: 'already there with different content, kept',
    replace: 'will be replaced, with a backup',
  };
  return [
    `into ${safeLine(root)}`,
    `  ${formatCount(fresh.length)} new`,
    ...(instructions.length === 0
      ? []
      : [`  ${formatCount(instructions.length)} of these followed by agents as instructions`]),
    ...some(instructions),
    ...(same.length === 0 ? [] : [`  ${formatCount(same.length)} unchanged`]),
    ...(different.length === 0
      ? []
      : [`  ${formatCount(different.length)} ${differentWords[existing]}`]),
    ...some(different),
    '',
  ].join('\n');
}

/**
 * What was imported.
 *
 * @param vectorsInFile number of vectors in the file
 * @param folder the folder it was imported into, if the user named one, quoted for a shell
 */
export function renderImport(
  { written, replaced, notIndexed, vectors }: ImportResult,
  vectorsInFile: number,
  folder: string | undefined,
  { hintFor }: Pick<View, 'hintFor'>,
): string {
  const nextStep = hintFor(
    folder === undefined
      ? '"svc memory status --why PATH" explains why'
      : `search the folder with "svc memory search QUERY --workspace ${safeLine(folder)}"`,
  );
  const backups = replaced.map(({ path, backup }) => {
    return `replaced ${safeLine(path)}; backup: ${safeLine(backup)}`;
  });
  return [
    `imported ${formatCountOf(written.length + replaced.length, 'note')}`,
    ...backups,
    ...(vectorsInFile === 0
      ? []
      : [`${formatCount(vectors)} of ${formatCountOf(vectorsInFile, 'vector')} matched a passage`]),
    ...(notIndexed === 0 ? [] : [`${formatCountOf(notIndexed, 'note')} not indexed; ${nextStep}`]),
    '',
  ].join('\n');
}
