import { MASK } from '../secrets/mask/token-patterns.js';
import { type ConfigPath, isRecord, matchesPattern } from './config-path.js';
import { ENV_NAME, referencedVariable } from './secret-input.js';

/**
 * Schema paths whose values are secret (`*` is any key or list position). Values of headers and of
 * environments handed to other programs count as secret: tokens are what people put there.
 */
const SECRET_PATHS: readonly (readonly string[])[] = [
  'agents.defaults.memorySearch.remote.apiKey',
  'agents.defaults.memorySearch.remote.headers.*',
  'agents.list.*.memorySearch.remote.apiKey',
  'agents.list.*.memorySearch.remote.headers.*',
  'models.providers.*.apiKey',
  'models.providers.*.headers.*',
  'plugins.entries.webhooks.config.routes.*.secret',
  'flows.notify.secret',
  'flows.runtimes.*.env.*',
  'secrets.providers.*.env.*',
].map((path) => path.split('.'));

/** Whether the value at this place of the configuration is a secret. */
export function isSecretPath(path: ConfigPath): boolean {
  return SECRET_PATHS.some((pattern) => matchesPattern(path, pattern));
}

/**
 * A copy of plain JSON data in which secrets are masked. References (`env:NAME`, `${NAME}`, a
 * SecretRef) stay readable: they hold no secret.
 *
 * @param path where the value lies in the configuration, so that a part of the tree can be masked
 */
export function maskSecrets(value: unknown, path: ConfigPath = []): unknown {
  if (isSecretPath(path)) return maskSecret(value);
  if (Array.isArray(value)) return value.map((item, at) => maskSecrets(item, [...path, at]));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, maskSecrets(item, [...path, key])]),
  );
}

function maskSecret(value: unknown): unknown {
  if (typeof value === 'string')
    return ENV_NAME.test(referencedVariable(value) ?? '') ? value : MASK;
  if (!isRecord(value)) return value === undefined ? undefined : MASK;
  // A parsed SecretInput is shown in the form in which a file may write it.
  const { kind, ...reference } = value;
  return kind === 'plain' ? MASK : reference;
}
