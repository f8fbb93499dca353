import type { ResolvedMemorySearch, SecretInput } from '../config/index.js';
import { asProviderError } from '../providers/provider-error.js';
import { PROVIDERS } from '../providers/registry.js';
import type { Credential } from '../providers/vendor.js';
import { VendorFault } from '../providers/vendor-fault.js';
import { resolveSecret } from '../secrets/index.js';
import type { Clock } from '../support/context.js';
import { type ProviderChoice, queryTimeoutMs } from './choose-provider.js';
import type { AdapterSettings, EmbeddingAdapter } from './embedding-adapter.js';
import type { ProviderWorld } from './provider-world.js';
import { vendorAdapter } from './vendor-adapter.js';

export interface OpenProviderOptions {
  readonly settings: ResolvedMemorySearch;
  readonly world: ProviderWorld;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

const CONCURRENCY = 4;

const DOCUMENT_TIMEOUT_MS = 120_000;
/** The model may have to be loaded first. */
const SELF_HOSTED_DOCUMENT_TIMEOUT_MS = 600_000;

/**
 * Creates the adapter of a chosen provider: reads its key, loads its code.
 *
 * @throws SvcError PROVIDER_*, SECRET_UNRESOLVED
 */
export async function openProvider(
  choice: ProviderChoice,
  options: OpenProviderOptions,
): Promise<EmbeddingAdapter> {
  const errorPlace = {
    provider: choice.provider,
    model: choice.model,
    endpoint: choice.baseUrl,
    keySource: 'source' in choice.credential ? choice.credential.source : undefined,
    withheldKey: withheldIn(choice),
    isPrimary: choice.isPrimary,
  };
  try {
    const settings = await providerSettings(choice, options);
    const { world, clock, signal } = options;
    const tools = { stateDir: world.stateDir, env: world.env, clock };
    const vendor = await PROVIDERS[choice.adapter].open(settings, tools, signal);
    return vendorAdapter(vendor, settings);
  } catch (error) {
    throw asProviderError(error, errorPlace);
  }
}

async function providerSettings(
  choice: ProviderChoice,
  { settings, world, signal }: OpenProviderOptions,
): Promise<AdapterSettings> {
  const { provider, adapter, model, baseUrl, entry, isPrimary } = choice;
  const { remote, sync, local } = settings;
  const headers = { ...entry?.headers, ...(isPrimary ? remote.headers : {}) };
  const { credential } = choice;
  const access = await readAccess({ credential, headers }, world, signal);
  const { runsOn, oneAtATime } = PROVIDERS[adapter];
  const usual = runsOn === 'vendor' ? DOCUMENT_TIMEOUT_MS : SELF_HOSTED_DOCUMENT_TIMEOUT_MS;
  const seconds = sync.embeddingBatchTimeoutSeconds;
  return {
    provider,
    adapter,
    model,
    baseUrl,
    ...access,
    withheldKey: withheldIn(choice),
    isPrimary,
    dimensions: isPrimary ? settings.outputDimensionality : undefined,
    inputTypes: isPrimary
      ? {
          query: settings.queryInputType ?? settings.inputType,
          document: settings.documentInputType ?? settings.inputType,
        }
      : {},
    concurrency: remote.nonBatchConcurrency ?? (oneAtATime === true ? 1 : CONCURRENCY),
    documentTimeoutMs: seconds === undefined ? usual : Math.round(seconds * 1000),
    queryTimeoutMs: queryTimeoutMs(choice, settings),
    // A fallback should answer quickly.
    batch: { ...remote.batch, enabled: isPrimary && remote.batch.enabled },
    local,
  };
}

function withheldIn({ credential }: ProviderChoice): string | undefined {
  return credential.state === 'not_needed' ? credential.withheld : undefined;
}

/** The secrets that go into requests to a provider; no credential if none is needed. */
export type Access = Awaited<ReturnType<typeof readAccess>>;

/**
 * Reads the secrets of a chosen provider.
 *
 * @throws VendorFault `auth` if a key is needed and there is none; SvcError SECRET_*; the signal's reason
 */
export async function readAccess(
  choice: Pick<ProviderChoice, 'credential'> & {
    readonly headers: Readonly<Record<string, SecretInput>>;
  },
  world: ProviderWorld,
  signal: AbortSignal,
) {
  const read = secretReader(world, signal);
  const credential = await credentialOf(choice, world, read);
  const headers = Object.entries(choice.headers).map(
    async ([name, value]) => [name, await read(value)] as const,
  );
  return { credential, headers: Object.fromEntries(await Promise.all(headers)) };
}

async function credentialOf(
  { credential }: Pick<ProviderChoice, 'credential'>,
  { stateDir, onSecret }: ProviderWorld,
  read: ReturnType<typeof secretReader>,
): Promise<Credential | undefined> {
  switch (credential.state) {
    case 'found':
      return { value: await read(credential.input), source: credential.source };
    case 'login': {
      // Loads zod, which other providers do without.
      const { readStoredLogin } = await import('../providers/github-copilot/stored-login.js');
      const login = await readStoredLogin(stateDir);
      if (login === undefined) return undefined;
      onSecret?.(login.token);
      return { value: login.token, source: credential.source };
    }
    case 'not_needed':
      return undefined;
    case 'missing':
      throw new VendorFault('auth', 'no API key found', { hint: credential.hint });
  }
}

/** Reads one secret at a time. @throws SvcError SECRET_*; the signal's reason */
export function secretReader(
  { env, config, onSecret }: Pick<ProviderWorld, 'config' | 'env' | 'onSecret'>,
  signal: AbortSignal,
) {
  return (input: SecretInput): Promise<string> =>
    resolveSecret(input, { env, settings: config.secrets, signal, onSecret });
}
