import * as Flags from '@oclif/core/flags';
import { readSince, withEnvironment } from '../../cli/flags.js';
import { followedFlows, ListCommand, listFlags } from '../../cli/flows-command.js';
import type { FlowListOutput } from '../../engine/flows/index.js';
import { FLOW_STATUSES, flowListOutput } from '../../engine/flows/index.js';
import { renderFindings, renderFlowList } from '../../ui/flows/list.js';

export default class FlowList extends ListCommand<FlowListOutput> {
  static override summary = 'List task flows, newest first.';
  static override description =
    'Lists the flows of all sessions in the state folder. --watch keeps running and shows changes; with --json, each change is one line.';
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --status running --status blocked --since 2h',
    '<%= config.bin %> <%= command.id %> --audit --json',
    '<%= config.bin %> <%= command.id %> --watch',
  ];
  static override flags = {
    ...listFlags,
    ...withEnvironment({
      status: Flags.option({
        options: FLOW_STATUSES,
        multiple: true,
        summary: 'Show only flows in this state.',
        helpValue: 'STATUS',
      })(),
    }),
  };

  async run(): Promise<FlowListOutput> {
    const { flags } = await this.parse(FlowList);
    const { clock } = this.context();
    const filter = {
      statuses: flags.status,
      ownerKey: flags.session,
      sinceMs: readSince(flags.since, clock.now()),
      limit: flags.limit,
    };
    const flows = await this.openFlows(flags);
    const { operator } = flows;
    if (flags.watch) {
      await this.watch(flows, flags, followedFlows(flows, filter, clock));
      return { flows: [], total: 0 };
    }
    const page = await operator.listFlows(filter);
    const findings = flags.audit ? await operator.auditFlows() : undefined;
    if (findings?.some(({ severity }) => severity === 'error')) this.setExitCode(1);
    const options = this.view(flags);
    this.write(
      findings === undefined ? renderFlowList(page, options) : renderFindings(findings, options),
    );
    return flowListOutput(page, findings);
  }
}
