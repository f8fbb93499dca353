import { createHash } from 'node:crypto';
import { existsSync, lstatSync, type Stats } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import picomatch from 'picomatch';
import { realOrGiven } from '../../../real-path.js';
import { MEMORY_FOLDER, ROOT_FILES } from '../../sources/memory-files.js';
import type { MemorySources } from '../../sources/scan-sources.js';
import {
  scanTranscripts,
  type TranscriptSources,
} from '../../sources/transcripts/transcript-files.js';
import { walkFolder } from '../../sources/walk.js';
import { isRacy } from '../../sync/tree-snapshot.js';
import type { Collection } from './collections.js';

/** What stands beside the program, as the disk is at each look: folders come and go. */
export interface SourcesBeside {
  /** What the builtin engine mirrors: the Markdown files of the same collections. */
  readonly mirrored: MemorySources;
  /** What is watched for both: those that may appear, too. */
  readonly watched: MemorySources;
}

/** @param transcripts the conversations that are exported; undefined where none are searched */
export function sourcesBeside(
  sources: MemorySources,
  transcripts: TranscriptSources | undefined,
  collections: () => readonly Collection[],
): SourcesBeside {
  const { workspaceDir, layout } = sources.memory;
  const workspace = realOrGiven(workspaceDir);
  const ofMemory = (): readonly Collection[] =>
    collections().filter(({ source }) => source === 'memory');
  const added = (): readonly string[] => {
    const paths = ofMemory()
      .map(({ root, pattern }) => (isGlob(pattern) ? root : join(root, pattern)))
      .filter((path) => dirname(path) !== workspace || !USUAL.has(basename(path)));
    return [...new Set(paths)];
  };
  const memory = (extraPaths: () => readonly string[]): MemorySources['memory'] => ({
    workspaceDir,
    layout,
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
    // Conversations are exported from where they lie.
    watched: { transcripts: transcripts ?? sources.transcripts, memory: memory(added) },
  };
}

/** What a look at an agent's workspace finds by itself. */
const USUAL: ReadonlySet<string> = new Set([...ROOT_FILES, MEMORY_FOLDER]);

function isGlob(pattern: string): boolean {
  return picomatch.scan(pattern).isGlob;
}

/** Tells the files that a collection has, by absolute path. */
function testOf({ root, pattern }: Collection): (file: string) => boolean {
  const isMatch = picomatch(pattern);
  const below = root.endsWith(sep) ? root : root + sep;
  return (file) => file.startsWith(below) && isMatch(file.slice(below.length));
}

/**
 * What the files of all collections look like from outside, in a few characters: the same as before means
 * that the program knows them as they are.
 *
 * @param nowMs when the look begins, milliseconds since the epoch
 * @returns null when a file is so fresh that its next change could go unseen
 */
export function treeOf(
  collections: readonly Collection[],
  transcripts: TranscriptSources | undefined,
  nowMs: number,
): string | null {
  const print = createHash('sha256');
  let isSure = true;
  const take = (path: string, file: { readonly size: number; readonly mtimeMs: number }): void => {
    if (isRacy(file.mtimeMs, nowMs)) isSure = false;
    print.update(`${path}\0${file.size}\0${file.mtimeMs}\0`);
  };
  for (const { name, root, pattern, source } of collections) {
    print.update(`${name}\0${root}\0${pattern}\0${existsSync(root)}\0`);
    // Of a conversation the transcript counts; its export is made from it.
    if (source === 'sessions') continue;
    for (const file of filesOf(root, pattern)) take(file.absolutePath, file);
  }
  if (transcripts !== undefined && collections.some(({ source }) => source === 'sessions')) {
    for (const file of scanTranscripts(transcripts).files) take(file.path, file);
  }
  return isSure ? print.digest('base64url') : null;
}

function* filesOf(root: string, pattern: string) {
  if (isGlob(pattern)) {
    // What cannot be read the program reports, or the builtin engine's own look.
    if (existsSync(root)) yield* walkFolder(root, undefined, { onSkip: () => undefined });
    return;
  }
  const absolutePath = join(root, pattern);
  const stats = statOf(absolutePath);
  if (stats?.isFile() === true) yield { absolutePath, size: stats.size, mtimeMs: stats.mtimeMs };
}

function statOf(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch {
    // Not there, or behind a folder that is closed.
    return undefined;
  }
}
