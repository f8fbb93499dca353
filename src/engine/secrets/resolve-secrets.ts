import type { SecretInput } from '../config/index.js';
import { SvcError } from '../errors/index.js';
import { askProvider } from './ask-provider.js';
import { describeSecret } from './describe-secret.js';
import type { Inquiry, SecretContext, SecretReference } from './secret-context.js';
import { SecretFault, type SecretLookup } from './secret-fault.js';

/** What became of one secret. */
export type SecretOutcome =
  | { readonly ok: true; readonly value: string }
  | { readonly ok: false; readonly error: SvcError };

/** References to one provider, with their places in the list that was given. */
interface Group extends Inquiry {
  readonly members: readonly { readonly at: number; readonly reference: SecretReference }[];
}

/**
 * The value of a secret; plain text is returned as it is.
 *
 * @throws SvcError SECRET_UNRESOLVED, with the reference in `details`; or the signal's reason
 */
export async function resolveSecret(input: SecretInput, context: SecretContext): Promise<string> {
  if (input.kind === 'plain') {
    context.onSecret?.(input.value);
    return input.value;
  }
  const { source, provider, id } = input;
  const lookup = await askSafely({ source, provider, ids: [id] }, context);
  const outcome = outcomeOf(input, lookup);
  if (outcome.ok) {
    context.onSecret?.(outcome.value);
    return outcome.value;
  }
  throw outcome.error;
}

/**
 * The values of several secrets, in their order. Each provider is asked once: its program runs
 * once, its file is read once, and when that fails all its references fail (facts §3.3).
 *
 * @throws the signal's reason, and nothing else that can be expected
 */
export async function resolveSecrets(
  inputs: readonly SecretInput[],
  context: SecretContext,
): Promise<readonly SecretOutcome[]> {
  const outcomes = inputs.map((input): SecretOutcome | undefined =>
    input.kind === 'plain' ? { ok: true, value: input.value } : undefined,
  );
  const limit = context.settings.resolution.maxProviderConcurrency;
  await inParallel(groupByProvider(inputs), limit, async (group) => {
    const lookup = await askSafely(group, context);
    for (const { at, reference } of group.members) outcomes[at] = outcomeOf(reference, lookup);
  });
  const settled = outcomes.filter((outcome) => outcome !== undefined);
  for (const outcome of settled) if (outcome.ok) context.onSecret?.(outcome.value);
  return settled;
}

function groupByProvider(inputs: readonly SecretInput[]): readonly Group[] {
  const groups = new Map<string, { at: number; reference: SecretReference }[]>();
  for (const [at, input] of inputs.entries()) {
    if (input.kind === 'plain') continue;
    const key = `${input.source}:${input.provider}`;
    const members = groups.get(key);
    if (members === undefined) groups.set(key, [{ at, reference: input }]);
    else members.push({ at, reference: input });
  }
  return [...groups.values()].flatMap((members) => {
    const first = members[0]?.reference;
    if (first === undefined) return [];
    const ids = [...new Set(members.map(({ reference }) => reference.id))];
    return [{ source: first.source, provider: first.provider, ids, members }];
  });
}

/** A fault of the provider as a whole is the answer to every id. */
async function askSafely(inquiry: Inquiry, context: SecretContext): Promise<SecretLookup> {
  context.signal?.throwIfAborted();
  try {
    return await askProvider(inquiry, context);
  } catch (error) {
    if (error instanceof SecretFault) return () => error;
    throw error;
  }
}

function outcomeOf(reference: SecretReference, lookup: SecretLookup): SecretOutcome {
  const { source, provider, id } = reference;
  const answer = lookup(id);
  if (typeof answer === 'string') return { ok: true, value: answer };
  const message = `cannot resolve ${describeSecret(reference)}: ${answer.message}`;
  const details = { source, provider, id };
  return {
    ok: false,
    error: new SvcError('SECRET_UNRESOLVED', message, { hint: answer.hint, details }),
  };
}

async function inParallel<Item>(
  items: readonly Item[],
  limit: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  // All workers draw from one iterator.
  const queue = items.values();
  const worker = async (): Promise<void> => {
    for (const item of queue) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
}
