import { PROVIDERS } from '../../providers/registry.js';
import { shownAddress } from '../../providers/vendor-fault.js';
import type { Clock } from '../../support/context.js';
import { chooseNamed } from '../choose-provider.js';
import { shownModel } from '../describe-provider.js';
import type { EmbeddingAdapter } from '../embedding-adapter.js';
import { openProvider } from '../open-provider.js';
import type { CheckName, CheckOutcome, Diagnosis } from '../output-schemas.js';
import type { AgentProviders } from '../provider-world.js';
import { CHECKS } from './check-names.js';
import {
  checkBatch,
  checkEmbed,
  checkEndpoint,
  checkFallback,
  checkKey,
  checkSelected,
  type DiagnosedProvider,
  type DiagnosisSubject,
  orFailure,
} from './provider-checks.js';

/** Progress of a diagnosis. */
export type DiagnosisEvent =
  | { readonly type: 'check.started'; readonly check: CheckName }
  | {
      readonly type: 'check.finished';
      readonly check: CheckName;
      readonly outcome: CheckOutcome;
    }
  | { readonly type: 'diagnosis.finished'; readonly diagnosis: Diagnosis };

/** What a diagnosis reports to while it runs. */
export interface DiagnosisWork {
  readonly signal: AbortSignal;
  readonly onEvent: (event: DiagnosisEvent) => void;
}

export interface DiagnoseOptions extends DiagnosisWork {
  /**
   * Checks the vectors of the index, if there is one.
   *
   * @param opened undefined if the provider could not be opened
   */
  readonly checkVectors?:
    | ((opened: Promise<EmbeddingAdapter | undefined>) => Promise<VectorsOutcome>)
    | undefined;
  readonly checkRerank?: (() => Promise<CheckOutcome>) | undefined;
}

export interface VectorsOutcome extends CheckOutcome {
  /** Who answers searches of this index; undefined if it has no vectors yet. */
  readonly usable?: Diagnosis['usable'];
}

/**
 * Checks each step from a query to its vector and embeds a word. Independent checks run
 * concurrently; those made pointless by an earlier failure are `off`.
 *
 * @throws the signal's reason; provider failures are in the outcome
 */
export async function diagnose(
  subject: DiagnosisSubject,
  { signal, onEvent, checkVectors, checkRerank }: DiagnoseOptions,
): Promise<Diagnosis> {
  const outcomes = new Map<CheckName, CheckOutcome>();
  const check: Check = async (name, run) => {
    onEvent({ type: 'check.started', check: name });
    const outcome = await run();
    signal.throwIfAborted();
    outcomes.set(name, outcome);
    onEvent({ type: 'check.finished', check: name, outcome });
    return outcome;
  };
  signal.throwIfAborted();
  const { primary, scope } = subject;
  let usable: Diagnosis['usable'] | undefined;
  const checks = [check('selected', () => checkSelected(subject))];
  if (primary !== undefined) {
    const primaryPath = checkSteps(primary, subject, check, signal);
    checks.push(
      primaryPath.done,
      check('batch', () => checkBatch(primary, subject)),
    );
    if (scope === 'path') {
      checks.push(check('fallback', () => checkFallback(subject, signal)));
    }
    if (checkVectors !== undefined) {
      const checkStored = async (): Promise<CheckOutcome> => {
        const { usable: answers, ...outcome } = await checkVectors(primaryPath.opened);
        usable = answers;
        return outcome;
      };
      checks.push(check('vectors', checkStored));
    }
  }
  if (checkRerank !== undefined) checks.push(check('rerank', checkRerank));
  // A check that throws must not leave others running.
  const settled = await Promise.allSettled(checks);
  for (const one of settled) if (one.status === 'rejected') throw one.reason;
  const diagnosis = conclude(subject, outcomes, usable);
  onEvent({ type: 'diagnosis.finished', diagnosis });
  return diagnosis;
}

