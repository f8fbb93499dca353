import type { LoadedConfig } from '../config/index.js';
import { SvcError } from '../errors/index.js';

/**
 * Refuses a configuration that serves no webhooks.
 *
 * @throws SvcError WEBHOOKS_DISABLED
 */
export function requireWebhooks({ resolved }: LoadedConfig): void {
  if (resolved.plugins.entries.webhooks.enabled) return;
  throw new SvcError('WEBHOOKS_DISABLED', 'webhooks are switched off', {
    hint: 'svc config set plugins.entries.webhooks.enabled true',
  });
}
