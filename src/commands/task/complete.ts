import * as Flags from '@oclif/core/flags';
import { examples } from '../../cli/base-command.js';
import { textFlag } from '../../cli/flags.js';
import { leaseArgs, leaseFlags, ReportCommand } from '../../cli/flows-command.js';
import { SvcError } from '../../engine/errors/index.js';
import type { JsonValue } from '../../engine/flow-model/fields.js';
import { taskOutput } from '../../engine/flow-model/task-record.js';
import type { TaskOutput } from '../../engine/flows/index.js';
import { jsonFault } from '../../engine/support/json-fault.js';

export default class TaskComplete extends ReportCommand {
  static override summary = 'Report a task as done.';
  static override description = 'For workers. The lease token must be valid.';
  static override examples = examples(
    'fb015887-239d-43be-9c9e-01a1f947c7ef --summary "7 pages read"',
    `fb015887-239d-43be-9c9e-01a1f947c7ef --result '{"pages":7}' --json`,
  );
  static override args = leaseArgs;
  static override flags = {
    ...leaseFlags,
    summary: textFlag('Result in one line.', 'TEXT'),
    outcome: Flags.option({
      options: ['succeeded', 'blocked'] as const,
      summary: 'Outcome: succeeded, or blocked if somebody else has to continue.',
      helpValue: 'OUTCOME',
      default: 'succeeded',
    })(),
    result: textFlag('Result as JSON.', 'JSON'),
  };

  async run(): Promise<TaskOutput> {
    const { args, flags } = await this.parse(TaskComplete);
    const result = flags.result === undefined ? undefined : readJson(flags.result);
    const { summary, outcome } = flags;
    const task = await this.report(args.task, flags, (tasks, lease) =>
      tasks.complete(lease, { summary, outcome, result }),
    );
    this.write(`task ${args.task} is done`);
    return { task: taskOutput(task) };
  }
}

function readJson(text: string): JsonValue {
  let value: JsonValue;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new SvcError('USAGE', '--result must be JSON', {
      hint: `use single quotes: --result '{"pages":7}'`,
      cause: error,
    });
  }
  // It would be stored as another value.
  const fault = jsonFault(text);
  if (fault === undefined) return value;
  throw new SvcError('USAGE', `--result ${fault}`, { hint: 'nothing was reported' });
}
