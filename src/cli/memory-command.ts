import { defaultAgentId, searchedAgents } from '../engine/config/index.js';
import { SvcError, type Warning } from '../engine/errors/index.js';
import type { ForgetPlan, Forgetting, StoreOutcome } from '../engine/memory/forget/index.js';
import { isFollowed } from '../engine/memory/forgotten/index.js';
import {
  enablingHint,
  type MemorySelection,
  type OpenedMemory,
  type OpenMemoryOptions,
  openAllMemories,
  openMemory,
} from '../engine/memory/index.js';
import {
  embeddingWarnings,
  otherWorkspaceWarning,
  type SyncEvent,
  type SyncSummary,
  type WorkOptions,
} from '../engine/memory/sync/index.js';
import type { ProgressLine } from '../ui/progress-line.js';
import { safeLines } from '../ui/safe-text.js';
import { BaseCommand, type ChosenTarget } from './base-command.js';
import { withShownHint } from './command-context.js';
import { type SessionFlags, sessionFacts, type TargetFlags } from './flags.js';
import { createLazySyncProgress, showSync } from './show-sync.js';

/** A command for a memory that no flag names yet. */
const ABOUT_ONE_MEMORY =
  /^svc memory (?:capture|eval|forget|get|index|reset|search|sessions list|status|undo)\b(?!.*--(?:agent|workspace))/u;

/** Base of commands that work on memories: opens them, reports their warnings and closes them at the end. */
export abstract class MemoryCommand extends BaseCommand {
  private readonly opened: OpenedMemory[] = [];

  /** The memory that the flags name, or the default agent's. */
  protected async openMemory(
    flags: TargetFlags,
    options: Pick<OpenMemoryOptions, 'longLived'> = {},
  ): Promise<OpenedMemory> {
    const selection = this.selection(flags) ?? { kind: 'agent' };
    const opened = { ...options, configFile: flags.config };
    return this.keep(await openMemory(this.context(), selection, opened));
  }

  /** The memory that the flags name, or those of all agents. */
  protected async openMemories(
    flags: TargetFlags & { readonly all?: boolean },
    options: Pick<OpenMemoryOptions, 'longLived'> = {},
  ): Promise<readonly OpenedMemory[]> {
    if (flags.all === true && (this.isTyped('agent') || this.isTyped('workspace'))) {
      throw new SvcError('USAGE', '--all cannot be combined with --agent or --workspace', {
        hint: 'omit one of them',
      });
    }
    const one = flags.all !== true && this.selection(flags) !== undefined;
    if (one) return [await this.openMemory(flags, options)];
    const all = await openAllMemories(this.context(), { ...options, configFile: flags.config });
    if (all.length === 0) this.addWarning(await this.searchOff());
    return all.map((memory) => this.keep(memory));
  }

  /** Without this warning, a command for all agents would print nothing. */
  private async searchOff(): Promise<Warning> {
    const loaded = await this.readConfig();
    const hint = await enablingHint(defaultAgentId(loaded.resolved), loaded);
    return { code: 'SEARCH_OFF', message: 'memory search is off for every agent', hint };
  }

  /** Does what a killed `svc memory forget` left to do. */
  protected async completeForgetting(memory: OpenedMemory): Promise<void> {
    if (isFollowed(memory.forget)) return;
    // Loads every store.
    const { completeForgetting } = await import('./memory-stores.js');
    const warnings = await this.whileForgetting((work) =>
      completeForgetting(memory, this.context(), work),
    );
    this.addWarnings(warnings);
  }

  /** Applies the list of forgotten passages to every store, which reads every file again. */
  protected async followForgetting(
    memory: OpenedMemory,
    forgetting: Forgetting,
  ): Promise<readonly StoreOutcome[]> {
    // Loads every store.
    const { followInAllStores, unfinishedWarnings } = await import('./memory-stores.js');
    const stores = await this.whileForgetting((work) =>
      followInAllStores(forgetting, memory, this.context(), work),
    );
    this.addWarnings(unfinishedWarnings(stores));
    return stores;
  }

  private whileForgetting<T>(run: (work: WorkOptions) => Promise<T>): Promise<T> {
    const { onEvent, clear } = this.syncProgress('forgetting');
    return run({ signal: this.signal, onEvent }).finally(clear);
  }

  /** Warns of agents that still find what one of them has forgotten. */
  protected async warnOfOtherAgents(memory: OpenedMemory, plan: ForgetPlan): Promise<void> {
    const { otherAgentsWarnings } = await import('../engine/memory/forget/index.js');
    const agents = searchedAgents(await this.readConfig(), this.context());
    this.addWarnings(await otherAgentsWarnings(plan, memory, agents, this.context()));
  }

