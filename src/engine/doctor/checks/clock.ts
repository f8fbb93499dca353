import type { ResolvedAgent } from '../../config/index.js';
import { SvcError } from '../../errors/index.js';
import { scanMemoryFiles } from '../../memory/sources/memory-files.js';
import type { SourceFile } from '../../memory/types.js';
import type { DoctorCheck } from '../check.js';
import type { Finding } from '../finding.js';
import { touchMend } from '../mends/touch-files.js';

/** No svc is older than this; some archives keep no times of files. */
const FIRST_SVC_MS = Date.UTC(2025, 0, 1);
/** File servers' clocks are a little ahead at times. */
const TOLERATED_MS = 24 * 3_600_000;
const NAMED = 3;

/** Whether the clock can be right, and no note comes from the future. */
export const clock: DoctorCheck = {
  name: 'clock',
  needs: 'nothing',
  run: async (world) => {
    const nowMs = world.context.clock.now();
    const summary = new Date(nowMs).toISOString();
    const earliestMs = Math.max(FIRST_SVC_MS, world.host.programWrittenMs - TOLERATED_MS);
    // Then everything would seem to come from the future.
    if (nowMs < earliestMs) return { summary, findings: [wrong(nowMs, earliestMs)] };
    return { summary, findings: world.agents.flatMap((agent) => fromFuture(agent, nowMs)) };
  },
};

function wrong(nowMs: number, earliestMs: number): Finding {
  const shown = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
  return {
    code: 'clock-wrong',
    severity: 'fault',
    message: `the clock says ${shown(nowMs)}, and this svc was made after ${shown(earliestMs)}`,
    cause: 'certificates look invalid, logins expired, and changed notes unchanged',
    hint: 'set the clock, for instance with: timedatectl set-ntp true',
  };
}

function fromFuture(agent: ResolvedAgent, nowMs: number): readonly Finding[] {
  const files = filesOf(agent).filter((file) => file.mtimeMs > nowMs + TOLERATED_MS);
  const [first] = files;
  if (first === undefined) return [];
  const named = files.slice(0, NAMED).map((file) => file.path);
  const more = files.length > NAMED ? ` and ${files.length - NAMED} more` : '';
  return [
    {
      code: 'modified-in-future',
      severity: 'warning',
      message: `notes of agent ${agent.id} were changed in the future: ${named.join(', ')}${more}`,
      cause: 'they count as the newest where age matters',
      place: { file: first.absolutePath },
      hint: 'touch them, or set the clock if it is behind',
      mend: touchMend(
        files.map((file) => file.absolutePath),
        nowMs,
      ),
    },
  ];
}

function filesOf({ workspaceDir, memorySearch }: ResolvedAgent): readonly SourceFile[] {
  const { extraPaths } = memorySearch;
  try {
    return scanMemoryFiles({ workspaceDir, layout: 'agent', extraPaths }).files;
  } catch (error) {
    // That the workspace cannot be read is told by its own check.
    if (error instanceof SvcError) return [];
    throw error;
  }
}
