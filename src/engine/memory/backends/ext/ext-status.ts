import { existsSync } from 'node:fs';
import type { Clock } from '../../../support/context.js';
import { iso } from '../../../support/time.js';
import type { ExtStatus } from '../memory-backend.js';
import type { ExtSettings } from './ext-settings.js';
import { currentRest, isSameCollection, readExtState, restKeyOf } from './ext-state.js';
import type { ExtMode } from './tool/ask-program.js';
import { type Tool, ToolFailure, toolIndexFile, toolOrFailure } from './tool/open-tool.js';

/** Reads the recorded state and the files; runs nothing. */
export function extStatus(
  settings: ExtSettings,
  openTool: () => Tool,
  tree: () => string | null,
  clock: Clock,
): ExtStatus {
  const indexFile = toolIndexFile(settings.dir);
  const state = readExtState(settings.dir);
  const tool = toolOrFailure(openTool);
  const isFound = !(tool instanceof ToolFailure);
  const resting = isFound ? currentRest(state, restKeyOf(tool, settings.mode), clock.now()) : tool;
  const features =
    isFound && state.detected?.key === tool.key ? state.detected.features : undefined;
  const { updated } = state;
  const withoutVectors = settings.mode === 'search' ? null : (updated?.withoutVectors ?? null);
  return {
    answers: resting === undefined ? 'ext' : 'builtin',
    why:
      resting === undefined
        ? null
        : { code: resting.code, message: resting.message, hint: resting.hint },
    mode: settings.mode,
    program: isFound ? tool.program : null,
    release: features?.release ?? null,
    detected:
      features === undefined
        ? null
        : { patternFlag: features.patternFlag, manyCollections: features.manyCollections },
    indexFile,
    collections: settings.collections().map((collection) => ({
      ...collection,
      known: state.collections.some((one) => isSameCollection(one, collection)),
    })),
    updated:
      updated === undefined || !existsSync(indexFile)
        ? null
        : {
            at: iso(updated.atMs),
            tookMs: updated.tookMs,
            files: updated.files,
            stale: updated.tree === null || updated.tree !== tree(),
          },
    vectors: vectorsOf(settings.mode, withoutVectors),
    withoutVectors,
  };
}

function vectorsOf(mode: ExtMode, withoutVectors: number | null): ExtStatus['vectors'] {
  if (mode === 'search') return 'off';
  if (withoutVectors === null) return 'unknown';
  return withoutVectors === 0 ? 'ready' : 'missing';
}
