import { jsonAt } from '../../../http/status-fault.js';
import { readVector } from '../../../read-vectors.js';
import { type Family, oneText } from './family.js';

/**
 * `amazon.nova-2-multimodal-embeddings`, texts only ("Complete embeddings request and response
 * schema"). The length is always sent: the service's own default is 3072, ours is 1024
 * (spec/memory-search §2.3).
 */
export const NOVA: Family = {
  limits: oneText(8192, 8192),
  // What is stored is text alone, so questions need not look among images.
  labels: { document: 'GENERIC_INDEX', query: 'TEXT_RETRIEVAL' },
  defaultDimensions: 1024,
  body: ({ texts: [value], label, dimensions }) => ({
    taskType: 'SINGLE_EMBEDDING',
    singleEmbeddingParams: {
      embeddingPurpose: label,
      embeddingDimension: dimensions,
      text: { truncationMode: 'END', value },
    },
  }),
  read: (answer) => ({ vectors: [readVector(jsonAt(answer, 'embeddings', 0, 'embedding'))] }),
};
