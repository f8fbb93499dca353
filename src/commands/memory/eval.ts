import { resolve } from 'node:path';
import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { createProgress } from '../../cli/eval-progress.js';
import { targetFlags, withEnvironment } from '../../cli/flags.js';
import { MemoryCommand, type TargetFlags } from '../../cli/memory-command.js';
import { parseShare } from '../../cli/share-flag.js';
import { SvcError } from '../../engine/errors/index.js';
import type { EvalDraftsOutput, EvalOutput } from '../../engine/eval/output-schemas.js';
import { renderDrafted, renderEval } from '../../ui/memory/eval.js';
import { createStyle } from '../../ui/style.js';

type EvalResult = EvalDraftsOutput | EvalOutput | Record<string, never>;

export default class MemoryEval extends MemoryCommand<EvalResult> {
  static override summary = 'Measure how well a memory is searched.';
  static override description =
    `Asks the questions of a file, one JSON object a line, and holds the results against what each expects: {"question": "…", "expect": ["memory/2026-02-03.md#L3-L5"], "tags": ["backups"]}. What is expected is a path, lines of a file, or {"text": "…"}.

--compare tries other settings of memorySearch beside those that are configured: variants set apart by commas, several settings of one by +. What changes the index is tried on an index of its own, and nothing of yours is changed. --generate drafts questions from the notes, for you to put into your own words.

With --baseline the exit code is 1 when a figure dropped by more than --margin.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> --generate 30 --output questions.jsonl',
    '<%= config.bin %> <%= command.id %> questions.jsonl',
    '<%= config.bin %> <%= command.id %> questions.jsonl --workspace ./notes --misses 50',
    '<%= config.bin %> <%= command.id %> questions.jsonl --compare provider=none,hybrid.textWeight=0.5,chunking.tokens=200+chunking.overlap=40',
    '<%= config.bin %> <%= command.id %> questions.jsonl --write-baseline baseline.json',
    '<%= config.bin %> <%= command.id %> questions.jsonl --baseline baseline.json --margin 0.02 --json',
  ];
  static override args = {
    questions: Args.string({ description: 'The file of questions.' }),
  };
  static override flags = {
    ...targetFlags,
    ...withEnvironment({
      compare: Flags.string({
        summary: 'Variants to hold against what is configured: key=value,a=1+b=2.',
        helpValue: 'VARIANTS',
        multiple: true,
        multipleNonGreedy: true,
      }),
      'max-results': Flags.integer({
        char: 'n',
        summary: 'How many results each question gets.',
        helpValue: 'N',
        min: 1,
        max: 1000,
        default: 10,
      }),
      'min-score': Flags.custom<number>({
        summary: 'Leave out results that score lower; 0 to 1 (query.minScore).',
        helpValue: 'SCORE',
        parse: async (text) => parseShare(text),
      })(),
      misses: Flags.integer({
        summary: 'How many misses are listed.',
        helpValue: 'N',
        min: 0,
        default: 10,
      }),
      baseline: Flags.string({
        summary: 'Hold the figures against those of this file.',
        helpValue: 'FILE',
      }),
      margin: Flags.custom<number>({
        summary: 'How much lower than the baseline a figure may be; 0 to 1.',
        helpValue: 'SHARE',
        parse: async (text) => parseShare(text),
        default: 0.01,
      })(),
      'write-baseline': Flags.string({
        summary: 'Keep the figures in this file.',
        helpValue: 'FILE',
      }),
      generate: Flags.integer({
        summary: 'Draft so many questions instead, as lines of a file of questions.',
        helpValue: 'N',
        min: 1,
        max: 100_000,
        exclusive: ['compare', 'baseline', 'write-baseline'],
      }),
      output: Flags.string({
        char: 'o',
        summary: 'The file that drafts are written to; stdout without it.',
        helpValue: 'FILE',
      }),
      force: Flags.boolean({ char: 'f', summary: 'Replace a file of drafts that is there.' }),
      seed: Flags.integer({
        summary: 'Chooses what is drafted, and the resamples that differences are judged by.',
        helpValue: 'N',
        default: 1,
      }),
    }),
  };

  async run(): Promise<EvalResult> {
    const { args, flags } = await this.parse(MemoryEval);
    if (flags.generate !== undefined) {
      if (args.questions !== undefined) throw draftsGoElsewhere();
      return this.draft({ ...flags, generate: flags.generate });
    }
    if (args.questions === undefined) throw noQuestions();
    if (this.isTyped('output', 'o')) throw outputIsOfDrafts();
    const terminal = this.terminal(flags);
    const quiet = flags.quiet || this.jsonEnabled();
    const progress = createProgress({ terminal, quiet, verbose: flags.verbose }, this.mask);
    const { evaluateFile } = await import('../../engine/eval/evaluate-file.js');
    const { output, warnings } = await evaluateFile(this.context(), {
      file: resolve(args.questions),
      selection: this.selection(flags) ?? { kind: 'agent' },
      configFile: flags.config,
      compare: flags.compare ?? [],
      maxResults: flags['max-results'],
      minScore: flags['min-score'],
      seed: flags.seed,
      baselineFile: absolute(flags.baseline),
      margin: flags.margin,
      writeTo: absolute(flags['write-baseline']),
      signal: this.signal,
      onEvent: progress.onEvent,
    }).finally(progress.clear);
    for (const warning of warnings) this.addWarning(warning);
    const columns = process.stdout.isTTY ? terminal.columns : undefined;
    const style = createStyle(terminal.color);
    this.write(renderEval(output, { style, columns, misses: flags.misses }));
    if ((output.baseline?.drops.length ?? 0) > 0) this.setExitCode(1);
    return output;
  }

  private async draft(
    flags: TargetFlags & {
      readonly generate: number;
      readonly seed: number;
      readonly output?: string | undefined;
      readonly force: boolean;
    },
  ): Promise<EvalDraftsOutput> {
    const memory = await this.openMemory(flags);
    const { draftQuestions } = await import('../../engine/eval/draft-questions.js');
    const { draftLines, writeDraftFile } = await import('../../engine/eval/draft-file.js');
    const { seed } = flags;
    const how = { count: flags.generate, seed, signal: this.signal };
    const drafts = await draftQuestions(memory.backend, how);
    const file = absolute(flags.output);
    if (file === undefined) this.write(draftLines(drafts));
    else writeDraftFile(file, drafts, flags.force);
    this.note(renderDrafted(drafts.length, flags.generate, file));
    return { agent: memory.agentId, seed, file: file ?? null, drafts };
  }
}

function absolute(file: string | undefined): string | undefined {
  return file === undefined ? undefined : resolve(file);
}

function noQuestions(): SvcError {
  return new SvcError('USAGE', 'there are no questions to ask', {
    hint: 'name a file of them, or draft some: svc memory eval --generate 20',
  });
}

function draftsGoElsewhere(): SvcError {
  return new SvcError('USAGE', 'drafting asks no questions', {
    hint: 'name the file that drafts are written to with --output',
  });
}

function outputIsOfDrafts(): SvcError {
  return new SvcError('USAGE', '--output is for drafts', {
    hint: 'add --generate 20, or keep figures with --write-baseline FILE',
  });
}
