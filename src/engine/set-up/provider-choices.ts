import { lstatSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ENV_NAME, referencedVariable } from '../config/index.js';
import { connectTo } from '../embeddings/diagnosis/provider-checks.js';
import { type AgentProviders, chooseNamed, type ListedProvider } from '../embeddings/index.js';
import { listProviders } from '../embeddings/list-providers.js';
import { SvcError, systemReason } from '../errors/index.js';
import { PROVIDERS } from '../providers/registry.js';
import { withProcessLock } from '../sqlite/process-lock.js';
import { anySignal } from '../support/async.js';
import { makeFolders, PRIVATE_MODE } from '../support/files.js';
import { replaceFile } from '../support/replace-file.js';
import { isRecord } from '../support/text.js';

/** Where the key of the chosen provider comes from. */
export type KeyChoice =
  /** No key is needed, or the configuration has one. */
  | { readonly kind: 'unchanged' }
  /** A variable of the environment. */
  | { readonly kind: 'variable'; readonly name: string }
  /** The key itself, to be stored in the secrets file. */
  | { readonly kind: 'literal'; readonly value: string };

/** The key that a provider has before anything is asked. */
export type KeyState =
  | KeyChoice
  | { readonly kind: 'missing'; readonly hint: string }
  /** A custom endpoint, which may need a key. */
  | { readonly kind: 'unknown' };

/** The key that a provider has before anything is asked. @throws SvcError PROVIDER_UNKNOWN */
export function keyState(
  name: string,
  { settings, world }: Pick<AgentProviders, 'settings' | 'world'>,
): KeyState {
  const { credential, adapter } = chooseNamed(name, settings, world);
  if (credential.state === 'missing') return { kind: 'missing', hint: credential.hint };
  const { key, runsOn } = PROVIDERS[adapter];
  if (credential.state === 'not_needed' && key.required) return { kind: 'unknown' };
  // The variable of a local server is a placeholder that should not be sent elsewhere.
  if (credential.state !== 'found' || runsOn === 'server') return { kind: 'unchanged' };
  const { input, source } = credential;
  const isFromEnvironment = input.kind === 'reference' && source === `env ${input.id}`;
  return isFromEnvironment ? { kind: 'variable', name: input.id } : { kind: 'unchanged' };
}

/** A variable with the key. @throws SvcError USAGE when the name is not valid */
export function variableKey(name: string): KeyChoice {
  if (ENV_NAME.test(name)) return { kind: 'variable', name };
  throw new SvcError('USAGE', 'the variable name must be capitals, digits and underscores', {
    hint: 'pass a name such as OPENAI_API_KEY; pass the key itself with --key-stdin',
  });
}

/** A key as a person typed or pasted it; `env:NAME` is a reference. @throws SvcError USAGE, without the text */
export function parseKey(text: string): KeyChoice {
  const value = text.trim();
  const name = referencedVariable(value);
  if (name !== undefined) return variableKey(name);
  const fault = keyFault(value);
  if (fault === undefined) return { kind: 'literal', value };
  const hint = 'copy the key again, without the text around it';
  throw new SvcError('USAGE', `the key ${fault}`, { hint });
}

/** Far more than any key has; stdin may have no end. */
export const MOST_KEY_BYTES = 16 * 1024;

function keyFault(key: string): string | undefined {
  if (key === '') return 'is empty';
  if (key.length > MOST_KEY_BYTES) return 'is too long';
  return /[\s\p{Cc}]/u.test(key) ? 'must be one word without spaces' : undefined;
}

/** A provider that can be used here. */
interface ProviderOffer {
  readonly provider: string;
  /** Why it is offered, for people. */
  readonly sign: string;
  /** The default model; null where the vendor's list decides. */
  readonly model: string | null;
}

/** The offered providers, all others, and the default. */
export interface ProviderOffers {
  readonly offers: readonly ProviderOffer[];
  /** What needs a key, a server or a download first; entries of `models.providers` come first. */
  readonly others: readonly Pick<ListedProvider, 'model' | 'provider'>[];
  /** `none` where the configuration has it; undefined means keyword search until there is a provider. */
  readonly preferred: string | undefined;
}

/** Whether something answers at an address. */
type IsReachable = (url: URL, signal: AbortSignal) => Promise<boolean>;

/** A local server answers at once. */
const PROBE_MS = 300;

/**
 * The providers that could be used here: the configured one, those of auto-detection, entries of
 * `models.providers`, and local model servers. A server that happens to run is never the default: it may
 * run for something else.
 *
 * @throws SvcError PROVIDER_UNKNOWN when the settings name one that does not exist; the signal's reason
 */
