import * as Flags from '@oclif/core/flags';
import { examples } from '../../cli/base-command.js';
import { type FlagsOf, requiredArg, targetFlags, textFlag, yesFlag } from '../../cli/flags.js';
import { MemoryCommand } from '../../cli/memory-command.js';
import { withStdinFile } from '../../cli/standard-streams.js';
import type { OpenedMemory } from '../../engine/memory/index.js';
import type {
  ExistingFiles,
  ImportOutput,
  ImportPlan,
} from '../../engine/memory/transfer/index.js';
import { whileNotesAreLocked } from '../../engine/notes/index.js';
import { typedPath } from '../../engine/support/context.js';
import { formatCountOf } from '../../engine/support/format.js';
import { shellWord } from '../../engine/support/text.js';
import { renderImport, renderImportPlan } from '../../ui/memory/transfer.js';

type ImportFlags = FlagsOf<typeof MemoryImport>;

export default class MemoryImport extends MemoryCommand {
  static override summary = 'Import a file written by "svc memory export".';
  static override description =
    `Checks the whole file before writing anything, and reports the first invalid line. Notes are written to the workspace, or to the folder passed with --into, and never outside it.

Notes that exist with other content stop the import, unless you pass --existing. Before it writes files that agents follow as instructions, such as AGENTS.md, it asks you. Vectors are used if the model and its settings are the same; other passages are embedded again.`;
  static override examples = examples(
    'memory.jsonl',
    'memory.jsonl --existing keep --json',
    'memory.jsonl --into ./restored',
    'memory.jsonl --existing replace --yes',
    '- < memory.jsonl',
  );
  static override args = { file: requiredArg('The file, or - for stdin.') };
  static override flags = {
    ...targetFlags,
    ...yesFlag,
    into: textFlag('Target folder; the workspace by default.', 'DIR'),
    existing: Flags.custom<ExistingFiles>({
      summary: 'What to do with existing files that differ.',
      options: ['refuse', 'keep', 'replace'],
      default: 'refuse',
    })(),
  };

  async run(): Promise<ImportOutput> {
    const { args, flags } = await this.parse(MemoryImport);
    const memory = await this.openMemory(flags);
    const context = this.context();
    if (args.file !== '-') return this.importFile(memory, typedPath(args.file, context), flags);
    return withStdinFile(context.state.stateDir, this.signal, (file) =>
      this.importFile(memory, file, flags),
    );
  }

  private async importFile(
    memory: OpenedMemory,
    file: string,
    flags: ImportFlags,
  ): Promise<ImportOutput> {
    const transfer = await memory.backend.transfer();
    const into = flags.into === undefined ? undefined : typedPath(flags.into, this.context());
    const plan = await this.whileWaiting('reading', () => transfer.planImport(file, into));
    this.write(renderImportPlan(plan, flags.existing));
    const target = { agent: memory.agentId, into: plan.root };
    const inFile = plan.checked.vectors;
    if (!(await this.agreesToWrite(plan, flags))) {
      this.write('nothing was imported');
      const nothing = { written: [], replaced: [], kept: [], same: 0, notIndexed: 0 };
      return { ...target, imported: false, ...nothing, vectors: { inFile, used: 0 } };
    }
    this.interruptHint = 'imported notes are kept; run it again to import the rest';
    // Otherwise, a note that another process adds to a file that is being replaced would be lost.
    const result = await whileNotesAreLocked(memory, this.noteOptions(), () => {
      const { onEvent, clear } = this.syncProgress('importing');
      const work = { signal: this.signal, onEvent };
      return transfer.import(plan, flags.existing, work).finally(clear);
    });
    const folder = into === undefined ? undefined : shellWord(into);
    this.write(renderImport(result, inFile, folder, this.view()));
    return { ...target, imported: true, ...result, vectors: { inFile, used: result.vectors } };
  }

  /** Only overwriting files, and writing what agents follow, needs confirmation. */
  private async agreesToWrite(plan: ImportPlan, flags: ImportFlags): Promise<boolean> {
    const { comparison, instructions } = plan;
    const replaced = flags.existing === 'replace' ? comparison.different.length : 0;
    const questions = [
      ...(replaced === 0 ? [] : [`Replace ${formatCountOf(replaced, 'file')}?`]),
      ...(instructions.length === 0
        ? []
        : [
            `Write ${formatCountOf(instructions.length, 'file')} that agents follow as instructions?`,
          ]),
    ];
    for (const question of questions) {
      if (!(await this.agrees(question, flags))) return false;
    }
    return true;
  }
}
