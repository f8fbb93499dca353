import { examples } from '../../cli/base-command.js';
import {
  flowFilterFlags,
  ListCommand,
  MOST_WATCHED,
  recordFilter,
} from '../../cli/flows-command.js';
import type { FlowListOutput } from '../../engine/flows/index.js';

export default class FlowWatch extends ListCommand {
  static override summary = 'Watch task flows, and cancel them.';
  static override description =
    'Keeps running and shows changes. On a terminal, Enter opens a flow, c cancels it, / filters the list and ? lists all keys. Elsewhere, each change is a line; with --json, a line of JSON.';
  static override examples = examples('', '--since 1d --plain', '--json');
  static override flags = flowFilterFlags(MOST_WATCHED);

  async run(): Promise<FlowListOutput> {
    const { flags } = await this.parse(FlowWatch);
    const filter = { ...(await recordFilter(flags, this.times())), route: flags.route };
    await this.watch({ kind: 'flows', filter }, 'svc flow watch');
    return { flows: [], total: 0 };
  }
}
