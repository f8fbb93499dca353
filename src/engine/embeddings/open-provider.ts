import type { ResolvedMemorySearch } from '../config/index.js';
import type { Clock } from '../context.js';
import { runningMs } from '../running-ms.js';
import type { ProviderChoice, ProviderWorld } from './choose-provider.js';
import { createAdapter } from './create-adapter.js';
import type { EmbeddingAdapter } from './embedding-adapter.js';
import { asProviderError } from './provider-error.js';
import { type ReadSecret, readHeaders, secretReader } from './provider-secrets.js';
import type { Credential, ProviderSettings } from './provider-settings.js';
import { VENDOR_FACTORIES } from './registry.js';
import { VendorFault } from './vendor-fault.js';

/** What opening a provider needs besides the choice. */
export interface OpenProviderOptions {
  readonly settings: ResolvedMemorySearch;
  readonly world: ProviderWorld;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Adapters that run on this machine or on one's own (spec/memory-search §2.4). */
const SELF_HOSTED: ReadonlySet<string> = new Set(['lmstudio', 'local', 'ollama']);

/** One call at a time: they share one model on one machine. */
const ONE_AT_A_TIME: ReadonlySet<string> = new Set(['local', 'ollama']);
const CONCURRENCY = 4;

const HOSTED_TIMEOUTS = { document: 120_000, query: 60_000 } as const;
/** A model may have to be loaded first. */
const SELF_HOSTED_TIMEOUTS = { document: 600_000, query: 300_000 } as const;

/**
 * Makes the adapter of a chosen provider: reads its key, loads its code.
 *
 * @throws SvcError PROVIDER_*, SECRET_UNRESOLVED
 */
export async function openProvider(
  choice: ProviderChoice,
  options: OpenProviderOptions,
): Promise<EmbeddingAdapter> {
  const place = {
    provider: choice.provider,
    model: choice.model,
    endpoint: choice.baseUrl,
    keySource: 'source' in choice.credential ? choice.credential.source : undefined,
  };
  try {
    const settings = await providerSettings(choice, options);
    const createVendor = await VENDOR_FACTORIES[choice.adapter]();
    const { world, clock, signal } = options;
    const tools = { stateDir: world.stateDir, env: world.env, clock };
    const vendor = await createVendor(settings, tools, signal);
    return createAdapter(vendor, settings, {
      nowMs: runningMs,
      random: Math.random,
    });
  } catch (error) {
    throw asProviderError(error, place);
  }
}

async function providerSettings(
  choice: ProviderChoice,
  { settings, world, signal }: OpenProviderOptions,
): Promise<ProviderSettings> {
  const { provider, adapter, model, baseUrl, entry, isPrimary } = choice;
  const { remote, sync, local } = settings;
  const read = secretReader(world, signal);
  const headers = { ...entry?.headers, ...(isPrimary ? remote.headers : {}) };
  const resolved = await readHeaders(headers, read);
  const timeouts = SELF_HOSTED.has(adapter) ? SELF_HOSTED_TIMEOUTS : HOSTED_TIMEOUTS;
  const seconds = sync.embeddingBatchTimeoutSeconds;
  return {
    provider,
    adapter,
    model,
    baseUrl,
    credential: await credentialOf(choice, world, read),
    headers: resolved,
    dimensions: isPrimary ? settings.outputDimensionality : undefined,
    inputTypes: isPrimary
      ? {
          query: settings.queryInputType ?? settings.inputType,
          document: settings.documentInputType ?? settings.inputType,
        }
      : {},
    concurrency: remote.nonBatchConcurrency ?? (ONE_AT_A_TIME.has(adapter) ? 1 : CONCURRENCY),
    documentTimeoutMs: seconds === undefined ? timeouts.document : seconds * 1000,
    queryTimeoutMs: timeouts.query,
    // Switched on for the configured provider; what stands in for it should be quick.
    batch: { ...remote.batch, enabled: isPrimary && remote.batch.enabled },
    local: {
      modelPath: local.modelPath,
      modelCacheDir: local.modelCacheDir,
      contextSize: local.contextSize,
    },
  };
}

async function credentialOf(
  { credential }: ProviderChoice,
  { stateDir, onSecret }: ProviderWorld,
  read: ReadSecret,
): Promise<Credential | undefined> {
  switch (credential.state) {
    case 'found':
      return { value: await read(credential.input), source: credential.source };
    case 'login': {
      const { readStoredLogin } = await import('./login/stored-login.js');
      const login = await readStoredLogin(stateDir);
      if (login === undefined) return undefined;
      onSecret?.(login.token);
      return { value: login.token, source: credential.source };
    }
    case 'not_needed':
      return undefined;
    case 'missing':
      throw new VendorFault({ kind: 'auth', message: 'there is no key', hint: credential.mend });
  }
}
