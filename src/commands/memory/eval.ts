import * as Flags from '@oclif/core/flags';
import { examples } from '../../cli/base-command.js';
import {
  type FlagsOf,
  missingArgument,
  numberFlag,
  optionalArg,
  outputFile,
  shareFlag,
  switchFlag,
  targetFlags,
  textFlag,
  textsFlag,
} from '../../cli/flags.js';
import { MemoryCommand } from '../../cli/memory-command.js';
import { createLazySyncProgress, type SyncProgressOptions } from '../../cli/show-sync.js';
import { writeStderr } from '../../cli/stderr.js';
import { SvcError } from '../../engine/errors/index.js';
import type { EvalDraftsOutput, EvalEvent, EvalOutput } from '../../engine/eval/index.js';
import type { SecretMask } from '../../engine/masking/index.js';
import { typedPath } from '../../engine/support/context.js';
import { runningMs } from '../../engine/support/time.js';
import { renderDrafts, renderEval } from '../../ui/memory/eval.js';
import { createEvalProgress, type ProgressLine } from '../../ui/progress-line.js';
import { safeJson } from '../../ui/safe-text.js';
import { createStyle } from '../../ui/style.js';

export default class MemoryEval extends MemoryCommand {
  static override summary = 'Measure search quality with a file of questions.';
  static override description =
    `Searches for the questions in a file, one JSON object per line, and compares the results with what each expects: {"question": "…", "expect": ["memory/2026-02-03.md#L3-L5"], "tags": ["backups"]}. An expectation is a path, lines of a file, or {"text": "…"}.

--compare also tries other memorySearch settings: separate variants with commas, and several settings of one variant with +. Settings that affect the index get a separate index; yours is not changed. --generate drafts questions from your notes for you to rephrase.

With --baseline, exits with 1 if a metric dropped by more than --margin.`;
  static override examples = examples(
    '--generate 30 --output questions.jsonl',
    'questions.jsonl',
    'questions.jsonl --workspace ./notes --misses 50',
    'questions.jsonl --compare provider=none,hybrid.textWeight=0.5,chunking.tokens=200+chunking.overlap=40',
    'questions.jsonl --write-baseline baseline.json',
    'questions.jsonl --baseline baseline.json --margin 0.02 --json',
  );
  static override args = { questions: optionalArg('A file of questions (JSON lines).') };
  static override flags = {
    ...targetFlags,
    compare: textsFlag(
      'Variants to compare with the configuration: key=value,a=1+b=2.',
      'VARIANTS',
    ),
    'max-results': Flags.integer({
      char: 'n',
      summary: 'Maximum number of results per question.',
      helpValue: 'N',
      min: 1,
      max: 1000,
      default: 10,
    }),
    'min-score': shareFlag({
      summary: 'Drop results with a lower score, 0 to 1 (default query.minScore).',
      helpValue: 'SCORE',
    }),
    misses: Flags.integer({
      summary: 'Maximum number of misses to list.',
      helpValue: 'N',
      min: 0,
      default: 10,
    }),
    baseline: textFlag('Compare the metrics with those in this file.', 'FILE'),
    margin: shareFlag({
      summary: 'Allowed drop of a metric below the baseline, 0 to 1.',
      helpValue: 'SHARE',
      default: 0.01,
    }),
    'write-baseline': textFlag('Write the metrics to this file.', 'FILE'),
    generate: numberFlag('Draft this many questions from your notes instead.', {
      min: 1,
      max: 100_000,
      exclusive: ['compare', 'baseline', 'write-baseline'],
    }),
    output: textFlag('File to write drafts to (default: stdout).', 'FILE', { char: 'o' }),
    force: switchFlag('Overwrite an existing file of drafts.', { char: 'f' }),
    seed: Flags.integer({
      summary: 'Random seed for drafts and for significance tests.',
      helpValue: 'N',
      default: 1,
    }),
  };

