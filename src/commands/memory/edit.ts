import { examples } from '../../cli/base-command.js';
import { requiredArg, targetFlags } from '../../cli/flags.js';
import { MemoryCommand } from '../../cli/memory-command.js';
import { fileToEdit, openInEditor } from '../../cli/open-editor.js';
import { parseCitation } from '../../engine/memory/search/index.js';
import type { MemoryEditOutput } from '../../engine/notes/index.js';

export default class MemoryEdit extends MemoryCommand {
  static override summary = 'Open a citation in your editor.';
  static override description =
    'Opens the file of a citation or path at its line in $VISUAL or $EDITOR, or prints the location if neither is set. Only indexed files can be opened. With --json, prints the location only.';
  static override examples = examples("'memory/2026-02-03.md#L3-L5'", 'MEMORY.md');
  static override args = { citation: requiredArg('A citation or a file.') };
  static override flags = targetFlags;

  async run(): Promise<MemoryEditOutput> {
    const { args, flags } = await this.parse(MemoryEdit);
    const memory = await this.openMemory(flags);
    const { path, range } = parseCitation(args.citation);
    const line = range?.startLine ?? 1;
    const file = await fileToEdit(memory, { name: path, line });
    const place = { file, line, column: 1 };
    if (!this.jsonEnabled()) await openInEditor(place, await this.commandContext());
    return { path, file, line };
  }
}
