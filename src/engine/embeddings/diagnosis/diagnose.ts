import { ADAPTER_FACTS } from '../adapter-facts.js';
import type { EmbeddingAdapter } from '../embedding-adapter.js';
import { shownAddress } from '../shown-address.js';
import {
  CHECKS,
  type CheckName,
  type CheckOutcome,
  type Diagnosis,
  type DiagnosisEvent,
} from './events.js';
import {
  checkBatch,
  checkEmbed,
  checkEndpoint,
  checkFallback,
  checkKey,
  checkSelected,
  failure,
} from './provider-checks.js';
import type { DiagnosedProvider, DiagnosisSubject } from './subject.js';

/** How a diagnosis is watched and ended, and what is looked at besides the provider. */
export interface DiagnoseOptions {
  readonly signal: AbortSignal;
  readonly onEvent: (event: DiagnosisEvent) => void;
  /**
   * Looks at the vectors of the index; undefined where there is none to look at.
   *
   * @param opened the chosen provider, or undefined when it could not be opened
   */
  readonly checkVectors?:
    | ((opened: Promise<EmbeddingAdapter | undefined>) => Promise<CheckOutcome>)
    | undefined;
}

/**
 * Walks the way from a question to its vector and really embeds a word. What does not depend on each
 * other is looked at side by side; what cannot be tried because of an earlier failure is `off`.
 *
 * @throws the signal's reason; what fails at a provider is in the outcome
 */
export async function diagnose(
  subject: DiagnosisSubject,
  { signal, onEvent, checkVectors }: DiagnoseOptions,
): Promise<Diagnosis> {
  const outcomes = new Map<CheckName, CheckOutcome>();
  const check = async (
    name: CheckName,
    look: () => Promise<CheckOutcome>,
  ): Promise<CheckOutcome> => {
    onEvent({ type: 'check.started', check: name });
    const outcome = await look();
    signal.throwIfAborted();
    outcomes.set(name, outcome);
    onEvent({ type: 'check.finished', check: name, outcome });
    return outcome;
  };
  signal.throwIfAborted();
  const { primary, fallback, scope } = subject;
  const checks = [check('selected', () => checkSelected(subject))];
  if (primary !== undefined) {
    const way = walk(primary, subject, check, signal);
    checks.push(
      way.done,
      check('batch', () => checkBatch(primary, subject)),
    );
    if (scope === 'path') {
      checks.push(check('fallback', () => checkFallback(fallback, primary, signal)));
    }
    if (checkVectors !== undefined) checks.push(check('vectors', () => checkVectors(way.opened)));
  }
  // One that throws must not leave the others running unheard.
  const settled = await Promise.allSettled(checks);
  for (const one of settled) if (one.status === 'rejected') throw one.reason;
  const diagnosis = conclude(primary, outcomes);
  onEvent({ type: 'diagnosis.finished', diagnosis });
  return diagnosis;
}

type Check = (name: CheckName, look: () => Promise<CheckOutcome>) => Promise<CheckOutcome>;

/** Key, address, embedding: each needs the one before. */
function walk(
  primary: DiagnosedProvider,
  subject: DiagnosisSubject,
  check: Check,
  signal: AbortSignal,
): {
  readonly done: Promise<CheckOutcome>;
  readonly opened: Promise<EmbeddingAdapter | undefined>;
} {
  const { choice } = primary;
  const { model: usualModel, endpoint: usualEndpoint } = ADAPTER_FACTS[choice.adapter];
  const model = choice.model ?? usualModel ?? choice.provider;
  const address = shownAddress(choice.baseUrl ?? usualEndpoint ?? choice.adapter);
  const key = check('key', () => checkKey(primary, subject, signal));
  const opening = key.then(async ({ state }) =>
    state === 'failed' ? NO_KEY : openedOrFailure(primary, model, signal),
  );
  const opened = opening.then((result) => ('identity' in result ? result : undefined));
  // Whoever waits for the outcome of the walk hears of it; the others need not.
  opened.catch(() => undefined);
  const done = opening.then(async (result) => {
    if (!('identity' in result)) {
      await check('endpoint', async () => ({ ...NOT_TRIED, text: address }));
      return check('embed', async () => ({ text: model, ...result }));
    }
    const hasKey = choice.credential.state === 'found';
    const endpoint = await check('endpoint', () => checkEndpoint(result.endpoint, hasKey, signal));
    if (endpoint.state === 'failed') {
      return check('embed', async () => ({ ...NOT_TRIED, text: result.model }));
    }
    return check('embed', () => checkEmbed(result, signal));
  });
  return { done, opened };
}

const NOT_TRIED = { state: 'off', note: 'not tried' } as const;
const NO_KEY: Omit<CheckOutcome, 'text'> = NOT_TRIED;

async function openedOrFailure(
  primary: DiagnosedProvider,
  text: string,
  signal: AbortSignal,
): Promise<EmbeddingAdapter | Omit<CheckOutcome, 'text'>> {
  try {
    return await primary.open(signal);
  } catch (error) {
    signal.throwIfAborted();
    return failure(text, error);
  }
}

function conclude(
  primary: DiagnosedProvider | undefined,
  outcomes: ReadonlyMap<CheckName, CheckOutcome>,
): Diagnosis {
  const works = (name: CheckName): boolean => outcomes.get(name)?.state === 'ok';
  const usable = works('embed') ? 'primary' : works('fallback') ? 'fallback' : null;
  return {
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
