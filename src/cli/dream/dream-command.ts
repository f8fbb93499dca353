import { DREAMING_PATH, defaultAgentId, formatPath } from '../../engine/config/index.js';
import {
  type DreamSwitchOutput,
  type DreamTarget,
  dreamTargets,
  type ManualChangeOptions,
  nextSweepMs,
  type RecallEntry,
  requireClaim,
  withCurrentDreams,
} from '../../engine/dreaming/index.js';
import { iso } from '../../engine/support/time.js';
import { renderSwitch } from '../../ui/dream/status.js';
import { BaseCommand, type ChosenTarget } from '../base-command.js';
import { requiredArg, type TargetFlags } from '../flags.js';

/** A command about one workspace. */
const ABOUT_ONE_WORKSPACE = /^svc dream (?:backfill|candidates|list|run|signals|undo)\b/u;

/** Base of the dream commands, which work on one workspace. */
export abstract class DreamCommand extends BaseCommand {
  /** The workspace of an agent; by default, the default agent's. */
  protected async dreamTarget(agent: string | undefined): Promise<DreamTarget> {
    const loaded = await this.loadConfig();
    const agentId = agent ?? defaultAgentId(loaded.resolved);
    const [target] = dreamTargets(loaded, this.context(), agentId);
    if (target === undefined) throw new TypeError(`no workspace of ${agentId}`);
    return target;
  }

  protected override targetFor(command: string): ChosenTarget {
    const { agent }: TargetFlags = this.shared;
    return ABOUT_ONE_WORKSPACE.test(command) ? { agent } : {};
  }

  /** Options for decisions by hand, which wait for a running sweep. */
  protected manualChangeOptions(): ManualChangeOptions {
    return {
      clock: this.context().clock,
      signal: this.signal,
      onWait: () => this.note('waiting for a running sweep'),
    };
  }
}

/** Finds a claim for a decision by its key, a key prefix, or its exact text. @throws SvcError DREAM_CLAIM_UNKNOWN */
export function claimToDecide(
  target: DreamTarget,
  keyOrText: string,
  signal: AbortSignal,
): Promise<RecallEntry> {
  return withCurrentDreams(target, signal, (dreams) => requireClaim(dreams.entries, keyOrText));
}

const ENABLED_PATH = formatPath([...DREAMING_PATH, 'enabled']);

/** Base of `svc dream enable` and `svc dream disable`. */
export abstract class DreamSwitchCommand extends DreamCommand {
  protected async setEnabled(enabled: boolean): Promise<DreamSwitchOutput> {
    // The other commands need no parser and schema of the configuration.
    const { setConfigValue } = await import('../../engine/config/authoring.js');
    const { file, path, changed } = await setConfigValue(
      this.context(),
      { path: ENABLED_PATH, value: String(enabled) },
      { configFile: this.shared.config, signal: this.signal },
    );
    const target = await this.dreamTarget(undefined);
    const view = this.view();
    const nextMs = nextSweepMs(target, view.nowMs);
    const nextRunAt = nextMs === undefined ? null : iso(nextMs);
    const output = { enabled, file, path, changed, nextRunAt };
    this.write(renderSwitch(output, view));
    return output;
  }
}

export const claimArgs = {
  claim: requiredArg('Key of the claim, the beginning of it, or its text.'),
};
