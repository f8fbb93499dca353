import { examples } from '../../cli/base-command.js';
import {
  flowFilterFlags,
  ListCommand,
  listFlags,
  MOST_LISTED,
  recordFilter,
} from '../../cli/flows-command.js';
import { type FlowListOutput, flowListOutput } from '../../engine/flows/index.js';
import { renderFindings, renderFlowList } from '../../ui/flows/list.js';

export default class FlowList extends ListCommand {
  static override summary = 'List task flows, newest first.';
  static override description =
    'Lists the flows of all sessions in the state folder. --watch is svc flow watch.';
  static override examples = examples(
    '',
    '--status running --status blocked --since 2h',
    '--audit --json',
    '--watch',
  );
  static override flags = { ...flowFilterFlags(MOST_LISTED), ...listFlags };

  async run(): Promise<FlowListOutput> {
    const { flags } = await this.parse(FlowList);
    const filter = { ...(await recordFilter(flags, this.times())), route: flags.route };
    if (flags.watch) {
      await this.watch({ kind: 'flows', filter });
      return { flows: [], total: 0 };
    }
    const { operator } = await this.openFlows();
    const page = await operator.listFlows(filter);
    const findings = flags.audit ? await operator.auditFlows() : undefined;
    if (findings?.some(({ severity }) => severity === 'error')) this.setExitCode(1);
    const view = this.view();
    this.write(
      findings === undefined ? renderFlowList(page, view) : renderFindings(findings, view),
    );
    return flowListOutput(page, findings);
  }
}
