import { type ConfigPath, formatPath, isRecord } from '../config/config-path.js';
import { isSecretPath } from '../config/mask.js';
import { parseSecret, type SecretInput } from '../config/secret-input.js';
import type { SecretOutcome } from '../secrets/index.js';
import { resolveSecrets } from '../secrets/index.js';
import type { FindingPlace } from './finding.js';
import type { ConfiguredWorld } from './world.js';

/** A secret of the configuration, and where it is written. */
export interface ConfiguredSecret {
  readonly path: ConfigPath;
  /** Like `models.providers.corp.apiKey`. */
  readonly name: string;
  readonly input: SecretInput;
  readonly place: FindingPlace | undefined;
}

/** Every secret that the configuration has or names, in the order of the file. */
export function configuredSecrets(world: ConfiguredWorld): readonly ConfiguredSecret[] {
  const { input, resolved } = world.loaded;
  return [...secretsIn(input, [])].map(({ path, value }) => ({
    path,
    name: formatPath(path),
    input: parseSecret(value, resolved.secrets.defaults),
    place: world.placeOf(path),
  }));
}

/** Asks for secrets, and remembers their values so that none is told; see resolveSecrets. */
export async function resolveConfigured(
  configured: readonly Pick<ConfiguredSecret, 'input'>[],
  { context, loaded, mask, signal }: ConfiguredWorld,
): Promise<readonly SecretOutcome[]> {
  const settings = loaded.resolved.secrets;
  const inputs = configured.map(({ input }) => input);
  const onSecret = (value: string): void => {
    mask.learn(value);
    context.onSecret?.(value);
  };
  return resolveSecrets(inputs, { env: context.env, settings, signal, onSecret });
}

interface WrittenSecret {
  readonly path: ConfigPath;
  readonly value: Parameters<typeof parseSecret>[0];
}

function* secretsIn(data: unknown, path: ConfigPath): Generator<WrittenSecret> {
  // Variables handed to programs are taken as they are: there are no references in them.
  if (isSecretPath(path) && path.at(-2) !== 'env') {
    const value = secretValue(data);
    if (value !== undefined) yield { path, value };
  } else if (Array.isArray(data)) {
    for (const [at, item] of data.entries()) yield* secretsIn(item, [...path, at]);
  } else if (isRecord(data)) {
    for (const [key, item] of Object.entries(data)) yield* secretsIn(item, [...path, key]);
  }
}

function secretValue(data: unknown): WrittenSecret['value'] | undefined {
  if (typeof data === 'string') return data;
  if (!isRecord(data)) return undefined;
  const { source, provider, id } = data;
  if ((source !== 'env' && source !== 'file' && source !== 'exec') || typeof id !== 'string') {
    return undefined;
  }
  return { source, id, ...(typeof provider === 'string' ? { provider } : {}) };
}

/** Whether a secret is that of a webhook route. */
export function isRouteSecret({ path }: ConfiguredSecret): boolean {
  return path[0] === 'plugins' && path.at(-1) === 'secret';
}
