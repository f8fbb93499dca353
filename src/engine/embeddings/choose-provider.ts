import { existsSync, statSync } from 'node:fs';
import {
  ADAPTER_ALIASES,
  ADAPTER_IDS,
  type AdapterId,
  adapterOf,
  type ResolvedConfig,
  type ResolvedMemorySearch,
  type ResolvedModelProvider,
  suggestName,
} from '../config/index.js';
import type { OnSecret } from '../context.js';
import { SvcError } from '../errors/index.js';
import { awsCredentialSource } from './adapters/bedrock/credential-signs.js';
import { ollamaBaseUrl } from './adapters/ollama-host.js';
import { type CredentialPlace, findCredential } from './credentials.js';
import { loginFile } from './login/auth-files.js';
import { modelName } from './model-name.js';

/** What choosing looks at besides one agent's settings. */
export interface ProviderWorld {
  readonly config: Pick<ResolvedConfig, 'models' | 'secrets'>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absolute. */
  readonly homeDir: string;
  /** Absolute; where logins and runtimes lie. */
  readonly stateDir: string;
  /** Told each secret that is read; see EngineContext. */
  readonly onSecret?: OnSecret | undefined;
}

/** A provider with everything that can be said of it without asking it. */
export interface ProviderChoice {
  /** The adapter's id, or that of a `models.providers` entry. */
  readonly provider: string;
  readonly adapter: AdapterId;
  /** Named in the configuration, or found by {@link AUTO_ORDER}. */
  readonly by: 'auto' | 'configured';
  /** Undefined leaves it to the adapter. */
  readonly model: string | undefined;
  readonly baseUrl: string | undefined;
  readonly credential: CredentialPlace;
  readonly entry: ResolvedModelProvider | undefined;
  /** Whether `remote.*`, `model` and `outputDimensionality` are about it: not for the fallback. */
  readonly isPrimary: boolean;
}

/** Whether auto-detection takes an adapter, and why not. */
export type Availability =
  | { readonly available: true; readonly because: string }
  | { readonly available: false; readonly why: string };

/**
 * The order of auto-detection: what costs nothing and leaves the machine least comes first. `ollama`
 * and `lmstudio` are never detected: a server that happens to run says nothing about its purpose.
 */
export const AUTO_ORDER: readonly AdapterId[] = [
  'local',
  'github-copilot',
  'openai',
  'gemini',
  'voyage',
  'mistral',
  'deepinfra',
  'bedrock',
];

/**
 * The provider that an agent's settings lead to; undefined when memory is to be searched by words
 * alone, or nothing is available.
 */
export function chooseProvider(
  settings: ResolvedMemorySearch,
  world: ProviderWorld,
): ProviderChoice | undefined {
  if (settings.provider === 'none') return undefined;
  if (settings.provider !== 'auto') return choiceOf(settings.provider, settings, world, true);
  // An address without a name is an OpenAI-compatible one (spec/memory-search §2.2).
  const { baseUrl, apiKey } = settings.remote;
  if (baseUrl !== undefined || apiKey !== undefined) return auto('openai', settings, world);
  const found = AUTO_ORDER.find((id) => availability(id, settings, world).available);
  return found === undefined ? undefined : auto(found, settings, world);
}

/** The provider to use when the first one fails; undefined for none. */
export function chooseFallback(
  settings: ResolvedMemorySearch,
  world: ProviderWorld,
): ProviderChoice | undefined {
  const { fallback } = settings;
  return fallback === 'none' ? undefined : choiceOf(fallback, settings, world, false);
}

/**
 * A provider by its name, whatever the settings choose. `model` and `remote.*` of the settings count
 * for it only when it is the one they are about.
 *
 * @param name an adapter's id or kind, or the id of a `models.providers` entry
 * @throws SvcError PROVIDER_UNKNOWN
 */
export function chooseNamed(
  name: string,
  settings: ResolvedMemorySearch,
  world: ProviderWorld,
): ProviderChoice {
  const own = Object.hasOwn(world.config.models.providers, name);
  const provider = own ? name : (adapterOf(name) ?? name);
  const chosen = chooseProvider(settings, world);
  return chosen?.provider === provider ? chosen : choiceOf(provider, settings, world, false);
}

