/**
 * A process of its own that works on flows, for tests that kill it or set several against each other.
 * What it was told is done it says on stdout, a line each, at once.
 *
 *   node --import tsx child.ts write|claim HOME
 */
import type { Flows } from '../../../src/engine/flows/index.js';
import { ADA, testFlows, viewOf } from '../../support/flows.js';

const CALLERS = 16;

function say(...words: readonly unknown[]): void {
  process.stdout.write(`${words.join(' ')}\n`);
}

/** Creates, changes and ends flows, and gives them tasks, without end. */
async function write(flows: Flows): Promise<void> {
  for (;;) {
    const goal = { action: 'create_flow', goal: 'g', stateJson: { n: 0 } } as const;
    const flowId = String(viewOf(await flows.perform(goal, ADA))['flowId']);
    say('flow', flowId, 0, 'queued');
    const task = { action: 'run_task', flowId, runtime: 'acp', task: 't' } as const;
    say('task', viewOf(await flows.perform(task, ADA), 'task')['taskId'], 'queued');
    for (let revision = 0; revision < 3; revision++) {
      const status = revision % 2 === 0 ? 'running' : 'queued';
      const resume = { action: 'resume_flow', flowId, expectedRevision: revision, status } as const;
      await flows.perform(resume, ADA);
      say('flow', flowId, revision + 1, status);
    }
    const claim = await flows.tasks.claim({ worker: 'w' });
    if (claim !== undefined) {
      const { taskId } = claim.task;
      await flows.tasks.complete({ taskId, token: claim.leaseToken });
      say('task', taskId, 'succeeded');
    }
    await flows.perform({ action: 'finish_flow', flowId, expectedRevision: 3 }, ADA);
    say('flow', flowId, 4, 'succeeded');
  }
}

/** Claims tasks until none is left. */
async function claim(flows: Flows): Promise<void> {
  for (;;) {
    const claimed = await flows.tasks.claim({ worker: String(process.pid) });
    if (claimed === undefined) return;
    say(claimed.task.taskId);
  }
}

const [what, home = ''] = process.argv.slice(2);
const { flows } = await testFlows({ leaseSeconds: 86_400 }, home);
say('ready');
const work = what === 'write' ? write : claim;
await Promise.all(Array.from({ length: CALLERS }, () => work(flows)));
await flows.close();
