import { statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { expandHome } from '../../../config/expand-path.js';
import type { ResolvedAgent, ResolvedMemory } from '../../../config/index.js';
import { realOrGiven } from '../../../real-path.js';
import { MEMORY_FOLDER } from '../../sources/memory-files.js';
import { isBelow } from '../../sources/paths.js';
import type { Source } from '../../types.js';

/** A folder that the external program searches, under the name that it knows it by. */
export interface Collection {
  /** Letters, digits, `-` and `_`; unique for an agent. */
  readonly name: string;
  /** Absolute path of its folder, links resolved. */
  readonly root: string;
  /** Glob of the files taken, relative to the folder. */
  readonly pattern: string;
  /** Collections of one source are searched together. */
  readonly source: Source;
}

/** What collections are made from. */
export interface CollectionSettings {
  readonly agent: {
    readonly id: string;
    readonly workspaceDir: string;
    readonly memorySearch: Pick<ResolvedAgent['memorySearch'], 'ext' | 'extraPaths'>;
  };
  readonly ext: Pick<ResolvedMemory['ext'], 'includeDefaultMemory' | 'paths' | 'sessions'>;
  /** Absolute path of the folder with exported conversations. */
  readonly exportDir: string;
  readonly homeDir: string;
}

interface Wanted {
  readonly path: string;
  readonly name?: string | undefined;
  readonly pattern?: string | undefined;
}

const ALL_MARKDOWN = '**/*.md';

/**
 * The collections of one agent, in the order in which they are searched: the memory itself, what the
 * configuration adds for all, what the agent adds, its conversations. Of two lists that name one folder
 * the first is heard (spec/memory-search §2.6), and of the same folder and pattern named twice, too.
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
  const lists: readonly (readonly Wanted[])[] = [
    ext.paths,
    memorySearch.extraPaths.map((path) => ({ path })),
    memorySearch.ext.extraCollections,
  ];
  const collections = [...defaults];
  const foldersBefore = new Set<string>();
  for (const list of lists) {
    const folders = new Set<string>();
    for (const wanted of list) {
      const made = collectionOf(wanted, workspace, id, homeDir);
      folders.add(made.root);
      if (foldersBefore.has(made.root)) continue;
      if (collections.some((other) => isSamePlace(other, made))) continue;
      collections.push({ ...made, name: freeName(made.name, collections) });
    }
    for (const folder of folders) foldersBefore.add(folder);
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

function collectionOf(
  { path, name, pattern }: Wanted,
  workspace: string,
  agentId: string,
  homeDir: string,
): Collection {
  const given = realOrGiven(resolve(workspace, expandHome(path.trim(), homeDir)));
  const isFile = isFileAt(given);
  const root = isFile ? dirname(given) : given;
  const isOutside = root !== workspace && !isBelow(workspace, root);
  const own = nameOf(name ?? basename(given));
  return {
    // A name that was chosen for a folder of its own may be shared by agents; others say whose they are.
    name: name !== undefined && isOutside ? own : `${own}-${agentId}`,
    root,
    pattern: pattern ?? (isFile ? literal(basename(given)) : ALL_MARKDOWN),
    source: 'memory',
  };
}

function isFileAt(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    // Not there, or behind a folder that is closed.
    return false;
  }
}

/** The same folder under other links is the same place. */
function isSamePlace(a: Collection, b: Collection): boolean {
  return a.root === b.root && a.pattern === b.pattern;
}

function nameOf(text: string): string {
  const name = text.replaceAll(/[^\w-]+/gu, '-').replaceAll(/^-+|-+$/gu, '');
  return name === '' ? 'notes' : name;
}

function freeName(name: string, taken: readonly Collection[]): string {
  const names = new Set(taken.map((collection) => collection.name));
  let free = name;
  for (let number = 2; names.has(free); number++) free = `${name}-${number}`;
  return free;
}

/** A file name as a glob that matches it alone. */
function literal(name: string): string {
  return name.replaceAll(/[*?[\]{}()!+@\\]/gu, '?');
}
