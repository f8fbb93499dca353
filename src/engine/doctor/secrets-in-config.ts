import { type ConfigPath, formatPath } from '../config/config-path.js';
import type { SecretInput } from '../config/secret-input.js';
import { writtenSecrets } from '../config/written-secrets.js';
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
  return (
    writtenSecrets(input, resolved.secrets.defaults)
      // Variables of programs and logins in addresses are used as they are written.
      .filter(({ path, inAddress }) => !inAddress && path.at(-2) !== 'env')
      .map(({ path, secret }) => ({
        path,
        name: formatPath(path),
        input: secret,
        place: world.placeOf(path),
      }))
  );
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

/** Whether a secret is that of a webhook route. */
export function isRouteSecret({ path }: ConfiguredSecret): boolean {
  return path[0] === 'plugins' && path.at(-1) === 'secret';
}
