import { examples } from '../../cli/base-command.js';
import { numberFlag, requiredArg, sessionFlags, switchFlag, targetFlags } from '../../cli/flags.js';
import { MemoryCommand } from '../../cli/memory-command.js';
import { type GetOutput, getOutput } from '../../engine/memory/index.js';
import { renderGet, truncationNote } from '../../ui/memory/get.js';
import { safeLine } from '../../ui/safe-text.js';

export default class MemoryGet extends MemoryCommand {
  static override summary = 'Print lines of an indexed file.';
  static override description =
    'Takes a path from the search results, or a citation such as memory/2026-02-03.md#L3-L5. Only indexed files can be read. Prints up to 120 lines unless you pass --lines. For a conversation it prints the turns, with two more on either side of a citation; for an image or a recording, facts about the file. Lines of a PDF, Word or HTML document are those of its text, and guide.pdf#p3 is a page.';
  static override examples = examples(
    'MEMORY.md',
    "'memory/2026-02-03.md#L3-L5'",
    "'sessions/main/2026-02-03.jsonl#L10-L14' --line-numbers",
    'README.md --workspace . --from 10 --lines 20 --line-numbers',
  );
  static override aliases = ['get'];
  static override args = { path: requiredArg('A file or a citation.') };
  static override flags = {
    ...targetFlags,
    ...sessionFlags,
    from: numberFlag('First line, starting at 1.', { min: 1 }),
    lines: numberFlag('Number of lines.', { min: 1 }),
    'line-numbers': switchFlag('Show line numbers.'),
  };

  protected override readonly answersVerbatim = true;

  async run(): Promise<GetOutput> {
    const { args, flags } = await this.parse(MemoryGet);
    const memory = await this.openMemory(flags);
    if (await this.refuses(memory, flags)) {
      const range = { startLine: 1, endLine: 0, totalLines: 0 };
      const nothing = { ...range, text: '', truncated: false };
      return { path: args.path, source: 'memory', kind: 'markdown', ...nothing };
    }
    const { from, lines } = flags;
    const request = { target: args.path, from, lines };
    const response = await this.query('reading', (work) => memory.backend.get(request, work));
    const { style } = this.view();
    this.write(
      renderGet(response, {
        style,
        lineNumbers: flags['line-numbers'],
        escape: process.stdout.isTTY === true,
      }),
    );
    // The lines are not those of the file.
    if (response.kind === 'extracted' && !flags.quiet) {
      this.note(`text extracted from ${safeLine(response.path)}`);
    }
    const rest = truncationNote(response);
    if (rest !== undefined && !flags.quiet) this.note(rest);
    return getOutput(response);
  }
}
