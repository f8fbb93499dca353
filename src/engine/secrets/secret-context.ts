import type { ResolvedConfig, SecretInput } from '../config/index.js';
import type { EngineContext } from '../support/context.js';

export interface SecretContext extends Pick<EngineContext, 'env' | 'onSecret'> {
  readonly settings: ResolvedConfig['secrets'];
  /** Ends the wait for a file or a program. */
  readonly signal?: AbortSignal | undefined;
}

/** A secret that has to be looked up. */
export type SecretReference = Extract<SecretInput, { kind: 'reference' }>;

/** A `secrets.providers` entry. */
export type SecretProvider = ResolvedConfig['secrets']['providers'][string];

/** A provider that reads environment variables. */
export type EnvProvider = Extract<SecretProvider, { source: 'env' }>;

/** A provider that reads a file. */
export type FileProvider = Extract<SecretProvider, { source: 'file' }>;

/** A provider that runs a program. */
export type ExecProvider = Extract<SecretProvider, { source: 'exec' }>;

/** A request to one provider. */
export interface Inquiry {
  readonly source: SecretReference['source'];
  readonly provider: string;
  /** Without duplicates. */
  readonly ids: readonly string[];
}

/**
 * Why a secret is unavailable. Becomes an SvcError where it leaves this room. It has no cause: errors of
 * JSON.parse quote the text, and those of spawn the arguments.
 */
export class SecretFault extends Error {
  /** What to do about it. */
  readonly hint: string;

  /** @param why the end of a sentence, without any value */
  constructor(why: string, hint: string) {
    super(why);
    this.name = 'SecretFault';
    this.hint = hint;
  }
}

/** The value for an id, never empty, or why there is none. */
export type SecretLookup = (id: string) => string | SecretFault;

/** The configuration key of a provider. */
export function placeOf(alias: string): string {
  return `secrets.providers.${alias}`;
}

/** How to change a setting of a provider. */
export function howToSet(alias: string, key: string, value: string): string {
  return `run "svc config set ${placeOf(alias)}.${key} ${value}"`;
}
