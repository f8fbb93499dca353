import { accessSync, constants, existsSync, lstatSync, readdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { editJson, parseConfigText } from '../../config/authoring.js';
import { formatPath, type ResolvedAgent, valueAt } from '../../config/index.js';
import { SvcError, type Warning } from '../../errors/index.js';
import type { SkippedFile, SourceFile } from '../../memory/index.js';
import { isFaultySkip, skipWords } from '../../memory/skip-words.js';
import {
  countNotesOutside,
  MAX_DOCUMENT_BYTES,
  type MemoryFilesOptions,
  memorySourcesOf,
  missingPlaces,
  resolveWorkspace,
  scanMemoryFiles,
  tooLarge,
} from '../../memory/sources/index.js';
import { excludesEverythingWarning, notesOutsideText } from '../../memory/sync/index.js';
import { DOCUMENT_FORMATS, documentFormatOf } from '../../support/document-format.js';
import { makeFolders } from '../../support/files.js';
import { formatCountOf } from '../../support/format.js';
import { isGlob } from '../../support/glob.js';
import { shellWord } from '../../support/text.js';
import { changeLines } from '../../support/text-diff.js';
import {
  type CheckReport,
  type ConfiguredWorld,
  configuredCheck,
  type Finding,
  type FindingPlace,
  type Fix,
  faultOf,
  finding,
} from '../check.js';
import { configFix } from './configuration.js';

const MOST_NAMED = 5;

/** Whether each agent's workspace exists and can be read. */
export const workspace = configuredCheck('workspace', async (world) => {
  const agents = world.agents.filter((agent) => agent.memorySearch.enabled);
  const findings = agents.flatMap((agent) => checkWorkspace(agent, world));
  const folders = [...new Set(agents.map((agent) => agent.workspaceDir))];
  return { summary: folders.join(', '), findings, off: agents.length === 0 };
});

function checkWorkspace(agent: ResolvedAgent, world: ConfiguredWorld): CheckReport['findings'] {
  const { workspaceDir, id } = agent;
  const place = world.placeOfAgent(id, ['workspace']) ?? { file: workspaceDir };
  try {
    const dir = resolveWorkspace(workspaceDir);
    const { memory, transcripts } = memorySourcesOf(agent, 'agent', world.context);
    const { files, skipped, decisions } = scanMemoryFiles(memory);
    return [
      twoRoots(dir),
      ...skipFindings([...skipped.filter(isFaultySkip), ...unreadable(files)], dir),
      ...missingExtras(agent, dir, world),
      ...missingPlaces(transcripts?.places ?? []).map(({ path }) =>
        finding('transcripts-missing', 'warning', {
          message: `${path}, named in sessions.readers, does not exist`,
          place: world.placeOf(['sessions', 'readers']),
          hint: 'correct the path, or remove it to read the default location',
        }),
      ),
      documentsLeftOut(agent, memory, world),
      files.length === 0
        ? (allExcluded(excludesEverythingWarning(decisions, dir), place) ??
          notesElsewhere(agent, memory, place, world) ??
          nothingThere(agent, place))
        : undefined,
    ];
  } catch (error) {
    return [unusableWorkspace(error, workspaceDir, place)];
  }
}

function unusableWorkspace(error: unknown, dir: string, place: FindingPlace): Finding {
  const isMissing =
    error instanceof SvcError &&
    error.code === 'WORKSPACE_MISSING' &&
    lstatSync(dir, { throwIfNoEntry: false })?.isSymbolicLink() !== true;
  return faultOf(isMissing ? 'workspace-missing' : 'workspace-unreadable', error, {
    place,
    fix: isMissing && isParentMounted(dir) ? folderFix(dir) : undefined,
  });
}

/** A workspace on a disk that is not mounted must not be created below the mount point. */
function isParentMounted(dir: string): boolean {
  return existsSync(dirname(dir)) || existsSync(dirname(dirname(dir)));
}

/** Only `MEMORY.md` is read, not `memory.md`. */
function twoRoots(dir: string): Finding | undefined {
  const names = readdirSync(dir);
  if (!names.includes('memory.md')) return undefined;
  const both = names.includes('MEMORY.md');
  return finding(both ? 'memory-split' : 'memory-misspelt', 'warning', {
    message: both
      ? 'there is a memory.md next to MEMORY.md'
      : 'the memory file is named memory.md instead of MEMORY.md',
    cause: 'only MEMORY.md is indexed',
    place: { file: join(dir, 'memory.md'), line: 1, column: 1 },
    hint: both
      ? 'move its content to MEMORY.md and delete it'
      : `mv ${shellWord(join(dir, 'memory.md'))} ${shellWord(join(dir, 'MEMORY.md'))}`,
  });
}

/** A scan does not open files, so it does not see which of them cannot be read, or are too large. */
function unreadable(files: readonly SourceFile[]): readonly SkippedFile[] {
  return files.slice(0, MOST_TRIED).flatMap(({ absolutePath, kind, path, size }): SkippedFile[] => {
    // Media have a limit of their own, which the scan knows.
    if (kind !== 'media' && size > MAX_DOCUMENT_BYTES) return [tooLarge(path, size)];
    try {
      accessSync(absolutePath, constants.R_OK);
      return [];
    } catch {
      return [{ path, reason: 'permission_denied' }];
    }
  });
}

const MOST_TRIED = 10_000;

/** Files that are not indexed, the first few of them by name. @param dir the workspace */
export function skipFindings(skipped: readonly SkippedFile[], dir: string): readonly Finding[] {
  // Missing extra paths are reported with their places in the configuration.
  const files = skipped.filter((skip) => skip.reason !== 'missing');
  return files.slice(0, MOST_NAMED).map((skip, at): Finding => {
    const more =
      at === MOST_NAMED - 1 && files.length > MOST_NAMED
        ? ` (and ${files.length - MOST_NAMED} more)`
        : '';
    const why = skipWords({ reason: skip.reason });
    return finding('file-skipped', 'warning', {
      message: `${skip.path} is not indexed: ${why}${more}`,
      cause: skip.detail,
      place: { file: resolve(dir, skip.path) },
      hint: '"svc memory status --verbose" lists all skipped files',
    });
  });
}

function missingExtras(
  { memorySearch, id }: ResolvedAgent,
  dir: string,
  world: ConfiguredWorld,
): readonly Finding[] {
  const missing = memorySearch.extraPaths.filter((path) => !existsSync(resolve(dir, path)));
  return missing.map((path) => {
    const place = placeOfExtra(path, id, world);
    return finding('extra-path-missing', 'warning', {
      message: `${resolve(dir, path)}, named in extraPaths, does not exist`,
      place,
      hint: isGlob(path)
        ? 'name files and folders; patterns are for memorySearch.exclude'
        : 'create it, or remove it from extraPaths',
    });
  });
}

/** The lists of the agent and the defaults are merged, with `~` expanded. */
function placeOfExtra(path: string, id: string, world: ConfiguredWorld): FindingPlace | undefined {
  const { agents } = world.loaded.input;
  const at = world.agents.findIndex((agent) => agent.id === id);
  const lists = [
    { base: ['agents', 'defaults'], list: agents?.defaults?.memorySearch?.extraPaths },
    { base: ['agents', 'list', at], list: agents?.list?.[at]?.memorySearch?.extraPaths },
  ];
  for (const { base, list = [] } of lists) {
    const position = list.findIndex((written) => path.endsWith(written.replace(/^~/u, '')));
    if (position === -1) continue;
    return world.placeOf([...base, 'memorySearch', 'extraPaths', position]);
  }
  return undefined;
}

/** With fewer, it is unlikely that anyone expects to find them. */
const MANY_DOCUMENTS = 10;

/** Documents besides Markdown where notes are indexed, of formats that the setting does not include. */
function documentsLeftOut(
  agent: ResolvedAgent,
  memory: MemoryFilesOptions,
  world: ConfiguredWorld,
): Finding | undefined {
  const { documents: formats } = agent.memorySearch;
  const documents = DOCUMENT_FORMATS.filter((one) => !formats.includes(one));
  const { files } = scanMemoryFiles({ ...memory, documents });
  const left = files.flatMap(({ kind, path }) =>
    kind === 'markdown' ? [] : (documentFormatOf(path) ?? []),
  );
  if (left.length < MANY_DOCUMENTS) return undefined;
  const newFormats = JSON.stringify(
    DOCUMENT_FORMATS.filter((one) => formats.includes(one) || left.includes(one)),
  );
  const list = [...new Set(left)].join(', ');
  const path = ['memorySearch', 'documents'];
  const written = world.pathOfAgent(agent.id, path) ?? ['agents', 'defaults', ...path];
  return finding('documents-not-indexed', 'note', {
    message: `${formatCountOf(left.length, 'document')} next to the notes of agent ${agent.id} are not indexed: ${list}`,
    place: world.placeOf(written),
    hint: `run: svc config set ${shellWord(formatPath(written))} '${newFormats}'`,
  });
}

/** Patterns that match everything. */
function allExcluded(warning: Warning | undefined, place: FindingPlace): Finding | undefined {
  if (warning === undefined) return undefined;
  const { message, hint } = warning;
  return finding('everything-excluded', 'warning', { message, place, hint });
}

function nothingThere({ id, workspaceDir }: ResolvedAgent, place: FindingPlace): Finding {
  return finding('workspace-empty', 'note', {
    message: `agent ${id} has no memory yet`,
    place,
    hint: `create ${join(workspaceDir, 'MEMORY.md')}, or notes in ${join(workspaceDir, 'memory')}`,
  });
}

/** A folder of notes is set as the workspace: the fix adds it to the paths that are indexed. */
function notesElsewhere(
  { id }: ResolvedAgent,
  memory: MemoryFilesOptions,
  place: FindingPlace,
  world: ConfiguredWorld,
): Finding | undefined {
  const dir = resolveWorkspace(memory.workspaceDir);
  const count = countNotesOutside(memory);
  if (count === 0) return undefined;
  const { reading, loaded } = world;
  const at = (loaded.input.agents?.list ?? []).findIndex((agent) => agent.id === id);
  const owner = at === -1 ? ['agents', 'defaults'] : ['agents', 'list', at];
  const path = [...owner, 'memorySearch', 'extraPaths'];
  const others = valueAt(loaded.input, path);
  const setting = Array.isArray(others)
    ? `${shellWord(formatPath([...path, others.length]))} .`
    : `${shellWord(formatPath(path))} '["."]'`;
  const fix = !('checked' in reading)
    ? undefined
    : configFix(world.context, reading.checked.document, {
        title: `index the whole folder: set ${formatPath(path)}`,
        // It may be a folder of anything, and a provider may get its text.
        safe: false,
        edit: (current) => {
          const written = valueAt(parseConfigText(dir, current).value, path);
          return editJson(current, path, [...(Array.isArray(written) ? written : []), '.']);
        },
      });
  return finding('notes-outside-memory', 'warning', {
    message: `${notesOutsideText(count, dir)}, and nothing else is indexed`,
    place,
    hint: `run: svc config set ${setting}`,
    fix,
  });
}

function folderFix(path: string): Fix {
  return {
    title: `create the folder ${path}`,
    safe: true,
    diff: changeLines([], [`folder  ${path}`]),
    changes: 'state',
    apply: async () => makeFolders(path),
  };
}
