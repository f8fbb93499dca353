import type { HttpAnswer } from '../http/http-client.js';
import { parseAnswer } from '../http/parse-answer.js';
import { jsonAt, messageIn } from '../http/status-fault.js';
import { inInputOrder, readVector } from '../read-vectors.js';
import type { VendorAnswer } from '../vendor.js';
import { VendorFault } from '../vendor-fault.js';

/**
 * Reads `{data: [{index, embedding}], usage}`, the answer that OpenAI made common; vectors as
 * numbers or base64.
 *
 * @param count how many inputs were sent
 * @throws VendorFault
 */
export function readOpenAiAnswer(answer: HttpAnswer, count: number): VendorAnswer {
  const body = parseAnswer(answer);
  const data = jsonAt(body, 'data');
  if (!Array.isArray(data)) {
    // Some servers say with status 200 that there is no such route.
    const said = messageIn(jsonAt(body, 'error'));
    throw new VendorFault({
      kind: 'answer',
      message: `the answer is broken: it ${said === undefined ? 'has no "data"' : `says "${said}"`}`,
      hint: 'the address may belong to something other than an embeddings endpoint',
    });
  }
  const items = data.map((item: unknown, position) => {
    const index = jsonAt(item, 'index');
    return {
      // Some OpenAI-compatible servers leave it out; then the order is all there is.
      index: typeof index === 'number' ? index : position,
      vector: readVector(jsonAt(item, 'embedding')),
    };
  });
  const tokens = jsonAt(body, 'usage', 'total_tokens') ?? jsonAt(body, 'usage', 'prompt_tokens');
  return {
    vectors: inInputOrder(items, count),
    // Some servers do not count, and say 0.
    tokens: typeof tokens === 'number' && tokens > 0 ? tokens : undefined,
  };
}