  async run(): Promise<EvalDraftsOutput | EvalOutput | Record<string, never>> {
    const { args, flags } = await this.parse(MemoryEval);
    if (flags.generate !== undefined) {
      if (args.questions !== undefined) {
        throw new SvcError('USAGE', '--generate takes no file of questions', {
          hint: 'write drafts to a file with --output',
        });
      }
      return this.draft(flags, flags.generate);
    }
    if (args.questions === undefined) {
      const hint = 'draft some with "svc memory eval --generate 20"';
      throw missingArgument('QUESTIONS (a file of questions)', hint);
    }
    if (this.isTyped('output')) {
      throw new SvcError('USAGE', '--output requires --generate', {
        hint: 'add --generate 20, or store metrics with --write-baseline FILE',
      });
    }
    const terminal = this.terminal();
    const quiet = flags.quiet || this.jsonEnabled();
    const progress = createProgress({ terminal, quiet, verbose: flags.verbose }, this.mask);
    const { evaluateFile } = await import('../../engine/eval/index.js');
    const context = this.context();
    const absolute = (file: string) => typedPath(file, context);
    const { baseline, 'write-baseline': written } = flags;
    const { output, warnings } = await evaluateFile(context, {
      file: absolute(args.questions),
      selection: this.selection(flags) ?? { kind: 'agent' },
      configFile: flags.config,
      compare: flags.compare ?? [],
      maxResults: flags['max-results'],
      minScore: flags['min-score'],
      seed: flags.seed,
      baselineFile: baseline === undefined ? undefined : absolute(baseline),
      margin: flags.margin,
      writeTo: written === undefined ? undefined : absolute(written),
      signal: this.signal,
      onEvent: progress.onEvent,
    }).finally(progress.clear);
    this.addWarnings(warnings);
    this.write(renderEval(output, { ...this.view(), misses: flags.misses }));
    if ((output.baseline?.drops.length ?? 0) > 0) this.setExitCode(1);
    return output;
  }

  private async draft(
    flags: FlagsOf<typeof MemoryEval>,
    generate: number,
  ): Promise<EvalDraftsOutput> {
    const memory = await this.openMemory(flags);
    const { draftLines, draftQuestions, writeDraftFile } = await import(
      '../../engine/eval/index.js'
    );
    const { seed } = flags;
    const options = { count: generate, seed, signal: this.signal };
    const drafts = await this.whileWaiting('drafting', () =>
      draftQuestions(memory.backend, options),
    );
    const file = outputFile(flags.output, this.context());
    if (file === undefined) {
      const lines = draftLines(drafts);
      // JSON escapes only some of the characters that control a terminal.
      this.write(process.stdout.isTTY ? safeJson(lines) : lines);
    } else writeDraftFile(file, drafts, flags.force);
    this.note(renderDrafts(drafts.length, generate, file));
    return { agent: memory.agentId, seed, file: file ?? null, drafts };
  }
}

/** On a terminal, a line on stderr that redraws itself; elsewhere plain lines, one per variant and those of indexing. */
function createProgress(options: SyncProgressOptions, mask: SecretMask): ProgressLine<EvalEvent> {
  const { terminal, quiet, verbose } = options;
  const style = createStyle(terminal.progress);
  const draws = terminal.progress && !quiet && !verbose;
  const asking = draws
    ? createEvalProgress(writeStderr, { style, columns: terminal.columns, now: runningMs })
    : undefined;
  // The progress of each index starts over.
  let indexing: ProgressLine | undefined;
  const onEvent = (event: EvalEvent): void => {
    asking?.onEvent(event);
    if (event.type === 'trial.started' && !draws && !quiet) writeStderr(`asking: ${event.name}\n`);
    if (event.type !== 'sync') return;
    indexing ??= createLazySyncProgress(options);
    indexing.onEvent(event.event);
    if (event.event.type !== 'sync.finished') return;
    indexing.clear();
    indexing = undefined;
  };
  return {
    onEvent: (event) => onEvent(mask.data(event)),
    clear: () => {
      indexing?.clear();
      asking?.clear();
    },
  };
}
