import * as z from 'zod/mini';
import { activeMemory } from './active-memory.js';
import { key } from './keys.js';
import { memoryCore } from './memory-core.js';
import { webhooks } from './webhooks.js';

/** `plugins`: the features with a switch of their own. */
export function plugins() {
  return z.strictObject({
    entries: key(
      z.strictObject({
        'memory-core': key(memoryCore(), 'Consolidation of memory ("dreaming")'),
        'active-memory': key(activeMemory(), 'What is recalled before an agent answers'),
        webhooks: key(webhooks(), 'HTTP routes that drive task flows'),
      }),
      'Plugins by name',
    ),
  });
}
