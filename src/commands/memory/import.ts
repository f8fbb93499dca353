import { resolve } from 'node:path';
import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { confirm } from '../../cli/confirm.js';
import { targetFlags, withEnvironment, yesFlag } from '../../cli/flags.js';
import { MemoryCommand } from '../../cli/memory-command.js';
import { withStdinFile } from '../../cli/standard-streams.js';
import type { OpenedMemory } from '../../engine/memory/open-memory.js';
import type { ImportPlan } from '../../engine/memory/transfer/import-memory.js';
import type { ExistingFiles } from '../../engine/memory/transfer/land-documents.js';
import type { ImportOutput } from '../../engine/memory/transfer/output-schemas.js';
import { renderImport, renderImportPlan } from '../../ui/memory/transfer.js';

interface ImportFlags {
  readonly plain: boolean;
  readonly yes: boolean;
  readonly existing: ExistingFiles;
  readonly into?: string | undefined;
}

export default class MemoryImport extends MemoryCommand<ImportOutput> {
  static override summary = 'Take in a file that "svc memory export" wrote.';
  static override description =
    `The whole file is read and checked before anything is written; a line that is not understood is named. Notes land in the workspace, or in the folder named by --into, and nowhere outside of it.

A note that is there with another content stops the import, unless --existing says what becomes of it. Vectors are used where the same model with the same settings is asked; others are embedded anew.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> memory.jsonl',
    '<%= config.bin %> <%= command.id %> memory.jsonl --existing keep --json',
    '<%= config.bin %> <%= command.id %> memory.jsonl --into ./restored',
    '<%= config.bin %> <%= command.id %> memory.jsonl --existing replace --yes',
    '<%= config.bin %> <%= command.id %> - < memory.jsonl',
  ];
  static override args = {
    file: Args.string({ description: 'The file, or - for stdin.', required: true }),
  };
  static override flags = {
    ...targetFlags,
    ...yesFlag,
    ...withEnvironment({
      into: Flags.string({ summary: 'The folder they land in; the workspace.', helpValue: 'DIR' }),
      existing: Flags.custom<ExistingFiles>({
        summary: 'What becomes of a file that is there with another content.',
        options: ['refuse', 'keep', 'replace'],
        default: 'refuse',
      })(),
    }),
  };

  async run(): Promise<ImportOutput> {
    const { args, flags } = await this.parse(MemoryImport);
    const memory = await this.openMemory(flags);
    if (args.file !== '-') return this.take(memory, resolve(args.file), flags);
    const { stateDir } = this.context().state;
    return withStdinFile(stateDir, (file) => this.take(memory, file, flags));
  }

  private async take(
    memory: OpenedMemory,
    file: string,
    flags: ImportFlags,
  ): Promise<ImportOutput> {
    const transfer = await memory.backend.transfer();
    const into = flags.into === undefined ? undefined : resolve(flags.into);
    const plan = await transfer.planImport(file, into);
    this.write(renderImportPlan(plan, flags.existing));
    const about = { agent: memory.agentId, into: plan.root };
    const inFile = plan.checked.vectors;
    if (!(await this.agrees(plan, flags))) {
      this.write('nothing was imported');
      const nothing = { written: [], replaced: [], kept: [], same: 0, notIndexed: 0 };
      return { ...about, imported: false, ...nothing, vectors: { inFile, used: 0 } };
    }
    const result = await transfer.import(plan, flags.existing, { signal: this.signal });
    this.write(renderImport(result, inFile));
    return { ...about, imported: true, ...result, vectors: { inFile, used: result.vectors } };
  }

  /** Only replacing what is there is worth a question. */
  private async agrees({ landing }: ImportPlan, flags: ImportFlags): Promise<boolean> {
    const count = landing.different.length;
    if (flags.existing !== 'replace' || count === 0 || flags.yes) return true;
    const question = `Replace ${count} ${count === 1 ? 'file' : 'files'}?`;
    return confirm(question, this.terminal(flags).screen, this.signal);
  }
}