type Check = (name: CheckName, run: () => Promise<CheckOutcome>) => Promise<CheckOutcome>;

/**
 * Checks the key, embedding and the address, each after the other. The address comes last, since what
 * counts is whether embedding works, perhaps through a proxy.
 *
 * @returns `opened` resolves as soon as the provider is open, for other checks
 */
function checkSteps(
  primary: DiagnosedProvider,
  subject: DiagnosisSubject,
  check: Check,
  signal: AbortSignal,
): {
  readonly done: Promise<CheckOutcome>;
  readonly opened: Promise<EmbeddingAdapter | undefined>;
} {
  const { choice } = primary;
  const { outputDimensionality } = subject.settings;
  const wanted = choice.isPrimary && subject.scope === 'path' ? outputDimensionality : undefined;
  const model = shownModel(choice, subject.settings) ?? choice.provider;
  const usual = PROVIDERS[choice.adapter].endpoint ?? choice.adapter;
  const address = shownAddress(choice.baseUrl ?? usual);
  const key = check('key', () => checkKey(primary, subject, signal));
  const opening = key.then(async ({ state }) =>
    state === 'failed'
      ? { ...NOT_TRIED, text: model }
      : orFailure(model, signal, () => primary.open(signal)),
  );
  const opened = opening.then((result) => ('identity' in result ? result : undefined));
  // `done` reports the failure.
  opened.catch(() => undefined);
  const done = opening.then(async (result) => {
    if (!('identity' in result)) {
      await check('endpoint', async () => ({ ...NOT_TRIED, text: address }));
      return check('embed', async () => result);
    }
    const embedded = await check('embed', () => checkEmbed(result, wanted, signal));
    const provider = {
      hasKey: choice.credential.state === 'found',
      works: embedded.state === 'ok',
    };
    await check('endpoint', () => checkEndpoint(result.endpoint, provider, signal));
    return embedded;
  });
  return { done, opened };
}

const NOT_TRIED = { state: 'off', note: 'not tried' } as const;

function conclude(
  { primary, scope }: DiagnosisSubject,
  outcomes: ReadonlyMap<CheckName, CheckOutcome>,
  answers: Diagnosis['usable'] | undefined,
): Diagnosis {
  const works = (name: CheckName): boolean => outcomes.get(name)?.state === 'ok';
  const embeds = works('embed') ? 'primary' : works('fallback') ? 'fallback' : null;
  // A query may be embedded with an earlier model, but searches embed passages first, which fails.
  const isEarlier = answers === 'primary' && !works('embed');
  const usable = answers === undefined || isEarlier ? embeds : answers;
  return {
    scope,
    ok: primary === undefined || usable !== null,
    usable,
    provider: primary?.choice.provider ?? null,
    adapter: primary?.choice.adapter ?? null,
    checks: CHECKS.flatMap((check) => {
      const outcome = outcomes.get(check);
      return outcome === undefined ? [] : [{ check, ...outcome }];
    }),
  };
}

/**
 * Checks one provider, whatever is configured.
 *
 * @param name an adapter's id or kind, or the id of a `models.providers` entry
 * @throws SvcError PROVIDER_UNKNOWN; the signal's reason
 */
export async function diagnoseNamed(
  name: string,
  { settings, world, locate }: AgentProviders,
  work: DiagnosisWork & { readonly clock: Clock },
): Promise<Diagnosis> {
  const choice = chooseNamed(name, settings, world);
  let opened: EmbeddingAdapter | undefined;
  const primary: DiagnosedProvider = {
    choice,
    open: async (signal) => {
      opened = await openProvider(choice, { settings, world, clock: work.clock, signal });
      return opened;
    },
  };
  const subject = {
    settings,
    world,
    locate,
    primary,
    fallback: undefined,
    scope: 'named',
  } as const;
  try {
    return await diagnose(subject, work);
  } finally {
    await opened?.close();
  }
}