  /** Brings one memory up to date, shows progress and reports warnings. */
  protected async syncShown(
    memory: OpenedMemory,
    flags: { readonly force?: boolean; readonly 'reuse-vectors'?: boolean } = {},
  ): Promise<SyncSummary> {
    const options = { force: flags.force ?? false, reembeds: flags['reuse-vectors'] !== true };
    const summary = await showSync(memory, await this.commandContext(), options);
    // After the list of a shared memory was fetched.
    if (summary.outcome !== 'stopped') await this.completeForgetting(memory);
    const warnings = [
      ...(summary.warnings ?? []),
      ...otherWorkspaceWarning(summary),
      ...embeddingWarnings(summary),
    ];
    this.addWarnings(warnings);
    if (summary.outcome === 'stopped') this.setExitCode(130);
    const { embedding } = summary;
    if (embedding?.failure === undefined) return summary;
    // Keyword search still works.
    this.setExitCode(1);
    const failure = withShownHint(embedding.failure, this.view());
    const { hint } = failure;
    const message = `${memory.name}: some passages have no vectors: ${failure.message}`;
    const hintLine = hint === undefined ? '' : `\n hint: ${hint}`;
    if (!this.jsonEnabled()) this.note(safeLines(`error: ${message}${hintLine}`));
    else this.addWarning({ code: 'EMBEDDING_FAILED', message, hint });
    return { ...summary, embedding: { ...embedding, failure } };
  }

  /** Shows the progress of a sync and, while none runs, what the work is. */
  protected syncProgress(words: string): ProgressLine {
    const { quiet, verbose } = this.shared;
    const options = { terminal: this.terminal(), quiet: quiet || this.jsonEnabled(), verbose };
    const progress = createLazySyncProgress(options, this.waitingLine(words));
    return { ...progress, onEvent: (event) => progress.onEvent(this.mask.data(event)) };
  }

  /** Options of work with a memory; what it warns about is reported. */
  protected workOptions(): WorkOptions & { readonly signal: AbortSignal } {
    return { signal: this.signal, onWarning: (warning) => this.addWarning(warning) };
  }

  /**
   * Runs a query, and shows the progress of the sync that it may need. Ctrl-C lets that sync finish in order, but ends
   * the process while the index is read.
   *
   * @param words shown while no sync runs
   */
  protected async query<T>(words: string, run: (work: WorkOptions) => Promise<T>): Promise<T> {
    this.setGracefulInterrupt(false);
    const { onEvent, clear } = this.syncProgress(words);
    const work = {
      ...this.workOptions(),
      onEvent: (event: SyncEvent): void => {
        this.setGracefulInterrupt(event.type !== 'sync.finished');
        onEvent(event);
      },
    };
    return run(work).finally(clear);
  }

  protected override async finally(): Promise<void> {
    for (const memory of this.opened) await memory.backend.close();
    await super.finally();
  }

  protected override targetFor(command: string): ChosenTarget {
    if (!ABOUT_ONE_MEMORY.test(command)) return {};
    const { agent, workspace }: TargetFlags = this.shared;
    const isFolder = workspace !== undefined && !this.isTyped('agent');
    return isFolder ? { workspace } : { agent };
  }

  /**
   * Whether the session that the flags describe cannot use memory, which is reported. Flags without a session are those
   * of a person at the command line, who always can.
   */
  protected async refuses({ agent }: OpenedMemory, flags: SessionFlags): Promise<boolean> {
    const session = sessionFacts(flags);
    if (Object.values(session).every((fact) => fact === undefined)) return false;
    const { decideScope } = await import('../engine/scope/decide-scope.js');
    const { allowed, why } = decideScope(agent.scope, session);
    if (allowed) return false;
    this.addWarning({
      code: 'SCOPE_DENIED',
      message: `memory is closed to this conversation: ${why}`,
      hint: '"svc memory scope test" shows the rules of memory.ext.scope',
    });
    return true;
  }

  private keep(memory: OpenedMemory): OpenedMemory {
    this.opened.push(memory);
    this.addWarnings(memory.warnings);
    return memory;
  }

  /** Flags override variables; two flags contradict each other. */
  protected selection({ agent, workspace }: TargetFlags): MemorySelection | undefined {
    const agentTyped = this.isTyped('agent');
    if (agentTyped && this.isTyped('workspace')) {
      throw new SvcError('USAGE', '--agent and --workspace cannot be combined', {
        hint: 'omit one of them',
      });
    }
    if (workspace !== undefined && !agentTyped) return { kind: 'workspace', dir: workspace };
    return agent === undefined ? undefined : { kind: 'agent', agentId: agent };
  }
}
