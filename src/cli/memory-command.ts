import {
  type MemorySelection,
  type OpenedMemory,
  openMemory,
} from '../engine/memory/open-memory.js';
import { BaseCommand } from './base-command.js';

/** The flags that choose a memory; see targetFlags. */
export interface TargetFlags {
  readonly agent?: string | undefined;
  readonly workspace?: string | undefined;
  readonly config?: string | undefined;
}

/** What commands that work on one memory share: open it, say its warnings, close it at the end. */
export abstract class MemoryCommand<Result extends object> extends BaseCommand<Result> {
  private readonly opened: OpenedMemory[] = [];

  protected async openMemory(flags: TargetFlags): Promise<OpenedMemory> {
    return this.keep(
      await openMemory(this.context(), selectionOf(flags), { configFile: flags.config }),
    );
  }

  /** Takes care of a memory that was opened otherwise. */
  protected keep(memory: OpenedMemory): OpenedMemory {
    this.opened.push(memory);
    for (const warning of memory.warnings) this.addWarning(warning);
    return memory;
  }

  protected override async finally(): Promise<void> {
    for (const memory of this.opened) memory.backend.close();
    await super.finally();
  }
}

function selectionOf(flags: TargetFlags): MemorySelection {
  return flags.workspace === undefined
    ? { kind: 'agent', agentId: flags.agent }
    : { kind: 'workspace', dir: flags.workspace };
}
