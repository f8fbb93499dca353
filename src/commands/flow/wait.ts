import { examples } from '../../cli/base-command.js';
import { flowArgs } from '../../cli/flags.js';
import { WaitCommand, waitFlags } from '../../cli/flows-command.js';
import { type FlowRecord, flowOutput } from '../../engine/flow-model/flow-record.js';
import type { FlowOutput } from '../../engine/flows/index.js';

export default class FlowWait extends WaitCommand {
  static override summary = 'Wait until a task flow has ended.';
  static override description =
    'Exits with 0 if it succeeded, with 1 if it failed or was cancelled, and with 124 if it had not ended within --timeout.';
  static override examples = examples('413d463b', '413d463b --timeout 10m --json');
  static override args = flowArgs;
  static override flags = waitFlags;

  async run(): Promise<FlowOutput> {
    const { args, flags } = await this.parse(FlowWait);
    const { operator } = await this.openFlows();
    const flow = await this.waitFor<FlowRecord>('flow', flags, (options) =>
      operator.waitForFlow(args.flow, options),
    );
    return { flow: flowOutput(flow) };
  }
}
