import { SvcError } from '../engine/errors/index.js';
import { embeddingWarnings } from '../engine/memory/embedding/embedding-warnings.js';
import {
  type MemorySelection,
  type OpenedMemory,
  type OpenMemoryOptions,
  openAllMemories,
  openMemory,
} from '../engine/memory/open-memory.js';
import type { SyncSummary } from '../engine/memory/sync/events.js';
import { BaseCommand } from './base-command.js';
import { ownWords } from './own-words.js';

/** The flags that choose a memory; see targetFlags. */
export interface TargetFlags {
  readonly agent?: string | undefined;
  readonly workspace?: string | undefined;
  readonly config?: string | undefined;
}

/** The flags that say how a sync is shown. */
export interface SyncFlags {
  readonly force?: boolean;
  readonly plain: boolean;
  readonly quiet: boolean;
  readonly verbose: boolean;
}

/** What commands that work on memories share: open them, say their warnings, close them at the end. */
export abstract class MemoryCommand<Result extends object> extends BaseCommand<Result> {
  private readonly opened: OpenedMemory[] = [];

  /** The one memory that is meant; the default agent's when none is named. */
  protected async openMemory(
    flags: TargetFlags,
    options: Pick<OpenMemoryOptions, 'longLived'> = {},
  ): Promise<OpenedMemory> {
    const selection = this.selection(flags) ?? { kind: 'agent' };
    const opened = { ...options, configFile: flags.config };
    return this.keep(await openMemory(this.context(), selection, opened));
  }

  /** The one memory that is named, or those of all agents. */
  protected async openMemories(
    flags: TargetFlags & { readonly all?: boolean },
    options: Pick<OpenMemoryOptions, 'longLived'> = {},
  ): Promise<readonly OpenedMemory[]> {
    if (flags.all === true && (this.isTyped('agent', 'a') || this.isTyped('workspace', 'w'))) {
      throw new SvcError('USAGE', '--all and a single memory contradict each other', {
        hint: 'leave out --all, or --agent and --workspace',
      });
    }
    const one = flags.all !== true && this.selection(flags) !== undefined;
    if (one) return [await this.openMemory(flags, options)];
    const all = await openAllMemories(this.context(), { ...options, configFile: flags.config });
    return all.map((memory) => this.keep(memory));
  }

  /** Brings one memory up to date while the person watches; what went wrong on the way is said. */
  protected async syncShown(memory: OpenedMemory, flags: SyncFlags): Promise<SyncSummary> {
    const { shownSync } = await import('./shown-sync.js');
    const summary = await shownSync(memory, {
      force: flags.force ?? false,
      terminal: this.terminal(flags),
      quiet: flags.quiet,
      verbose: flags.verbose,
      json: this.jsonEnabled(),
      homeDir: this.context().homeDir,
      signal: this.signal,
      onInterrupt: () => this.interrupt(),
      write: (text) => this.write(text),
      mask: this.mask,
    });
    const warnings = [...(summary.warnings ?? []), ...embeddingWarnings(summary)];
    for (const warning of warnings) this.addWarning(warning);
    const failure = summary.embedding?.failure;
    if (failure !== undefined) {
      // The words are indexed all the same, and found.
      this.setExitCode(1);
      const { hint } = failure;
      const message = `${memory.name}: not all passages have vectors: ${failure.message}`;
      const mend = hint === undefined ? '' : `\n mend: ${hint}`;
      if (!this.jsonEnabled()) this.note(`error: ${message}${mend}`);
      else
        this.addWarning({
          code: 'EMBEDDING_FAILED',
          message,
          ...(hint === undefined ? {} : { hint }),
        });
    }
    if (summary.outcome === 'stopped') this.setExitCode(130);
    return summary;
  }

  protected override async finally(): Promise<void> {
    for (const memory of this.opened) await memory.backend.close();
    await super.finally();
  }

  private keep(memory: OpenedMemory): OpenedMemory {
    this.opened.push(memory);
    for (const warning of memory.warnings) this.addWarning(warning);
    return memory;
  }

  /** What is typed goes before what the environment says; both typed contradict each other. */
  protected selection({ agent, workspace }: TargetFlags): MemorySelection | undefined {
    const agentTyped = this.isTyped('agent', 'a');
    if (agentTyped && this.isTyped('workspace', 'w')) {
      throw new SvcError('USAGE', '--agent and --workspace name two different memories', {
        hint: 'give one of them',
      });
    }
    if (workspace !== undefined && !agentTyped) return { kind: 'workspace', dir: workspace };
    return agent === undefined ? undefined : { kind: 'agent', agentId: agent };
  }

  /** Whether a flag stands in the command line, and not only in the environment. */
  protected isTyped(name: string, char?: string): boolean {
    const short = char === undefined ? '' : `|-[a-z]*${char}`;
    const forms = new RegExp(`^(?:--${name}(?:=|$)${short})`);
    return ownWords(this.argv).some((word) => forms.test(word));
  }
}
