import { join } from 'node:path';
import { withConfigLock } from '../config/authoring.js';
import { SvcError, systemReason } from '../errors/index.js';
import { withProcessLock } from '../sqlite/process-lock.js';
import type { IntegrateContext } from './agent.js';
import { removeCreatedFolders, writeAgentFile } from './agent-file.js';
import { type IntegrationPlan, planIntegration } from './plan.js';
import type { FilePlan } from './plan-file.js';
import { integrationsFolder, writeLayers } from './receipts.js';

/**
 * Applies a plan. The agent may have written its files since, so the plan is computed again and applied
 * only when it still makes the changes that were shown.
 *
 * @throws SvcError INTEGRATION_OUTDATED, INTEGRATION_WRITE_FAILED, and what planning throws
 */
export async function applyIntegration(
  context: IntegrateContext,
  shown: IntegrationPlan,
  signal: AbortSignal,
): Promise<IntegrationPlan> {
  const lock = join(integrationsFolder(context.state), 'lock');
  try {
    return await withProcessLock(lock, { signal }, () =>
      // It may turn on active memory in svc.json.
      withConfigLock(context, signal, () => {
        const plan = planIntegration(context, shown.request);
        if (changesIn(plan) !== changesIn(shown)) throw outdatedError(plan);
        writeAll(context, plan);
        return plan;
      }),
    );
  } catch (error) {
    if (error instanceof SvcError || !(error instanceof Error) || !('code' in error)) throw error;
    throw new SvcError(
      'INTEGRATION_WRITE_FAILED',
      `cannot write to ${integrationsFolder(context.state)}: ${systemReason(error)}`,
      { hint: 'check the permissions of that folder and the free disk space', cause: error },
    );
  }
}

function writeAll(context: IntegrateContext, { files }: IntegrationPlan): void {
  const changed = files.filter(({ changes }) => changes.length > 0);
  const written: string[] = [];
  try {
    for (const plan of changed) {
      writeFile(context, plan);
      written.push(plan.file.path);
    }
  } catch (error) {
    if (!(error instanceof SvcError) || written.length === 0) throw error;
    const { code, message, cause } = error;
    const hint = `${error.hint ?? 'fix it'}, then run the same command again to continue (already written: ${written.join(', ')})`;
    throw new SvcError(code, message, { hint, details: { written }, cause });
  }
}

function writeFile(
  { state }: IntegrateContext,
  { file, after, layers, folder, changes, mode }: FilePlan,
): void {
  const adds = changes.some(({ change }) => change !== 'remove');
  // If svc is killed in between, the receipt does not match the text, or its entries are gone: such a receipt is ignored.
  if (adds) writeLayers(state, file.target, layers);
  writeAgentFile(file, after, mode);
  if (!adds) writeLayers(state, file.target, layers);
  if (after === undefined && folder !== undefined) removeCreatedFolders(file.target, folder);
}

/** Without context lines, since agents write their files all the time. */
function changesIn({ files }: IntegrationPlan): string {
  return JSON.stringify(
    files.map(({ file, changes }) => [
      file.target,
      changes.map(({ part, change, diff }) => {
        return [part, change, diff.filter(({ kind }) => kind !== 'context')];
      }),
    ]),
  );
}

function outdatedError({ request, files }: IntegrationPlan): SvcError {
  const names = files.map(({ file }) => file.path).join(', ');
  return new SvcError(
    'INTEGRATION_OUTDATED',
    `the configuration of ${request.agent.title} changed after the preview`,
    { hint: `run the command again; nothing was written (${names})` },
  );
}
