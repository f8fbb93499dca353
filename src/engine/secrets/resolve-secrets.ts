import type { SecretInput } from '../config/index.js';
import { SvcError } from '../errors/index.js';
import { groupBy } from '../support/lists.js';
import {
  type EnvProvider,
  type Inquiry,
  placeOf,
  type SecretContext,
  SecretFault,
  type SecretLookup,
  type SecretProvider,
  type SecretReference,
} from './secret-context.js';

export type SecretOutcome =
  | { readonly ok: true; readonly value: string }
  | { readonly ok: false; readonly error: SvcError };

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
 * The values of several secrets, in order. Each provider is asked once; when that fails, all its
 * references fail (facts §3.3).
 *
 * @throws the signal's reason
 */
export async function resolveSecrets(
  inputs: readonly SecretInput[],
  context: SecretContext,
): Promise<readonly SecretOutcome[]> {
  const outcomes = inputs.map((input): SecretOutcome | undefined =>
    input.kind === 'plain' ? { ok: true, value: input.value } : undefined,
  );
  const references = inputs.flatMap((input, at) =>
    input.kind === 'plain' ? [] : [{ at, ...input }],
  );
  const groups = groupBy(references, ({ source, provider }) => `${source}:${provider}`);
  const limit = context.settings.resolution.maxProviderConcurrency;
  await inParallel([...groups.values()], limit, async (group) => {
    const [{ source, provider }] = group;
    const ids = [...new Set(group.map(({ id }) => id))];
    const lookup = await askSafely({ source, provider, ids }, context);
    for (const { at, ...reference } of group) outcomes[at] = outcomeOf(reference, lookup);
  });
  const settled = outcomes.filter((outcome) => outcome !== undefined);
  for (const outcome of settled) if (outcome.ok) context.onSecret?.(outcome.value);
  return settled;
}

/** A fault of the provider is the answer for every id. */
async function askSafely(inquiry: Inquiry, context: SecretContext): Promise<SecretLookup> {
  context.signal?.throwIfAborted();
  try {
    return await askProvider(inquiry, context);
  } catch (error) {
    if (error instanceof SecretFault) return () => error;
    throw error;
  }
}

/** Files and variables often end with a line break, which is not part of the secret: no header can carry it. */
function outcomeOf(reference: SecretReference, lookup: SecretLookup): SecretOutcome {
  const { source, provider, id } = reference;
  const answer = lookup(id);
  const value = typeof answer === 'string' ? answer.trim() : answer;
  if (typeof value === 'string' && value !== '') return { ok: true, value };
  const fault =
    value === '' ? new SecretFault('the value is blank', 'set it to the secret') : value;
  const message = `cannot resolve ${describeSecret(reference)}: ${fault.message}`;
  const details = { source, provider, id };
  return {
    ok: false,
    error: new SvcError('SECRET_UNRESOLVED', message, { hint: fault.hint, details }),
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

/**
 * The provider of an alias. The default alias for variables needs no entry (facts §3.2).
 *
 * @throws SecretFault where there is none, or one with another source
 */
export function findProvider(
  { source, provider: alias }: Inquiry,
  settings: SecretContext['settings'],
): SecretProvider {
  // "constructor" is a valid alias.
  const provider = Object.hasOwn(settings.providers, alias) ? settings.providers[alias] : undefined;
  if (provider === undefined) {
    if (source === 'env' && alias === settings.defaults.env) return { source };
    throw new SecretFault(
      `there is no secret provider "${alias}"`,
      `add ${placeOf(alias)} with source "${source}"${orAnother(source, settings)}`,
    );
  }
  if (provider.source === source) return provider;
  throw new SecretFault(
    `the secret provider "${alias}" has the source "${provider.source}", not "${source}"`,
    `use "source": "${provider.source}" in the reference${orAnother(source, settings)}`,
  );
}

function orAnother(source: Inquiry['source'], settings: SecretContext['settings']): string {
  const fitting = Object.entries(settings.providers)
    .filter(([, provider]) => provider.source === source)
    .map(([alias]) => alias);
  return fitting.length === 0 ? '' : `, or use another provider: ${fitting.join(', ')}`;
}

/** Looks up variables that the provider allows. */
export function envLookup(
  provider: EnvProvider,
  alias: string,
  env: SecretContext['env'],
): SecretLookup {
  const { allowlist } = provider;
  return (name) => {
    if (allowlist !== undefined && !allowlist.includes(name)) {
      return new SecretFault(
        `the allowlist of the secret provider "${alias}" does not include this variable`,
        `add "${name}" to ${placeOf(alias)}.allowlist`,
      );
    }
    const value = env[name];
    if (value !== undefined && value !== '') return value;
    return new SecretFault(
      value === undefined ? 'the variable is not set' : 'the variable is empty',
      `set ${name} in the environment that svc runs in`,
    );
  };
}

const DEFAULT_ALIAS = 'default';

/**
 * The name of a secret in messages: `env OPENAI_API_KEY`, `file vault:/providers/openai`,
 * `exec pass:api/key`, `plain text`.
 */
export function describeSecret(input: SecretInput): string {
  if (input.kind === 'plain') return 'plain text';
  const { source, provider, id } = input;
  if (source === 'env' && provider === DEFAULT_ALIAS) return `env ${id}`;
  return `${source} ${provider}:${id}`;
}

/**
 * Asks one provider. Code for files and programs is loaded lazily, since every search may read a key
 * from a variable.
 *
 * @throws SecretFault when the provider fails; the signal's reason
 */
async function askProvider(inquiry: Inquiry, context: SecretContext): Promise<SecretLookup> {
  const { settings, env, signal } = context;
  const { ids, provider: alias } = inquiry;
  const provider = findProvider(inquiry, settings);
  const { maxRefsPerProvider } = settings.resolution;
  if (ids.length > maxRefsPerProvider) {
    throw new SecretFault(
      `the secret provider "${alias}" is asked for ${ids.length} secrets at once; the limit is ${maxRefsPerProvider}`,
      `run "svc config set secrets.resolution.maxRefsPerProvider ${ids.length}", or use a second provider`,
    );
  }
  switch (provider.source) {
    case 'env':
      return envLookup(provider, alias, env);
    case 'file': {
      const { fileLookup } = await import('./file-lookup.js');
      return fileLookup(provider, alias, signal);
    }
    case 'exec': {
      const { programLookup } = await import('./program-lookup.js');
      return programLookup(provider, inquiry, context);
    }
  }
}
