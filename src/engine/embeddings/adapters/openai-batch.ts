import { plainText } from '../requests/input-text.js';
import type { VendorBatch } from '../vendor.js';
import type { BatchConnection } from './files-api.js';
import { createFileBatch } from './openai-files.js';

/** OpenAI's guide "Batch": requests and inputs in one file, and its size. */
const LIMITS = { maxEntries: 50_000, maxBytes: 200_000_000 } as const;

/**
 * OpenAI's batch API for embeddings: half the price, done within 24 hours.
 *
 * @param body what each document's request says besides its text
 */
export function createOpenAiBatch(
  connection: BatchConnection,
  body: Readonly<Record<string, unknown>>,
): VendorBatch {
  return createFileBatch(connection, {
    limits: LIMITS,
    line: ({ key, input }) => ({
      custom_id: key,
      method: 'POST',
      url: '/v1/embeddings',
      body: { ...body, input: plainText(input) },
    }),
    job: { endpoint: '/v1/embeddings', completion_window: '24h' },
  });
}
