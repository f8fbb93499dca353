import { examples } from '../../cli/base-command.js';
import { outputFile, switchFlag, targetFlags, textFlag } from '../../cli/flags.js';
import { MemoryCommand } from '../../cli/memory-command.js';
import { printInTurn, stdoutLost } from '../../cli/print.js';
import { SvcError } from '../../engine/errors/index.js';
import { type ExportOutput, writeExportFile } from '../../engine/memory/transfer/index.js';
import { anySignal } from '../../engine/support/async.js';
import { renderExport } from '../../ui/memory/transfer.js';

export default class MemoryExport extends MemoryCommand {
  static override summary = 'Export a memory to one file.';
  static override description =
    'Writes JSON Lines with every note unchanged and, with --vectors, their embeddings, so that you never pay twice for the same text. Forgotten passages and transcripts are not included. Writes to stdout without --output, or with --output -.';
  static override examples = examples(
    '--output memory.jsonl',
    '--vectors -o memory.jsonl --force',
    '--workspace ./notes > notes.jsonl',
  );
  static override flags = {
    ...targetFlags,
    output: textFlag('Write to this file instead of stdout.', 'FILE', { char: 'o' }),
    vectors: switchFlag('Include the vectors of the passages.'),
    force: switchFlag('Overwrite an existing file.', { char: 'f' }),
  };

  async run(): Promise<ExportOutput | Record<string, never>> {
    const { flags } = await this.parse(MemoryExport);
    const file = outputFile(flags.output, this.context());
    if (file === undefined) this.requireReader();
    const memory = await this.openMemory(flags);
    const transfer = await memory.backend.transfer();
    const options = { agent: memory.agentId, vectors: flags.vectors };
    const writeTo = (write: (text: string) => Promise<void>) =>
      transfer.export(options, write, { signal: anySignal([this.signal, stdoutLost]) });
    const result = await untilStdoutIsLost(() =>
      file === undefined
        ? writeTo(printInTurn)
        : this.whileWaiting('exporting', () => writeExportFile(file, flags.force, writeTo)),
    );
    if (result === undefined) return {};
    const { warnings, ...counts } = result;
    this.addWarnings(warnings);
    if (!flags.quiet) this.note(renderExport(counts, file));
    return file === undefined ? {} : { agent: memory.agentId, file, ...counts };
  }

  /** @throws SvcError USAGE where stdout cannot take an export */
  private requireReader(): void {
    if (this.jsonEnabled()) {
      throw new SvcError('USAGE', '--json needs --output FILE: without it, stdout is the export', {
        hint: 'pass --output FILE, or omit --json',
      });
    }
    if (process.stdout.isTTY) {
      throw new SvcError('USAGE', 'refusing to write an export to a terminal', {
        hint: 'pass --output FILE, or pipe the output',
      });
    }
  }
}

/** Undefined if stdout was lost before the end. */
async function untilStdoutIsLost<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    const result = await work();
    return stdoutLost.aborted ? undefined : result;
  } catch (error) {
    if (stdoutLost.aborted && error === stdoutLost.reason) return undefined;
    throw error;
  }
}
