import { realpathSync } from 'node:fs';
import type { OnRecall, StatePaths } from '../../context.js';
import { dreamWorkspace } from '../dream-workspace.js';
import { appendRecall } from './append-recall.js';
import { recallOf } from './recalled-claims.js';

/**
 * Keeps what a search recalled, for the next sweep. Call it when the answer is out.
 *
 * @throws the system's error when the log cannot be written
 */
export function keepRecall(
  { workspaceDir, response }: Parameters<OnRecall>[0],
  state: Pick<StatePaths, 'stateDir'>,
  nowMs: number,
): void {
  const recall = recallOf(response, nowMs);
  if (recall === undefined) return;
  const { files } = dreamWorkspace(realpathSync(workspaceDir), state);
  appendRecall(files.recallLog, recall);
}
