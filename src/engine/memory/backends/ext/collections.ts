import { createHash } from 'node:crypto';
import { existsSync, lstatSync, statSync } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import type { ResolvedAgent, ResolvedMemory } from '../../../config/index.js';
import { unlessSystemError } from '../../../support/files.js';
import { createGlob, isGlob } from '../../../support/glob.js';
import { isInside, realOrGiven, resolvePath } from '../../../support/paths.js';
import { MS_PER_DAY } from '../../../support/time.js';
import {
  fingerprintOf,
  MEMORY_FOLDER,
  type MemorySources,
  ROOT_FILES,
  scanTranscripts,
  type TranscriptSources,
  walkFolder,
} from '../../sources/index.js';
import { isRacy } from '../../sync/index.js';
import type { FileFingerprint, Source } from '../../types.js';

/** A folder that the external program searches, and its name there. */
export interface Collection {
  /** Letters, digits, `-` and `_`; unique per agent. */
  readonly name: string;
  /** Absolute path with links resolved. */
  readonly root: string;
  /** Glob of its files, relative to the folder. */
  readonly pattern: string;
  readonly source: Source;
}

export interface CollectionSettings {
  readonly agent: {
    readonly id: string;
    readonly workspaceDir: string;
    readonly memorySearch: Pick<ResolvedAgent['memorySearch'], 'ext' | 'extraPaths'>;
  };
  readonly ext: Pick<ResolvedMemory['ext'], 'includeDefaultMemory' | 'paths' | 'sessions'>;
  /** Absolute path of the folder of exported conversations. */
  readonly exportDir: string;
  readonly homeDir: string;
}

interface ConfiguredCollection {
  readonly path: string;
  readonly name?: string | undefined;
  readonly pattern?: string | undefined;
}

const ALL_MARKDOWN = '**/*.md';

/**
 * The collections of one agent, in search order: its memory, what the configuration adds for all agents, what
 * the agent adds, its conversations. When two lists name the same path, the first wins (spec/memory-search
 * §2.6); duplicates of a folder and pattern are dropped.
 */
export function collectionsOf({
  agent,
  ext,
  exportDir,
  homeDir,
}: CollectionSettings): readonly Collection[] {
  const { id, workspaceDir, memorySearch } = agent;
  const workspace = realOrGiven(workspaceDir);
  const defaults: readonly Collection[] = ext.includeDefaultMemory
    ? [
        { name: `memory-root-${id}`, root: workspace, pattern: 'MEMORY.md', source: 'memory' },
        {
          name: `memory-dir-${id}`,
          root: realOrGiven(join(workspace, MEMORY_FOLDER)),
          pattern: ALL_MARKDOWN,
          source: 'memory',
        },
      ]
    : [];
  const lists: readonly (readonly ConfiguredCollection[])[] = [
    ext.paths,
    memorySearch.extraPaths.map((path) => ({ path })),
    memorySearch.ext.extraCollections,
  ];
  const collections = [...defaults];
  const pathsBefore = new Set<string>();
  for (const list of lists) {
    const resolved = list.map((configured): ConfiguredCollection => {
      const path = realOrGiven(resolvePath(configured.path.trim(), workspace, homeDir));
      return { ...configured, path };
    });
    for (const configured of resolved) {
      if (pathsBefore.has(configured.path)) continue;
      const added = collectionOf(configured, workspace, id);
      if (collections.some((one) => one.root === added.root && one.pattern === added.pattern))
        continue;
      collections.push({ ...added, name: freeName(added.name, collections) });
    }
    for (const { path } of resolved) pathsBefore.add(path);
  }
  if (!ext.sessions.enabled) return collections;
  const sessions = {
    name: freeName(`sessions-${id}`, collections),
    root: realOrGiven(exportDir),
    pattern: ALL_MARKDOWN,
    source: 'sessions',
  } as const;
  return [...collections, sessions];
}

/** @param configured with an absolute path, links resolved */
function collectionOf(
  { path, name, pattern }: ConfiguredCollection,
  workspace: string,
  agentId: string,
): Collection {
  const isFile = unlessSystemError(() => statSync(path))?.isFile() === true;
  const root = isFile ? dirname(path) : path;
  const isOutside = !isInside(root, workspace);
  const ownName = nameOf(name ?? basename(path));
  return {
    // A custom name may be shared by agents; generated names include the agent.
    name: name !== undefined && isOutside ? ownName : `${ownName}-${agentId}`,
    root,
    pattern: pattern ?? (isFile ? literal(basename(path)) : ALL_MARKDOWN),
    source: 'memory',
  };
}