/** Whether auto-detection would take an adapter; looks at the environment and at files, asks nobody. */
export function availability(
  id: AdapterId,
  settings: ResolvedMemorySearch,
  world: ProviderWorld,
): Availability {
  const choice = auto(id, settings, world);
  switch (id) {
    case 'ollama':
    case 'lmstudio':
      return { available: false, why: 'never chosen by itself; set provider to it' };
    case 'local':
      return localAvailability(settings.local.modelPath);
    case 'bedrock':
      return awsAvailability(world);
    case 'github-copilot':
      return copilotAvailability(world);
    default:
      return choice.credential.state === 'found'
        ? { available: true, because: choice.credential.source }
        : { available: false, why: mendOf(choice.credential) };
  }
}

function mendOf(credential: CredentialPlace): string {
  return credential.state === 'missing' ? credential.mend : 'no key';
}

function localAvailability(modelPath: string | undefined): Availability {
  if (modelPath === undefined) return { available: false, why: 'local.modelPath is unset' };
  return statSync(modelPath, { throwIfNoEntry: false })?.isFile() === true
    ? { available: true, because: 'local.modelPath is a file' }
    : { available: false, why: 'local.modelPath is no file here' };
}

/**
 * Only what is meant for Copilot counts: GH_TOKEN and GITHUB_TOKEN stand in most shells and build
 * machines for other reasons, and serve only when `github-copilot` is configured by name.
 */
function copilotAvailability({ env, stateDir }: ProviderWorld): Availability {
  if ((env['COPILOT_GITHUB_TOKEN'] ?? '') !== '') {
    return { available: true, because: 'env COPILOT_GITHUB_TOKEN' };
  }
  return existsSync(loginFile(stateDir))
    ? { available: true, because: 'signed in' }
    : { available: false, why: 'set COPILOT_GITHUB_TOKEN, or svc provider login github-copilot' };
}

function awsAvailability({ env, homeDir }: ProviderWorld): Availability {
  const source = awsCredentialSource(env, homeDir);
  return source === undefined
    ? { available: false, why: 'no AWS credentials in the environment or in ~/.aws' }
    : { available: true, because: source };
}

function unknownProvider(provider: string, world: ProviderWorld): SvcError {
  const own = Object.keys(world.config.models.providers);
  const known = [...ADAPTER_IDS, ...Object.keys(ADAPTER_ALIASES), ...own];
  const suggestion = suggestName(provider, known);
  const list = 'svc provider list names those there are';
  return new SvcError(
    'PROVIDER_UNKNOWN',
    `there is no embedding provider ${JSON.stringify(provider)}`,
    { hint: suggestion === undefined ? list : `did you mean "${suggestion}"? ${list}` },
  );
}

function auto(id: AdapterId, settings: ResolvedMemorySearch, world: ProviderWorld): ProviderChoice {
  const choice = choiceOf(id, settings, world, true);
  return { ...choice, by: 'auto' };
}

function choiceOf(
  provider: string,
  settings: ResolvedMemorySearch,
  world: ProviderWorld,
  isPrimary: boolean,
): ProviderChoice {
  const { providers } = world.config.models;
  const entry = Object.hasOwn(providers, provider) ? providers[provider] : undefined;
  const adapter = adapterOf(entry?.api ?? provider) ?? adapterOf(provider);
  if (adapter === undefined) throw unknownProvider(provider, world);
  const remote = isPrimary ? settings.remote : undefined;
  const configuredUrl = withoutSlash(remote?.baseUrl ?? entry?.baseUrl);
  const baseUrl =
    configuredUrl ?? (provider === 'ollama' ? ollamaBaseUrl(world.env['OLLAMA_HOST']) : undefined);
  const model = (isPrimary ? settings.model : undefined) ?? entry?.models[0]?.id;
  return {
    provider,
    adapter,
    by: 'configured',
    model: model === undefined ? undefined : modelName(model, adapter, provider),
    baseUrl,
    credential: findCredential({
      provider,
      adapter,
      remoteKey: remote?.apiKey,
      entryKey: entry?.apiKey,
      customEndpoint: configuredUrl !== undefined,
      hasLogin: adapter === 'github-copilot' && existsSync(loginFile(world.stateDir)),
      env: world.env,
    }),
    entry,
    isPrimary,
  };
}

function withoutSlash(url: string | undefined): string | undefined {
  return url?.replace(/\/+$/u, '');
}
