import type { ResolvedConfig, SecretInput } from '../config/index.js';
import type { OnSecret } from '../context.js';

/** What resolving needs of the world. */
export interface SecretContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly settings: ResolvedConfig['secrets'];
  /** Ends the wait for a file or a program; its reason is thrown. */
  readonly signal?: AbortSignal;
  /** Told each value that was found; see EngineContext. */
  readonly onSecret?: OnSecret | undefined;
}

/** A secret that has to be asked for. */
export type SecretReference = Extract<SecretInput, { kind: 'reference' }>;

/** A `secrets.providers` entry. */
export type SecretProvider = ResolvedConfig['secrets']['providers'][string];

/** A provider that reads environment variables. */
export type EnvProvider = Extract<SecretProvider, { source: 'env' }>;

/** A provider that reads a file. */
export type FileProvider = Extract<SecretProvider, { source: 'file' }>;

/** A provider that runs a program. */
export type ExecProvider = Extract<SecretProvider, { source: 'exec' }>;

/** What one provider is asked for in one go. */
export interface Inquiry {
  readonly source: SecretReference['source'];
  /** The alias. */
  readonly provider: string;
  /** Each once. */
  readonly ids: readonly string[];
}
