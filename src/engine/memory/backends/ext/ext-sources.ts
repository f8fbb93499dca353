import { createHash } from 'node:crypto';
import { existsSync, lstatSync } from 'node:fs';
import { join, relative } from 'node:path';
import picomatch from 'picomatch';
import type { MemorySources } from '../../sources/scan-sources.js';
import {
  scanTranscripts,
  type TranscriptSources,
} from '../../sources/transcripts/transcript-files.js';
import { walkFolder } from '../../sources/walk.js';
import { isRacy } from '../../sync/tree-snapshot.js';
import type { Collection } from './collections.js';

/**
 * What the builtin engine mirrors beside the program: the Markdown files of the same collections, and what
 * is watched for both.
 */
export function sourcesBeside(
  sources: MemorySources,
  collections: () => readonly Collection[],
): MemorySources {
  const folders = collections()
    .filter(({ source }) => source === 'memory')
    .map(({ root, pattern }) => (picomatch.scan(pattern).isGlob ? root : join(root, pattern)));
  const { memory } = sources;
  return {
    ...sources,
    memory: {
      ...memory,
      extraPaths: [...new Set([...memory.extraPaths, ...folders])].filter((path) =>
        existsSync(path),
      ),
      takes: takesFile(collections),
    },
  };
}

/** Whether a collection has a file of this absolute path. */
function takesFile(collections: () => readonly Collection[]): (file: string) => boolean {
  let tests: readonly { readonly root: string; readonly test: (path: string) => boolean }[];
  return (file) => {
    tests ??= collections()
      .filter(({ source }) => source === 'memory')
      .map(({ root, pattern }) => ({ root, test: picomatch(pattern) }));
    return tests.some(
      ({ root, test }) => file.startsWith(`${root}/`) && test(relative(root, file)),
    );
  };
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
    print.update(`${name}\0${root}\0${pattern}\0`);
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
  if (!picomatch.scan(pattern).isGlob) {
    const stats = lstatSync(join(root, pattern), { throwIfNoEntry: false });
    if (stats?.isFile() === true) yield { absolutePath: join(root, pattern), ...stats };
    return;
  }
  // What cannot be read the program reports, or the builtin engine's own look.
  if (existsSync(root)) yield* walkFolder(root, undefined, { onSkip: () => undefined });
}
