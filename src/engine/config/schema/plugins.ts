import * as z from 'zod/mini';
import { activeMemory } from './active-memory.js';
import { section } from './keys.js';
import { memoryCore } from './memory-core.js';
import { webhooks } from './webhooks.js';

/** `plugins`: the features with a switch of their own. */
export function plugins() {
  return z.strictObject({
    entries: section(
      () =>
        z.strictObject({
          'memory-core': section(memoryCore, 'Consolidation of memory ("dreaming")'),
          'active-memory': section(activeMemory, 'What is recalled before an agent answers'),
          webhooks: section(webhooks, 'HTTP routes that drive task flows'),
        }),
      'Plugins by name',
    ),
  });
}
