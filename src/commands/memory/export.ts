import { resolve } from 'node:path';
import * as Flags from '@oclif/core/flags';
import { targetFlags, withEnvironment } from '../../cli/flags.js';
import { MemoryCommand } from '../../cli/memory-command.js';
import { writeToStdout } from '../../cli/standard-streams.js';
import { SvcError } from '../../engine/errors/index.js';
import { writeExportFile } from '../../engine/memory/transfer/export-file.js';
import type { ExportOutput } from '../../engine/memory/transfer/output-schemas.js';
import { renderExport } from '../../ui/memory/transfer.js';

type ExportResult = ExportOutput | Record<string, never>;

export default class MemoryExport extends MemoryCommand<ExportResult> {
  static override summary = 'Write a memory as one file, to back it up or to take it elsewhere.';
  static override description =
    'JSON Lines: every note to the byte, and with --vectors what was embedded of them, so that it need not be paid for again. What is forgotten is not in it, and transcripts are not. Goes to stdout without --output.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> --output memory.jsonl',
    '<%= config.bin %> <%= command.id %> --vectors -o memory.jsonl --force',
    '<%= config.bin %> <%= command.id %> --workspace ./notes > notes.jsonl',
  ];
  static override flags = {
    ...targetFlags,
    ...withEnvironment({
      output: Flags.string({
        char: 'o',
        summary: 'The file to write; stdout without it.',
        helpValue: 'FILE',
      }),
      vectors: Flags.boolean({ summary: 'With the vectors of the passages.' }),
      force: Flags.boolean({ char: 'f', summary: 'Replace a file that is there.' }),
    }),
  };

  async run(): Promise<ExportResult> {
    const { flags } = await this.parse(MemoryExport);
    if (flags.output === undefined && (this.jsonEnabled() || process.stdout.isTTY)) throw noFile();
    const memory = await this.openMemory(flags);
    const transfer = await memory.backend.transfer();
    const how = { agent: memory.agentId, vectors: flags.vectors };
    const produce = (write: (text: string) => Promise<void>) =>
      transfer.export(how, write, { signal: this.signal });
    const file = flags.output === undefined ? undefined : resolve(flags.output);
    const { warnings, ...tally } =
      file === undefined
        ? await produce(writeToStdout)
        : await writeExportFile(file, flags.force, produce);
    for (const warning of warnings) this.addWarning(warning);
    if (!flags.quiet) this.note(renderExport(tally, file));
    return file === undefined ? {} : { agent: memory.agentId, file, ...tally };
  }
}

function noFile(): SvcError {
  return new SvcError('USAGE', 'an export needs a file, or a program that reads it', {
    hint: 'add --output FILE, or pipe it',
  });
}
