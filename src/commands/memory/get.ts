import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { targetFlags, withEnvironment } from '../../cli/flags.js';
import { MemoryCommand } from '../../cli/memory-command.js';
import { admissionOf } from '../../cli/session-admission.js';
import { sessionFlags } from '../../cli/session-flags.js';
import { getOutput } from '../../engine/memory/output.js';
import type { GetOutput } from '../../engine/memory/output-schemas.js';
import { renderGet, restOfGet } from '../../ui/memory/get.js';
import { createStyle } from '../../ui/style.js';

export default class MemoryGet extends MemoryCommand<GetOutput> {
  static override summary = 'Print lines of an indexed file.';
  static override description =
    'Takes a path as search shows it, or a citation such as memory/2026-02-03.md#L3-L5. Only files that the index covers are read. Without --lines, 120 lines are printed. Of a conversation the turns are shown, around a citation two more on either side; of an image or a recording, what is known of the file.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> MEMORY.md',
    "<%= config.bin %> <%= command.id %> 'memory/2026-02-03.md#L3-L5'",
    "<%= config.bin %> <%= command.id %> 'sessions/main/2026-02-03.jsonl#L10-L14' --line-numbers",
    '<%= config.bin %> <%= command.id %> README.md --workspace . --from 10 --lines 20 --line-numbers',
  ];
  static override args = {
    path: Args.string({ description: 'A path or citation.', required: true }),
  };
  static override flags = {
    ...targetFlags,
    ...sessionFlags,
    ...withEnvironment({
      from: Flags.integer({ summary: 'First line, counted from 1.', helpValue: 'N', min: 1 }),
      lines: Flags.integer({ summary: 'How many lines.', helpValue: 'N', min: 1 }),
      'line-numbers': Flags.boolean({ summary: "Put each line's number before it." }),
    }),
  };

  protected override readonly answersVerbatim = true;

  async run(): Promise<GetOutput> {
    const { args, flags } = await this.parse(MemoryGet);
    const memory = await this.openMemory(flags);
    const { refusal } = await admissionOf(memory, flags);
    if (refusal !== undefined) {
      this.addWarning(refusal);
      return noLines(args.path);
    }
    const { from, lines } = flags;
    const response = await memory.backend.get(
      {
        target: args.path,
        ...(from === undefined ? {} : { from }),
        ...(lines === undefined ? {} : { lines }),
      },
      { signal: this.signal },
    );
    for (const warning of response.warnings) this.addWarning(warning);
    const style = createStyle(this.terminal(flags).color);
    this.write(
      renderGet(response, {
        style,
        lineNumbers: flags['line-numbers'],
        escape: process.stdout.isTTY === true,
      }),
    );
    const rest = restOfGet(response);
    if (rest !== undefined && !flags.quiet) this.note(rest);
    return getOutput(response);
  }
}

/** What a conversation gets that may not read. */
function noLines(path: string): GetOutput {
  const range = { startLine: 1, endLine: 0, totalLines: 0 };
  return { path, source: 'memory', kind: 'markdown', ...range, text: '', truncated: false };
}
