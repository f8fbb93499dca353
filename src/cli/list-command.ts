import * as Flags from '@oclif/core/flags';
import type { Flows } from '../engine/flows/index.js';
import { withEnvironment } from './flags.js';
import { FlowsCommand } from './flows-command.js';
import type { FollowedList } from './shown-flows-watch.js';
import { sinceFlag } from './since-flag.js';

/** The flags of the lists of flows and tasks. */
export const listFlags = withEnvironment({
  session: Flags.string({
    summary: 'Only those of this session.',
    helpValue: 'KEY',
    aliases: ['owner'],
  }),
  since: sinceFlag,
  limit: Flags.integer({
    summary: 'How many are shown at most, the newest ones.',
    helpValue: 'N',
    default: 50,
    min: 1,
    max: 10_000,
  }),
  audit: Flags.boolean({
    summary: 'Show what is stuck, lost or inconsistent; exits with 1 for an error.',
    exclusive: ['watch'],
  }),
  watch: Flags.boolean({ summary: 'Stay and show what changes.' }),
});

/** What `svc flow list` and `svc task list` share: a list that can be followed. */
export abstract class ListCommand<Result extends object> extends FlowsCommand<Result> {
  private isFollowing = false;

  /** Follows a list until the person leaves. With `--json` each change is a line. */
  protected async watch(
    flows: Flows,
    flags: { readonly plain: boolean },
    list: FollowedList,
  ): Promise<void> {
    this.isFollowing = true;
    const { watchFlows } = await import('./shown-flows-watch.js');
    const end = await watchFlows(list, {
      flows,
      terminal: this.terminal(flags),
      json: this.jsonEnabled(),
      clock: this.context().clock,
      mask: this.mask,
      signal: this.signal,
    });
    if (end === 'interrupted') this.setExitCode(130);
  }

  /** What is followed has no end, so that its lines are the answer. */
  protected override logJson(json: unknown): void {
    if (!this.isFollowing) super.logJson(json);
  }
}
