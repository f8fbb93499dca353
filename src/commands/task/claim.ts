import { hostname } from 'node:os';
import * as Flags from '@oclif/core/flags';
import { withEnvironment } from '../../cli/flags.js';
import { FlowsCommand } from '../../cli/flows-command.js';
import { flowOutput, taskOutput } from '../../engine/flows/output.js';
import type { TaskClaimOutput } from '../../engine/flows/output-schemas.js';
import { TASK_RUNTIMES } from '../../engine/flows/task-record.js';
import { waitForTask } from '../../engine/flows/tasks/wait-for-task.js';

export default class TaskClaim extends FlowsCommand<TaskClaimOutput> {
  static override summary = 'Take the oldest task that waits, to work on it.';
  static override description =
    `For workers. The answer holds a lease token, a secret that is shown this once: every report needs it. Report with "svc task heartbeat" before flows.leaseSeconds are over, or the task is taken back; end with "svc task complete" or "svc task fail".

No other worker gets the same task, in any process. Without --wait the task is null when none waits.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> --wait --json',
    '<%= config.bin %> <%= command.id %> --runtime subagent --worker build-3 --json',
  ];
  static override flags = withEnvironment({
    wait: Flags.boolean({ summary: 'Wait for a task when there is none.' }),
    runtime: Flags.option({
      options: TASK_RUNTIMES,
      multiple: true,
      summary: 'Only tasks for this runtime.',
      helpValue: 'RUNTIME',
    })(),
    agent: Flags.string({
      char: 'a',
      summary: 'Only tasks for this agent.',
      helpValue: 'ID',
    }),
    worker: Flags.string({
      summary: 'What this worker is called, for people; the name of the host when left out.',
      helpValue: 'NAME',
    }),
    'lease-seconds': Flags.integer({
      summary: 'How long the worker may be silent; flows.leaseSeconds when left out.',
      helpValue: 'N',
      min: 1,
      max: 86_400,
    }),
  });

  // The token, and the words of the task as they are.
  protected override readonly answersVerbatim = true;

  async run(): Promise<TaskClaimOutput> {
    const { flags } = await this.parse(TaskClaim);
    const flows = await this.openFlows(flags);
    const seconds = flags['lease-seconds'];
    const request = {
      worker: flags.worker ?? hostname(),
      runtimes: flags.runtime,
      agentId: flags.agent,
      leaseMs: seconds === undefined ? undefined : seconds * 1000,
    };
    const { clock } = this.context();
    const claimed = flags.wait
      ? await waitForTask(flows, request, { signal: this.signal, clock })
      : await flows.tasks.claim(request);
    if (claimed === undefined) {
      this.write('no task waits');
      return { task: null, flow: null, leaseToken: null };
    }
    const { task, flow, leaseToken } = claimed;
    this.write(`task ${task.taskId}\nlease token ${leaseToken}\n\n${task.task}`);
    return {
      task: taskOutput(task),
      flow: flow === undefined ? null : flowOutput(flow),
      leaseToken,
    };
  }
}
