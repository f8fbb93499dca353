import { examples } from '../../cli/base-command.js';
import { requiredArg, switchFlag, targetFlags } from '../../cli/flags.js';
import { MemoryCommand } from '../../cli/memory-command.js';
import type { InspectOutput } from '../../engine/memory/inspect/output-schemas.js';
import { whyIndexed } from '../../engine/memory/inspect/why-indexed.js';
import { renderInspection, renderWhy } from '../../ui/memory/inspect.js';

export default class MemoryInspect extends MemoryCommand {
  static override summary = 'Show what the index has of a file or a passage.';
  static override description =
    'Shows the chunks with their size and whether they have a vector; the date, tags and front matter that filters compare; the links; and the rule that includes or excludes the file. For a file that is not indexed it shows why, and the exit code is 1.';
  static override examples = examples(
    'memory/2026-02-03.md',
    "'memory/2026-02-03.md#L3-L5' --long",
    'README.md --workspace . --json',
  );
  static override args = { path: requiredArg('A file or a citation.') };
  static override flags = {
    ...targetFlags,
    long: switchFlag('Show the whole text of each chunk.', { char: 'l' }),
  };

  async run(): Promise<InspectOutput> {
    const { args, flags } = await this.parse(MemoryInspect);
    const memory = await this.openMemory(flags);
    const inspection = await memory.backend.inspection();
    const { document, why } = await this.query('reading', async (work) => {
      const found = await inspection.document(args.path, work);
      // Conversations are in folders of other programs, not in the workspace.
      const isOutside = found?.source === 'sessions';
      const rule = isOutside ? undefined : await whyIndexed(memory, found?.path ?? args.path);
      return { document: found, why: rule };
    });
    const view = this.view();
    if (document !== undefined) {
      this.write(renderInspection(document, { ...view, long: flags.long }));
    }
    if (why !== undefined) this.write(this.hintFor(renderWhy(memory.name, why, view)));
    if (document === undefined) this.setExitCode(1);
    return { agent: memory.agentId, document: document ?? null, why: why ?? null };
  }
}