export async function offeredProviders(
  { settings, world }: Pick<AgentProviders, 'settings' | 'world'>,
  signal: AbortSignal,
  isReachable: IsReachable = canConnect,
): Promise<ProviderOffers> {
  const listed = listProviders(settings, world);
  const offers = await Promise.all(
    listed.map(async (provider) => {
      return offerOf(provider, await isServerRunning(provider, signal, isReachable));
    }),
  );
  signal.throwIfAborted();
  const others = listed.filter((_, at) => offers[at]?.length === 0);
  const isEntry = ({ provider, adapter }: ListedProvider): boolean => provider !== adapter;
  const primary = listed.find(({ role }) => role === 'primary');
  const preferred = settings.provider === 'none' ? 'none' : primary?.provider;
  return {
    offers: offers.flat(),
    others: [...others.filter(isEntry), ...others.filter((one) => !isEntry(one))],
    preferred,
  };
}

function offerOf(listed: ListedProvider, isRunning: boolean): readonly ProviderOffer[] {
  const { provider, model, credential, endpoint, role, available, configured, why } = listed;
  const offer = (sign: string): readonly ProviderOffer[] => [{ provider, sign, model }];
  if (isRunning) return offer(`runs at ${endpoint ?? ''}`);
  if (role === 'primary') return offer(why);
  if (available) return offer(credential.source ?? 'on this machine');
  return configured && credential.state !== 'missing' ? offer('from the configuration') : [];
}

/** Whether the local server of a provider runs; false for a provider without one. */
async function isServerRunning(
  { provider, adapter, endpoint }: ListedProvider,
  signal: AbortSignal,
  isReachable: IsReachable,
): Promise<boolean> {
  const isServer = provider === adapter && PROVIDERS[adapter].runsOn === 'server';
  if (!isServer || endpoint === null || !URL.canParse(endpoint)) return false;
  return isReachable(new URL(endpoint), anySignal([signal, AbortSignal.timeout(PROBE_MS)]));
}

async function canConnect(url: URL, signal: AbortSignal): Promise<boolean> {
  try {
    await connectTo(url, signal);
    return true;
  } catch {
    return false;
  }
}

/** The file for keys that a person pasted. @param stateDir absolute path */
export function secretsFile(stateDir: string): string {
  return join(stateDir, 'secrets.json');
}

/** The JSON pointer of a provider's key in that file. */
export function keyPointer(provider: string): string {
  return `/${GROUP}/${provider.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

const GROUP = 'providers';

/**
 * Stores the key of a provider in a private secrets file and keeps the rest of the file. Waits for other
 * processes that write it.
 *
 * @param file absolute path; created when it is missing
 * @throws SvcError CONFIG_WRITE_FAILED, with the old file unchanged; the signal's reason
 */
export async function storeKey(
  file: string,
  { provider, key }: { readonly provider: string; readonly key: string },
  signal: AbortSignal,
): Promise<void> {
  try {
    makeFolders(dirname(file));
    await withProcessLock(`${file}.lock`, { signal }, async () => {
      const secrets = readSecrets(file);
      const group = secrets[GROUP] ?? {};
      if (!isRecord(group)) throw storeKeyError(file, `its "${GROUP}" is not an object`);
      const merged = { ...secrets, [GROUP]: { ...group, [provider]: key } };
      replaceFile(file, `${JSON.stringify(merged, null, 2)}\n`, PRIVATE_MODE);
    });
  } catch (cause) {
    if (signal.aborted || cause instanceof SvcError) throw cause;
    throw storeKeyError(file, systemReason(cause));
  }
}

/** Errors of the parser quote the text, so they are not passed on. */
function readSecrets(file: string): Record<string, unknown> {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (stats === undefined) return {};
  // Secret files must not be links, so a key behind one would never be read.
  if (!stats.isFile()) throw storeKeyError(file, 'it is not a regular file');
  let root: unknown;
  try {
    root = JSON.parse(readFileSync(file, 'utf8').replace(/^\uFEFF/u, ''));
  } catch (error) {
    throw storeKeyError(
      file,
      error instanceof SyntaxError ? 'it is not JSON' : systemReason(error),
    );
  }
  if (!isRecord(root)) throw storeKeyError(file, 'it is not a JSON object');
  return root;
}

function storeKeyError(file: string, why: string): SvcError {
  return new SvcError('CONFIG_WRITE_FAILED', `cannot store the key in ${file}: ${why}`, {
    hint: 'fix or move the file, or keep the key in a variable: --key-env NAME',
  });
}
