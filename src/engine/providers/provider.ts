import type { DimensionFacts } from './dimensions.js';
import type { EmbeddingVendor, LocalSettings, ProviderSettings, VendorTools } from './vendor.js';

/**
 * Everything svc knows about a provider, in one file `<id>.ts` or a folder.
 *
 * All of it but {@link Provider.open} is loaded with the configuration and by every search, so it
 * is data or cheap checks of environment and files. `open` loads the code that makes requests, with
 * `import()`.
 */
export interface Provider<Id extends string = string> extends DimensionFacts {
  /** The vendor's common id (spec/memory-search §2.1). */
  readonly id: Id;
  /** The spec's kind, accepted wherever the id is; null for none. */
  readonly kind: string | null;
  /** Prefixes that people put before model names; the vendor does not know them. */
  readonly prefixes: readonly string[];
  /** At the vendor, on a self-hosted server, or in this process. */
  readonly runsOn: 'process' | 'server' | 'vendor';
  readonly cost: 'free' | 'per_token' | 'self_hosted' | 'subscription';

  /** Default address; null if region or account decide. */
  readonly endpoint: string | null;
  /** Other origins of the vendor itself, which get its key too. */
  readonly ownOrigins?: RegExp | undefined;
  /** An address from the environment that replaces it. */
  readonly endpointIn?: (env: Environment) => string | undefined;
  /** Whether settings alone determine the address in the identity: always, or only if configured. */
  readonly endpointKnown: 'always' | 'configured';
  /** The end of an address that is cut off: people configure that of the OpenAI-compatible API. */
  readonly cutFromAddress?: RegExp;

  /** Default model; null if the vendor's list decides. */
  readonly model: string | null;
  /** Default lengths of models, if that is not the largest, or if none can be requested. */
  readonly usualDimensions?: Readonly<Record<string, number>>;

  readonly key: KeyFacts;
  /** How auto-detection recognizes it: by its key, by its own check, or never. */
  readonly detect: 'key' | 'never' | ((scene: DetectionScene) => Availability);

  /** Whether `inputType` is sent: always, only to a configured address, or never. */
  readonly inputTypes: 'always' | 'custom-address' | 'never';
  /** The only labels that a model accepts, none if it has no field for them; undefined for any. */
  readonly labels?: (model: string) => readonly string[];
  /** Whether it has a batch API for embeddings (spec §2.9). */
  readonly batch: boolean;
  /** Whether some of its models embed images and audio (spec §2.7). */
  readonly media?: {
    /** The model to recommend. */
    readonly model: string;
    readonly takes: (model: string) => boolean;
    /** Whether a model is known to be text-only. */
    readonly never: (model: string) => boolean;
  };
  /** Its calls share one model on one machine (spec §2.9). */
  readonly oneAtATime?: boolean;
  /** Default limit of a query; five seconds if undefined. */
  readonly queryTimeoutSeconds?: number;

  /**
   * Creates the vendor; may call it to list its models.
   *
   * @throws VendorFault, or the signal's reason
   */
  open(
    settings: ProviderSettings,
    tools: VendorTools,
    signal: AbortSignal,
  ): EmbeddingVendor | Promise<EmbeddingVendor>;
}

/** A provider that has a default address and a default model. */
export type AddressedProvider<Id extends string = string> = Provider<Id> & {
  readonly endpoint: string;
  readonly model: string;
};

/** Where a provider's key comes from (spec/memory-search §5). */
export interface KeyFacts {
  /** Environment variables; the first that is set counts. */
  readonly variables: readonly string[];
  /** Whether requests need a key. */
  readonly required: boolean;
  /** Origins that a key of the environment is sent to, if not to that of {@link Provider.endpoint}. */
  readonly sentTo?: RegExp;
  /** Besides a key, system credentials count: what {@link Provider.detect} finds. */
  readonly ambient?: boolean;
  /** The file of a stored login, which replaces a key. */
  readonly loginFile?: (stateDir: string) => string;
  /** Hint for people who look for a login; by default, to set the first variable. */
  readonly hint?: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** What {@link Provider.detect} may check. */
export interface DetectionScene {
  readonly settings: { readonly local: LocalSettings };
  readonly env: Environment;
  readonly homeDir: string;
  readonly stateDir: string;
}

/** Whether auto-detection can use a provider, and why. */
export type Availability =
  | { readonly available: true; readonly because: string }
  | { readonly available: false; readonly why: string };

/**
 * Whether a configured address leads elsewhere than to the vendor. Only the origin counts: whoever
 * answers there gets the key, whatever the path.
 */
export function isCustomAddress(
  { endpoint, ownOrigins }: Pick<Provider, 'endpoint' | 'ownOrigins'>,
  address: string | undefined,
): boolean {
  if (address === undefined) return false;
  if (!URL.canParse(address)) return true;
  const { origin } = new URL(address);
  if (ownOrigins?.test(origin) === true) return false;
  return endpoint === null || !URL.canParse(endpoint) || origin !== new URL(endpoint).origin;
}

/** A configured address as it is used. */
export function addressUsed(
  { cutFromAddress }: Pick<Provider, 'cutFromAddress'>,
  address: string,
): string {
  return cutFromAddress === undefined ? address : address.replace(cutFromAddress, '');
}

/** Defaults of providers at a vendor. */
export const HOSTED = {
  runsOn: 'vendor',
  cost: 'per_token',
  endpointKnown: 'always',
  detect: 'key',
  asksDimensions: true,
  inputTypes: 'never',
  batch: false,
} as const satisfies Partial<Provider>;

/**
 * Defaults of self-hosted servers. They are never auto-detected: a server may run for another
 * purpose.
 */
export const SELF_HOSTED = {
  ...HOSTED,
  runsOn: 'server',
  cost: 'self_hosted',
  detect: 'never',
  asksDimensions: false,
} as const satisfies Partial<Provider>;
