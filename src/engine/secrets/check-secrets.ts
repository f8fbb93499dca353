import {
  formatPath,
  LEAST_SECRET_CHARS,
  loadConfig,
  readDocument,
  writtenSecrets,
} from '../config/index.js';
import type { Warning } from '../errors/index.js';
import { LEAST_KNOWN_CHARS } from '../masking/index.js';
import type { EngineContext } from '../support/context.js';
import type { SecretsCheckOutput } from './output-schemas.js';
import { describeSecret, resolveSecrets, type SecretOutcome } from './resolve-secrets.js';

/** One secret or reference of the configuration. */
export type CheckedSecret = SecretsCheckOutput['secrets'][number];

/** Every secret of a configuration. */
export interface SecretsCheck {
  /** Absolute path; undefined when there is no file. */
  readonly file: string | undefined;
  /** In the order of the file. */
  readonly secrets: readonly CheckedSecret[];
  readonly warnings: readonly Warning[];
}

export interface CheckSecretsOptions {
  /** The file named by `--config`. */
  readonly configFile?: string | undefined;
  /** Ends the wait for files and programs. */
  readonly signal?: AbortSignal;
}

/**
 * Resolves every secret of the configuration. Each file is read and each program run once. The result
 * contains no values.
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
    { env: context.env, settings: resolved.secrets, onSecret: context.onSecret, signal },
  );
  const document = await readDocument(file);
  const secrets = written.flatMap(({ path, secret, inAddress }, at): CheckedSecret[] => {
    const outcome = outcomes[at];
    if (outcome === undefined) return [];
    const source = secret.kind === 'plain' ? 'plain' : secret.source;
    const description = inAddress ? 'plain text in an address' : describeSecret(secret);
    const place = { path: formatPath(path), location: document.locate(path) };
    return [{ ...place, source, spoken: description, ...resultOf(outcome) }];
  });
  // The schema check reorders keys.
  secrets.sort(({ location: a }, { location: b }) => a.line - b.line || a.column - b.column);
  return { file, secrets, warnings };
}

function resultOf(outcome: SecretOutcome): Pick<CheckedSecret, 'error' | 'length' | 'resolves'> {
  if (outcome.ok) return { resolves: true, length: lengthOf(outcome.value), error: null };
  const { code, message, hint } = outcome.error;
  return { resolves: false, length: null, error: { code, message, hint } };
}

/** Only a range, because the exact length would reveal too much of a short secret. */
function lengthOf({ length }: string): CheckedSecret['length'] {
  if (length >= LEAST_SECRET_CHARS) return 'long';
  return length >= LEAST_KNOWN_CHARS ? 'short' : 'tiny';
}
