import { defaultAgentId, type LoadedConfig } from '../../engine/config/index.js';
import {
  type DreamRunOutput,
  type DreamTarget,
  dreamTargets,
  type EvaluationOutput,
  type FailedSweepOutput,
  type Narrator,
  PHASES,
  type PhaseName,
  runSweep,
  type SweepEvent,
  type SweepPreview,
  type SweepSummaryOutput,
  sweepSummaryOutput,
  workspaceOutput,
} from '../../engine/dreaming/index.js';
import { SvcError } from '../../engine/errors/index.js';
import { deferred } from '../../engine/support/async.js';
import { formatCountOf } from '../../engine/support/format.js';
import { renderRun } from '../../ui/dream/sweeps.js';
import { evaluationWords, phaseWords } from '../../ui/dream/words.js';
import { shownPath } from '../../ui/safe-text.js';
import { runSteps, type Step, type StepsOptions, type StepTrouble } from '../steps.js';
import { DreamCommand } from './dream-command.js';

interface SweepRequest {
  /** Only this agent's workspace; default: those of all agents. */
  readonly agent: string | undefined;
  /** Only these phases; default: all that are enabled. */
  readonly only: readonly PhaseName[] | undefined;
  readonly dryRun: boolean;
  /** Whether to return the REM phase's report. */
  readonly remReport: boolean;
}

/** What writes the diary of a sweep, and how the sweep is shown. */
interface SweepView {
  readonly narrator: Narrator | undefined;
  /** Prefix of every line. */
  readonly before: string;
  readonly steps: StepsOptions;
}

/** Base of the commands that run sweeps. */
export abstract class SweepCommand extends DreamCommand {
  /** Sweeps the workspaces in turn, whether or not one fails. @throws SvcError INTERRUPTED */
  protected async sweep(request: SweepRequest): Promise<DreamRunOutput> {
    const loaded = await this.loadConfig();
    const targets = dreamTargets(loaded, this.context(), request.agent);
    const steps = this.stepsOptions();
    if (!request.dryRun) this.interruptHint = 'finished phases are kept; run it again for the rest';
    const sweeps: (FailedSweepOutput | SweepSummaryOutput)[] = [];
    for (const target of targets) {
      const name = shownPath(target.workspace.dir, this.context().homeDir);
      const before = targets.length === 1 ? '' : `${name} · `;
      try {
        const narrator = request.dryRun ? undefined : await this.openNarrator(loaded);
        sweeps.push(await this.sweepOne(target, request, { narrator, before, steps }));
      } catch (error) {
        if (error instanceof SvcError && error.code === 'INTERRUPTED') throw error;
        const why = this.noteFailure(target.agents.join(', '), error);
        sweeps.push({ ...workspaceOutput(target), ok: false, error: why });
      }
    }
    const output = { ok: sweeps.every(({ ok }) => ok), dryRun: request.dryRun, sweeps };
    // Do not print the phases twice if stdout and stderr are the same terminal.
    const phasesShown = !steps.quiet && process.stdout.isTTY && process.stderr.isTTY;
    const defaultAgent = defaultAgentId(loaded.resolved);
    this.write(renderRun(output, { ...this.view(), defaultAgent, phasesShown }));
    if (!output.ok) this.setExitCode(1);
    return output;
  }

  /** Opens the configured model, if there is one. */
  private async openNarrator(loaded: LoadedConfig): Promise<Narrator | undefined> {
    const { openNarrator } = await import('../../engine/dreaming/narrator.js');
    const { narrator, warnings } = await openNarrator(loaded, this.context(), this.signal);
    this.addWarnings(warnings);
    return narrator;
  }

  private async sweepOne(
    target: DreamTarget,
    { only, dryRun, ...request }: SweepRequest,
    { narrator, before, steps }: SweepView,
  ): Promise<SweepSummaryOutput> {
    const events = createSweepSteps(before);
    let remReport: string | undefined;
    const sweeping = runSweep({
      ...target,
      clock: this.context().clock,
      trigger: 'manual',
      only,
      dryRun,
      narrator,
      signal: this.signal,
      onEvent: (event) => {
        events.show(this.mask.data(event));
        if (event.type === 'phase.reported' && event.phase === 'rem') remReport = event.report;
      },
    });
    sweeping.catch((error: unknown) => events.fail(error));
    const diary: Step = {
      title: `${before}diary`,
      run: async () => {
        await sweeping;
        return `${before}diary`;
      },
    };
    // Without a model the diary takes no time.
    const allSteps = narrator === undefined ? events.steps : [...events.steps, diary];
    // A list that is still on the terminal when the sweep fails draws over what is printed next.
    await runSteps(allSteps, steps);
    const summary = await sweeping;
    const { preview } = summary;
    let evaluation: EvaluationOutput | undefined;
    if (preview !== undefined && preview.files.length > 0) {
      const run: Step['run'] = async () => {
        evaluation = await this.evaluate(target, preview);
        return evaluation === undefined
          ? 'searches: nothing to compare'
          : evaluationWords(evaluation);
      };
      await runSteps([{ title: 'comparing searches', run }], steps);
    }
    return sweepSummaryOutput(target, summary, {
      evaluation,
      remReport: request.remReport ? remReport : undefined,
    });
  }

  /** Compares searches without and with what a dry run planned. */
  private async evaluate(
    target: DreamTarget,
    preview: SweepPreview,
  ): Promise<EvaluationOutput | undefined> {
    const { evaluatePreview, isWorse } = await import('./evaluate-preview.js');
    const options = { context: this.context(), signal: this.signal };
    const evaluation = await evaluatePreview(target, preview, options);
    if (evaluation !== undefined && isWorse(evaluation)) {
      this.addWarning({
        code: 'DREAM_EVALUATION_WORSE',
        message: `${target.agents.join(', ')}: ${evaluationWords(evaluation)}`,
        hint: 'check the promotions with "svc dream candidates", or raise phases.deep.maxMemoryChars',
      });
    }
    return evaluation;
  }
}

/** Progress of one sweep, driven by its events. @param before prefix of every line */
function createSweepSteps(before: string) {
  const names: readonly ('searches' | PhaseName)[] = ['searches', ...PHASES];
  const ends = new Map(names.map((name) => [name, deferred<StepTrouble | string>()]));
  const listeners = new Set<Parameters<Step['run']>[0]>();
  let isWaiting = false;
  const steps = [...ends].map(([name, { promise }]): Step => {
    const run: Step['run'] = (onNote) => {
      listeners.add(onNote);
      if (isWaiting) onNote(WAITING);
      return promise;
    };
    return { title: `${before}${name}`, run };
  });
  const show = (event: SweepEvent): void => {
    if (event.type === 'sweep.waiting') {
      isWaiting = true;
      for (const onNote of listeners) onNote(WAITING);
    }
    if (event.type === 'sweep.started') isWaiting = false;
    if (event.type === 'recalls.ingested') {
      const searches = formatCountOf(event.searches, 'new search', 'new searches');
      ends.get('searches')?.resolve(`${before}${searches}`);
    }
    if (event.type === 'phase.ended') {
      const words = `${before}${event.phase}: ${phaseWords(event.record)}`;
      const hasFailed = event.record.state === 'failed';
      ends.get(event.phase)?.resolve(hasFailed ? { trouble: words } : words);
    }
  };
  const fail = (error: unknown): void => {
    for (const { reject } of ends.values()) reject(error);
  };
  return { steps, show, fail };
}

const WAITING = { key: 'waiting', text: 'waiting for another sweep of this workspace' };
