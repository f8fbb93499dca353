import { jsonAt } from '../../../http/status-fault.js';
import { readVector } from '../../../read-vectors.js';
import type { VendorAnswer } from '../../../vendor.js';
import { VendorFault } from '../../../vendor-fault.js';
import { type Family, oneText } from './family.js';

/** `amazon.titan-embed-text-v1` and `-g1-text-02` ("Amazon Titan Embeddings G1 - Text"). */
export const TITAN_TEXT: Family = {
  limits: oneText(8192, 50_000),
  labels: undefined,
  defaultDimensions: undefined,
  body: ({ texts: [inputText] }) => ({ inputText }),
  read: readTitan,
};

/** `amazon.titan-embed-text-v2` ("Amazon Titan Text Embeddings models"). */
export const TITAN_TEXT_V2: Family = {
  ...TITAN_TEXT,
  defaultDimensions: 1024,
  body: ({ texts: [inputText], dimensions }) => ({ inputText, dimensions, normalize: true }),
};

/** `amazon.titan-embed-image-v1`, texts only ("Amazon Titan Multimodal Embeddings G1"). */
export const TITAN_IMAGE: Family = { ...TITAN_TEXT, limits: oneText(256) };

function readTitan(answer: unknown): VendorAnswer {
  const vector = jsonAt(answer, 'embedding');
  const refusal = jsonAt(answer, 'message');
  // The image model says what is wrong with an input inside an answer that is good otherwise.
  if (!Array.isArray(vector) && typeof refusal === 'string' && refusal !== '') {
    throw new VendorFault({ kind: 'input', message: refusal });
  }
  const tokens = jsonAt(answer, 'inputTextTokenCount');
  return {
    vectors: [readVector(vector)],
    tokens: typeof tokens === 'number' ? tokens : undefined,
  };
}
