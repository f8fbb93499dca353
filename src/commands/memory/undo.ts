import { examples } from '../../cli/base-command.js';
import { numberFlag, optionalArg, switchFlag, targetFlags } from '../../cli/flags.js';
import { MemoryCommand } from '../../cli/memory-command.js';
import { SvcError } from '../../engine/errors/index.js';
import {
  listWrites,
  type MemoryUndoListOutput,
  type MemoryUndoOutput,
  undoNotes,
} from '../../engine/notes/index.js';
import { renderWrites, renderWriteUndo } from '../../ui/memory/notes.js';

export default class MemoryUndo extends MemoryCommand {
  static override summary = 'Take back what was added to notes.';
  static override description =
    'Removes exactly what svc memory add, the tool memory_add or a capture wrote, even if other parts of the file have changed. Text that was edited since stays, and the exit code is 1. Without an ID, takes back the last write. What dreaming wrote is taken back by svc dream undo.';
  static override examples = examples('', '--last 2', 'w1', '--list');
  static override args = { write: optionalArg('ID from --list (default: the last).') };
  static override flags = {
    ...targetFlags,
    last: numberFlag('Take back the last N writes.', { min: 1, max: 500 }),
    list: switchFlag('List what can be taken back.', { exclusive: ['last'] }),
  };

  async run(): Promise<MemoryUndoListOutput | MemoryUndoOutput> {
    const { args, flags } = await this.parse(MemoryUndo);
    const id = args.write;
    if (id !== undefined && (flags.list || flags.last !== undefined)) {
      throw new SvcError('USAGE', 'an ID cannot be combined with --last or --list', {
        hint: 'omit one of them',
      });
    }
    const memory = await this.openMemory(flags);
    const memoryFields = { agent: memory.agentId, workspace: memory.agent.workspaceDir };
    if (flags.list) {
      const output = { ...memoryFields, writes: await listWrites(memory, this.noteOptions()) };
      this.write(renderWrites(output, this.view()));
      return output;
    }
    const which = id === undefined ? { last: flags.last ?? 1 } : { id };
    const output = { ...memoryFields, writes: await undoNotes(memory, which, this.noteOptions()) };
    this.write(renderWriteUndo(output));
    if (output.writes.some(({ outcome }) => outcome === 'edited')) this.setExitCode(1);
    return output;
  }
}
