import { plainText } from '../requests/input-text.js';
import type { VendorBatch } from '../vendor.js';
import type { BatchConnection } from './files-api.js';
import { createFileBatch } from './openai-files.js';

/** Voyage's page "Batch Inference": inputs of one job; a file may have 1 GB. */
const LIMITS = { maxEntries: 100_000, maxBytes: 1_000_000_000 } as const;

/**
 * Voyage's batch API for embeddings: a third cheaper, done within 12 hours. It follows OpenAI's,
 * except that a line holds the text alone and the job says what is done with it.
 *
 * @param params what an inline request for documents says besides its texts: `model`,
 *   `input_type`, `output_dimension` and so on
 */
export function createVoyageBatch(
  connection: BatchConnection,
  params: Readonly<Record<string, unknown>>,
): VendorBatch {
  return createFileBatch(connection, {
    limits: LIMITS,
    line: ({ key, input }) => ({ custom_id: key, body: { input: plainText(input) } }),
    job: { endpoint: '/v1/embeddings', completion_window: '12h', request_params: params },
  });
}
