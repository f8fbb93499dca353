import type { Clock } from '../../engine/context.js';
import type { DreamTarget } from '../../engine/dreaming/dream-targets.js';
import type { Narrator } from '../../engine/dreaming/model/narrator.js';
import { placeOutput, sweptOutput } from '../../engine/dreaming/output.js';
import type {
  DreamRunOutput,
  NotSweptOutput,
  SweptOutput,
} from '../../engine/dreaming/output-schemas.js';
import { PHASES, type PhaseName } from '../../engine/dreaming/store/sweep-records.js';
import { runSweep } from '../../engine/dreaming/sweep/run-sweep.js';
import type { SweepEvent } from '../../engine/dreaming/sweep/sweep-events.js';
import { SvcError } from '../../engine/errors/index.js';
import type { SecretMask } from '../../engine/secrets/mask/secret-mask.js';
import { phaseWords } from '../../ui/dream/words.js';
import { formatCountOf } from '../../ui/format.js';
import { shownPath } from '../../ui/shown-path.js';
import { runSteps, type Step, type StepsOptions, type StepTrouble } from '../steps.js';

/** Which sweeps are run, and how they are shown. */
export interface ShownSweepsOptions {
  /** Only these phases; all that are switched on when absent. */
  readonly only: readonly PhaseName[] | undefined;
  readonly dryRun: boolean;
  /** Whether the answer holds what the REM phase saw. */
  readonly remReport: boolean;
  readonly clock: Clock;
  readonly homeDir: string;
  readonly signal: AbortSignal;
  readonly steps: StepsOptions;
  readonly mask: SecretMask;
  /** Opens the model that words a sweep, where one is configured. */
  readonly openNarrator: () => Promise<Narrator | undefined>;
  /** Says why a workspace got no sweep. */
  readonly failed: (target: DreamTarget, error: unknown) => NotSweptOutput['error'];
}

/**
 * Sweeps one workspace after the other while the person watches. One that fails does not keep the others
 * from theirs.
 *
 * @throws SvcError INTERRUPTED
 */
export async function shownSweeps(
  targets: readonly DreamTarget[],
  options: ShownSweepsOptions,
): Promise<DreamRunOutput> {
  const sweeps: (NotSweptOutput | SweptOutput)[] = [];
  for (const target of targets) {
    try {
      sweeps.push(await shownSweep(target, options, targets.length === 1));
    } catch (error) {
      if (error instanceof SvcError && error.code === 'INTERRUPTED') throw error;
      const why = options.failed(target, error);
      sweeps.push({ ...placeOutput(target), ok: false, error: why });
    }
  }
  return { ok: sweeps.every(({ ok }) => ok), dryRun: options.dryRun, sweeps };
}

async function shownSweep(
  target: DreamTarget,
  options: ShownSweepsOptions,
  isAlone: boolean,
): Promise<SweptOutput> {
  const { workspace, settings, reach, timeZone } = target;
  const { clock, only, dryRun, signal, homeDir, mask } = options;
  const events = new SweepSteps(isAlone ? '' : `${shownPath(workspace.dir, homeDir)} · `);
  let remReport: string | undefined;
  const narrator = dryRun ? undefined : await options.openNarrator();
  const sweeping = runSweep(workspace, {
    settings,
    reach,
    timeZone,
    clock,
    trigger: 'manual',
    only,
    dryRun,
    narrator,
    signal,
    onEvent: (event) => {
      events.tell(mask.data(event));
      if (event.type === 'phase.reported' && event.phase === 'rem') remReport = event.report;
    },
  });
  sweeping.catch((error: unknown) => events.fail(error));
  const [summary] = await Promise.all([sweeping, runSteps(events.steps, options.steps)]);
  return sweptOutput(target, summary, options.remReport ? remReport : undefined);
}

type StepName = 'searches' | PhaseName;

/** The steps of one sweep, each done when the sweep tells so. */
class SweepSteps {
  readonly steps: readonly Step[];
  private readonly ends = new Map<StepName, Ending>();
  private readonly says = new Set<Parameters<Step['run']>[0]>();
  private isWaiting = false;

  /** @param before what stands before every line */
  constructor(before: string) {
    const step = (name: StepName): Step => {
      const ending = createEnding();
      this.ends.set(name, ending);
      const run: Step['run'] = async (say) => {
        this.says.add(say);
        if (this.isWaiting) say(WAITING);
        const done = await ending.ended;
        return typeof done === 'string' ? before + done : { trouble: before + done.trouble };
      };
      return { title: `${before}${name}`, run };
    };
    this.steps = [step('searches'), ...PHASES.map(step)];
  }

  tell(event: SweepEvent): void {
    if (event.type === 'sweep.waiting') {
      this.isWaiting = true;
      for (const say of this.says) say(WAITING);
    }
    if (event.type === 'sweep.started') this.isWaiting = false;
    if (event.type === 'recalls.ingested') {
      const count = formatCountOf(event.searches, 'new search', 'new searches');
      this.ends.get('searches')?.end(`${count} taken in`);
    }
    if (event.type === 'phase.ended') {
      const words = `${event.phase}: ${phaseWords(event.record)}`;
      const hasFailed = event.record.state === 'failed';
      this.ends.get(event.phase)?.end(hasFailed ? { trouble: words } : words);
    }
  }

  fail(error: unknown): void {
    for (const { fail } of this.ends.values()) fail(error);
  }
}

const WAITING = { key: 'waiting', text: 'waiting for another sweep of this workspace' };

interface Ending {
  readonly ended: Promise<StepTrouble | string>;
  readonly end: (words: StepTrouble | string) => void;
  readonly fail: (error: unknown) => void;
}

function createEnding(): Ending {
  let end: Ending['end'] = () => undefined;
  let fail: Ending['fail'] = () => undefined;
  const ended = new Promise<StepTrouble | string>((resolve, reject) => {
    end = resolve;
    fail = reject;
  });
  // A step that was not come to hears of the failure from nobody.
  ended.catch(() => undefined);
  return { ended, end, fail };
}
