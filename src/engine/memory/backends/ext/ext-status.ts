import { existsSync } from 'node:fs';
import type { Clock } from '../../../context.js';
import type { Collection } from './collections.js';
import type { ExtMode, ExtSettings } from './ext-settings.js';
import { readExtState } from './ext-state.js';
import { restingNow, restKeyOf } from './rest.js';
import type { Tool } from './tool/open-tool.js';
import { toolPlaces } from './tool/open-tool.js';
import { ToolFailure } from './tool/tool-failure.js';

/** The external backend of one agent, as it is known without asking the program. */
export interface ExtStatus {
  /** Who would answer a question now. */
  readonly answers: 'builtin' | 'ext';
  /** Why the builtin engine does; undefined where the program does. */
  readonly why?: { readonly code: string; readonly message: string; readonly hint: string };
  readonly mode: ExtMode;
  /** Absolute path of the program; null where there is none. */
  readonly program: string | null;
  /** As it says itself; null until it was asked. */
  readonly release: string | null;
  /** How that release is spoken to; null until it was asked. */
  readonly detected: { readonly patternFlag: string; readonly manyCollections: boolean } | null;
  readonly indexFile: string;
  readonly collections: readonly (Collection & {
    /** Whether the program was told of it. */
    readonly known: boolean;
  })[];
  /** The last refresh; null when there was none. */
  readonly updated: {
    readonly atMs: number;
    readonly tookMs: number;
    readonly files: number;
    /** Whether files changed since. */
    readonly stale: boolean;
  } | null;
  /** Whether it can search by vectors: `off` in the mode that has none. */
  readonly vectors: 'missing' | 'off' | 'ready' | 'unknown';
  /** Contents without a vector; null where that is not known, or nobody asks. */
  readonly withoutVectors: number | null;
}

/** Looks at what is remembered and at the files; runs nothing. */
export function extStatus(
  settings: ExtSettings,
  openTool: () => Tool,
  tree: () => string | null,
  clock: Clock,
): ExtStatus {
  const { indexFile } = toolPlaces(settings.dir);
  const state = readExtState(settings.dir);
  const tool = toolOr(openTool);
  const isFound = !(tool instanceof ToolFailure);
  const resting = isFound ? restingNow(state, restKeyOf(tool, settings.mode), clock.now()) : tool;
  const features =
    isFound && state.detected?.key === tool.key ? state.detected.features : undefined;
  const { updated } = state;
  const withoutVectors = settings.mode === 'search' ? null : (updated?.withoutVectors ?? null);
  return {
    answers: resting === undefined ? 'ext' : 'builtin',
    ...(resting === undefined
      ? {}
      : { why: { code: resting.code, message: resting.message, hint: resting.hint } }),
    mode: settings.mode,
    program: isFound ? tool.program : null,
    release: features?.release ?? null,
    detected:
      features === undefined
        ? null
        : { patternFlag: features.patternFlag, manyCollections: features.manyCollections },
    indexFile,
    collections: settings.collections().map((collection) => {
      const known = state.collections.some(({ name, root, pattern }) => {
        return (
          name === collection.name && root === collection.root && pattern === collection.pattern
        );
      });
      return { ...collection, known };
    }),
    updated:
      updated === undefined || !existsSync(indexFile)
        ? null
        : {
            atMs: updated.atMs,
            tookMs: updated.tookMs,
            files: updated.files,
            stale: updated.tree === null || updated.tree !== tree(),
          },
    vectors: vectorsOf(settings.mode, withoutVectors),
    withoutVectors,
  };
}

function toolOr(openTool: () => Tool): Tool | ToolFailure {
  try {
    return openTool();
  } catch (error) {
    if (error instanceof ToolFailure) return error;
    throw error;
  }
}

function vectorsOf(mode: ExtMode, withoutVectors: number | null): ExtStatus['vectors'] {
  if (mode === 'search') return 'off';
  if (withoutVectors === null) return 'unknown';
  return withoutVectors === 0 ? 'ready' : 'missing';
}
