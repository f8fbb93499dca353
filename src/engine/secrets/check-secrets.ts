import { loadConfig, locateWritten } from '../config/index.js';
import { writtenSecrets } from '../config/written-secrets.js';
import type { EngineContext } from '../context.js';
import type { SourceLocation, Warning } from '../errors/index.js';
import { describeSecret } from './describe-secret.js';
import { LEAST_KNOWN_CHARS } from './mask/secret-mask.js';
import { resolveSecrets, type SecretOutcome } from './resolve-secrets.js';

/**
 * How long a secret is; its length itself says too much of a short one. `tiny`: also too short to be
 * looked for in what is printed. `long`: as long as the secret of a route should be.
 */
export type SecretLength = 'long' | 'short' | 'tiny';

/** Shorter secrets are guessed too easily, in characters (spec/webhooks §2). */
const LONG_CHARS = 24;

/** One place of the configuration that has a secret. */
export interface CheckedSecret {
  /** Like `models.providers.corp.apiKey`. */
  readonly path: string;
  /** Of the value. */
  readonly location: SourceLocation;
  readonly source: 'env' | 'exec' | 'file' | 'plain';
  /** As `env OPENAI_API_KEY`, `plain text`. */
  readonly spoken: string;
  readonly resolves: boolean;
  /** Null where it does not resolve. */
  readonly length: SecretLength | null;
  /** Why it does not resolve; null where it does. */
  readonly error: SecretProblem | null;
}

/** An error as documents have it. */
export interface SecretProblem {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
}

/** Every secret of a configuration. */
export interface SecretsCheck {
  /** Absolute; undefined when there is no file, and then there are no secrets. */
  readonly file: string | undefined;
  /** In the order of the file. */
  readonly secrets: readonly CheckedSecret[];
  readonly warnings: readonly Warning[];
}

/** How secrets are checked. */
export interface CheckSecretsOptions {
  /** The file named by `--config`. */
  readonly configFile?: string | undefined;
  /** Ends the wait for files and programs; its reason is thrown. */
  readonly signal?: AbortSignal;
}

/**
 * Lists every secret of the configuration and really reads it: variables, files, and programs, each
 * of which is asked once. Gives back no value.
 *
 * @throws SvcError CONFIG_*, or the signal's reason
 */
export async function checkSecrets(
  context: EngineContext,
  { configFile, signal }: CheckSecretsOptions = {},
): Promise<SecretsCheck> {
  const { file, input, resolved, warnings } = await loadConfig(context, { configFile });
  if (file === undefined) return { file, secrets: [], warnings };
  const written = writtenSecrets(input, resolved.secrets.defaults);
  const outcomes = await resolveSecrets(
    written.map(({ secret }) => secret),
    {
      env: context.env,
      settings: resolved.secrets,
      onSecret: context.onSecret,
      ...(signal === undefined ? {} : { signal }),
    },
  );
  const places = await locateWritten(
    file,
    written.map(({ path }) => path),
  );
  const secrets = written.flatMap(({ secret, inAddress }, at): CheckedSecret[] => {
    const [place, outcome] = [places[at], outcomes[at]];
    if (place === undefined || outcome === undefined) return [];
    return [
      {
        ...place,
        source: secret.kind === 'plain' ? 'plain' : secret.source,
        spoken: inAddress ? 'plain text in an address' : describeSecret(secret),
        ...whatCame(outcome),
      },
    ];
  });
  return { file, secrets, warnings };
}

function whatCame(outcome: SecretOutcome): Pick<CheckedSecret, 'error' | 'length' | 'resolves'> {
  if (outcome.ok) return { resolves: true, length: lengthOf(outcome.value), error: null };
  const { code, message, hint } = outcome.error;
  const error = hint === undefined ? { code, message } : { code, message, hint };
  return { resolves: false, length: null, error };
}

function lengthOf({ length }: string): SecretLength {
  if (length >= LONG_CHARS) return 'long';
  return length >= LEAST_KNOWN_CHARS ? 'short' : 'tiny';
}
