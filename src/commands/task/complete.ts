import * as Flags from '@oclif/core/flags';
import { withEnvironment } from '../../cli/flags.js';
import { FlowsCommand, leaseError } from '../../cli/flows-command.js';
import { leaseArgs, leaseFlags } from '../../cli/lease-flags.js';
import { SvcError } from '../../engine/errors/index.js';
import type { JsonValue } from '../../engine/flows/index.js';
import { taskOutput } from '../../engine/flows/output.js';
import type { TaskOutput } from '../../engine/flows/output-schemas.js';

export default class TaskComplete extends FlowsCommand<TaskOutput> {
  static override summary = 'Say that a task is done.';
  static override description = 'For workers; the task must be held with the lease token.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> fb015887-239d-43be-9c9e-01a1f947c7ef --summary "7 pages read"',
    `<%= config.bin %> <%= command.id %> fb015887-239d-43be-9c9e-01a1f947c7ef --result '{"pages":7}' --json`,
  ];
  static override args = leaseArgs;
  static override flags = {
    ...leaseFlags,
    ...withEnvironment({
      summary: Flags.string({ summary: 'What came of it, in a line.', helpValue: 'TEXT' }),
      outcome: Flags.option({
        options: ['succeeded', 'blocked'] as const,
        summary: '`blocked`: it did what it could, and somebody else has to go on.',
        helpValue: 'OUTCOME',
        default: 'succeeded',
      })(),
      result: Flags.string({ summary: 'What it found, as JSON.', helpValue: 'JSON' }),
    }),
  };

  async run(): Promise<TaskOutput> {
    const { args, flags } = await this.parse(TaskComplete);
    const result = flags.result === undefined ? undefined : readJson(flags.result);
    const flows = await this.openFlows(flags);
    const answer = await flows.tasks.complete(
      { taskId: args.task, token: flags['lease-token'] },
      { summary: flags.summary, outcome: flags.outcome, result },
    );
    if (!answer.ok) throw leaseError(answer, args.task);
    this.write(`task ${args.task} is done`);
    return { task: taskOutput(answer.task) };
  }
}

function readJson(text: string): JsonValue {
  try {
    const value: JsonValue = JSON.parse(text);
    return value;
  } catch (error) {
    throw new SvcError('USAGE', '--result is not JSON', {
      hint: `put it into single quotes: --result '{"pages":7}'`,
      cause: error,
    });
  }
}
