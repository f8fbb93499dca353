import { join } from 'node:path';
import { SvcError } from '../errors/index.js';
import { withProcessLock } from '../process-lock.js';
import type { DiffLine } from '../text-diff.js';
import type { IntegrateWorld, IntegrationScope } from './agent.js';
import { removeMadeFolders, writeAgentFile } from './agent-file.js';
import { type FilePlan, type IntegrationPlan, planIntegration } from './plan.js';
import { integrationsFolder, writeLayers } from './receipts.js';

/**
 * Does what a plan says. It is worked out anew on the files as they are now, since the agent may have
 * written them while a person was asked, and done only when it still changes what was shown.
 *
 * @throws SvcError INTEGRATION_OUTDATED, INTEGRATION_WRITE_FAILED, and what planning throws
 */
export async function applyIntegration(
  world: IntegrateWorld,
  shown: IntegrationPlan,
  signal: AbortSignal,
): Promise<IntegrationPlan> {
  const lock = join(integrationsFolder(world.state), 'lock');
  try {
    return await withProcessLock(lock, { signal }, async () => {
      const plan = planIntegration(world, shown.request);
      if (changesIn(plan) !== changesIn(shown)) throw outdated(plan);
      writeAll(world, plan);
      return plan;
    });
  } catch (error) {
    if (error instanceof SvcError || !(error instanceof Error) || !('code' in error)) throw error;
    throw new SvcError(
      'INTEGRATION_WRITE_FAILED',
      `${integrationsFolder(world.state)} could not be written (${String(error.code)})`,
      { hint: 'check the permissions of that folder and the free space', cause: error },
    );
  }
}

/** Files of a person may be given secrets later on; those of a project are shared. */
const MODES: Readonly<Record<IntegrationScope, number>> = { user: 0o600, project: 0o644 };

function writeAll(world: IntegrateWorld, { files, request }: IntegrationPlan): void {
  const changed = files.filter(({ changes }) => changes.length > 0);
  const written: string[] = [];
  try {
    for (const file of changed) {
      writePlanned(world, file, MODES[request.scope]);
      written.push(file.file.file);
    }
  } catch (error) {
    if (!(error instanceof SvcError) || written.length === 0) throw error;
    const { code, message, cause } = error;
    const hint = `${error.hint ?? 'mend it'}; ${written.join(', ')} was written, and the same command goes on from there`;
    throw new SvcError(code, message, { hint, details: { written }, cause });
  }
}

function writePlanned(
  { state }: IntegrateWorld,
  { file, after, layers, folder, changes }: FilePlan,
  mode: number,
): void {
  const adds = changes.some(({ change }) => change !== 'remove');
  // A process that is killed between the two leaves a receipt for a text that is not there, which
  // counts for nothing, or one whose entries have gone.
  if (adds) writeLayers(state, file.target, layers);
  writeAgentFile(file, after, mode);
  if (!adds) writeLayers(state, file.target, layers);
  if (after === undefined && folder !== undefined) removeMadeFolders(file.target, folder);
}

/** What lies around the changes does not count: agents write their files all the time. */
function changesIn({ files }: IntegrationPlan): string {
  return JSON.stringify(
    files.map(({ file, changes }) => [
      file.target,
      changes.map(({ part, change, diff }) => [part, change, diff.filter(isChange).map(textOf)]),
    ]),
  );
}

function isChange({ kind }: DiffLine): boolean {
  return kind !== 'context';
}

function textOf({ kind, text }: DiffLine): string {
  return `${kind} ${text}`;
}

function outdated({ request, files }: IntegrationPlan): SvcError {
  const names = files.map(({ file }) => file.file).join(', ');
  return new SvcError(
    'INTEGRATION_OUTDATED',
    `the configuration of ${request.agent.title} is not as it was when the change was shown`,
    { hint: `run the command again; nothing was written (${names})` },
  );
}