function nameOf(text: string): string {
  const name = text.replaceAll(/[^\w-]+/gu, '-').replaceAll(/^-+|(?<!-)-+$/gu, '');
  return name === '' ? 'notes' : name;
}

function freeName(name: string, taken: readonly Collection[]): string {
  const names = new Set(taken.map((collection) => collection.name));
  let free = name;
  for (let number = 2; names.has(free); number++) free = `${name}-${number}`;
  return free;
}

/** A glob that matches exactly this file name. */
function literal(name: string): string {
  return name.replaceAll(/[*?[\]{}()!+@\\]/gu, '?');
}

/**
 * The files behind the program's collections, as sources of the built-in engine (`mirrored`), and what to watch for both,
 * including folders that do not exist yet (`watched`). Read from disk each time, because folders come and go.
 *
 * @param transcripts the conversations to export; undefined when none are searched
 */
export function externalSources(
  sources: MemorySources,
  transcripts: TranscriptSources | undefined,
  collections: () => readonly Collection[],
) {
  const { workspaceDir, layout, exclude } = sources.memory;
  const workspace = realOrGiven(workspaceDir);
  const ofMemory = (): readonly Collection[] =>
    collections().filter(({ source }) => source === 'memory');
  const added = (): readonly string[] => {
    const paths = ofMemory()
      .map(({ root, pattern }) => (isGlob(pattern) ? root : join(root, pattern)))
      .filter((path) => dirname(path) !== workspace || !DEFAULT_PATHS.has(basename(path)));
    return [...new Set(paths)];
  };
  const memory = (extraPaths: () => readonly string[]): MemorySources['memory'] => ({
    workspaceDir,
    layout,
    exclude,
    get extraPaths() {
      return extraPaths();
    },
    get takes() {
      const tests = ofMemory().map(testOf);
      return (file: string) => tests.some((test) => test(file));
    },
  });
  return {
    mirrored: { ...sources, memory: memory(() => added().filter((path) => existsSync(path))) },
    // Conversations are exported from their own location.
    watched: { transcripts: transcripts ?? sources.transcripts, memory: memory(added) },
  };
}

/** What a workspace contains without configured paths. */
const DEFAULT_PATHS: ReadonlySet<string> = new Set([...ROOT_FILES, MEMORY_FOLDER]);

function testOf({ root, pattern }: Collection): (file: string) => boolean {
  const isMatch = createGlob(pattern, { dot: false });
  const below = root.endsWith(sep) ? root : root + sep;
  return (file) => file.startsWith(below) && isMatch(file.slice(below.length));
}

/**
 * A short digest of the files of all collections: if it is unchanged, the program's index is up to date.
 *
 * @returns null when a file is so recent that its next change could go unnoticed
 */
export function treeOf(
  collections: readonly Collection[],
  transcripts: TranscriptSources | undefined,
  nowMs: number,
  retentionDays?: number,
): string | null {
  const digest = createHash('sha256');
  let isCertain = true;
  const addFile = (path: string, file: FileFingerprint): void => {
    if (isRacy(file, nowMs)) isCertain = false;
    digest.update(`${path}\0${file.size}\0${file.mtimeMs}\0`);
  };
  for (const { name, root, pattern, source } of collections) {
    digest.update(`${name}\0${root}\0${pattern}\0${existsSync(root)}\0`);
    // A conversation counts by its transcript, from which its export is made.
    if (source === 'sessions') continue;
    for (const file of filesOf(root, pattern)) addFile(file.absolutePath, file);
  }
  if (transcripts !== undefined && collections.some(({ source }) => source === 'sessions')) {
    const oldestMs = oldestExportedMs(retentionDays, nowMs);
    for (const file of scanTranscripts(transcripts).files) {
      if (file.mtimeMs >= oldestMs) addFile(file.path, file);
    }
  }
  return isCertain ? digest.digest('base64url') : null;
}

/** Conversations that were idle since before are not exported. @param retentionDays undefined keeps all */
export function oldestExportedMs(retentionDays: number | undefined, nowMs: number): number {
  return retentionDays === undefined ? 0 : nowMs - retentionDays * MS_PER_DAY;
}

function* filesOf(root: string, pattern: string) {
  if (isGlob(pattern)) {
    // Unreadable files are reported by the program or by the built-in engine.
    if (existsSync(root)) yield* walkFolder(root, { onSkip: () => undefined });
    return;
  }
  const absolutePath = join(root, pattern);
  const stats = unlessSystemError(() => lstatSync(absolutePath));
  if (stats?.isFile() === true) yield { absolutePath, ...fingerprintOf(stats) };
}
