import { hostname } from 'node:os';
import { examples } from '../../cli/base-command.js';
import { switchFlag, textFlag } from '../../cli/flags.js';
import { FlowsCommand, leaseSecondsFlag, runtimesFlag } from '../../cli/flows-command.js';
import { flowOutput } from '../../engine/flow-model/flow-record.js';
import { TASK_RUNTIMES, taskOutput } from '../../engine/flow-model/task-record.js';
import { type ClaimedTask, type TaskClaimOutput, waitForTask } from '../../engine/flows/index.js';
import { renderClaim } from '../../ui/flows/details.js';
import { renderPauses } from '../../ui/flows/rows.js';

export default class TaskClaim extends FlowsCommand {
  static override summary = 'Claim the oldest queued task.';
  static override description =
    `For workers. Prints a lease token, a secret that is shown only once and that every report needs. Report with "svc task heartbeat" within flows.leaseSeconds, or the task is queued again. Finish with "svc task complete" or "svc task fail".

No other worker gets the same task. Without --wait, the task is null if none is queued. With --wait, a shared server that does not answer is reported once and tried again.`;
  static override examples = examples(
    '--wait --json',
    '--runtime subagent --worker build-3 --json',
  );
  static override flags = {
    wait: switchFlag('Wait until a task is queued.'),
    runtime: runtimesFlag('Claim only tasks for this runtime.'),
    agent: textFlag('Claim only tasks for this agent.', 'ID', { char: 'a' }),
    worker: textFlag('Name of this worker, for display (host name).', 'NAME'),
    'lease-seconds': leaseSecondsFlag(
      'Expire the lease after this many seconds (flows.leaseSeconds).',
    ),
  };

  // The lease token must not be masked, and the text of the task must not change.
  protected override readonly answersVerbatim = true;

  async run(): Promise<TaskClaimOutput> {
    const { flags } = await this.parse(TaskClaim);
    const seconds = flags['lease-seconds'];
    const request = {
      worker: flags.worker ?? hostname(),
      runtimes: flags.runtime,
      agentId: flags.agent,
      leaseMs: seconds === undefined ? undefined : seconds * 1000,
    };
    if (flags.wait) {
      const open = () => this.openFlows();
      return this.answer(await waitForTask(open, request, this.signal, this.onOutage));
    }
    const flows = await this.openFlows();
    const claimed = await flows.tasks.claim(request);
    if (claimed !== undefined) return this.answer(claimed);
    const runtimes = new Set<string>(flags.runtime ?? TASK_RUNTIMES);
    const paused = (await flows.tasks.paused()).filter(({ runtime }) => runtimes.has(runtime));
    const why = renderPauses(paused, this.view());
    this.write(why === '' ? 'no task is queued' : `no task was claimed\n${why}`);
    return { task: null, flow: null, leaseToken: null };
  }

  private answer({ task, flow, leaseToken }: ClaimedTask): TaskClaimOutput {
    this.write(renderClaim(task, leaseToken, { escape: process.stdout.isTTY === true }));
    return {
      task: taskOutput(task),
      flow: flow === undefined ? null : flowOutput(flow),
      leaseToken,
    };
  }
}
