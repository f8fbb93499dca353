import { broken, readVector } from '../../../read-vectors.js';
import { type Family, type FamilyCall, firstAt } from './family.js';

const LABELS = { document: 'search_document', query: 'search_query' } as const;

/**
 * `cohere.embed-english-v3` and `-multilingual-v3` ("Cohere Embed v3"). A text of more than 2048
 * characters is refused whatever `truncate` says, which is about tokens alone.
 */
export const COHERE_V3: Family = {
  limits: {
    maxInputs: 96,
    maxTokensPerInput: 512,
    maxTokensPerRequest: 96 * 512,
    maxCharsPerInput: 2048,
  },
  labels: LABELS,
  defaultDimensions: undefined,
  body: ({ texts, label }) => ({ texts, input_type: label, truncate: 'END' }),
  read: (answer) => ({ vectors: readCohere(answer) }),
};

/**
 * `cohere.embed-v4` ("Cohere Embed v4"). The service gives four lengths, the configuration takes
 * all between (spec/memory-search §2.3): the next larger one is asked for and cut. The model is
 * trained so that the beginning of a vector is a vector itself; it is brought to unit length later.
 */
export const COHERE_V4: Family = {
  limits: { maxInputs: 96, maxTokensPerInput: 128_000, maxTokensPerRequest: 128_000 },
  labels: LABELS,
  defaultDimensions: 1536,
  body: ({ texts, label, dimensions }) => ({
    texts,
    input_type: label,
    embedding_types: ['float'],
    output_dimension: SERVED_LENGTHS.find((length) => length >= (dimensions ?? 0)),
    truncate: 'RIGHT',
  }),
  read: (answer, call) => ({ vectors: readCohere(answer).map((vector) => cut(vector, call)) }),
};

const SERVED_LENGTHS = [256, 512, 1024, 1536] as const;

function cut(vector: Float32Array, { dimensions }: FamilyCall): Float32Array {
  return dimensions === undefined || vector.length <= dimensions
    ? vector
    : vector.slice(0, dimensions);
}

/** Flat, or by type when types were asked for; v4 is seen to do either, so both are taken. */
const PLACES = [['embeddings', 'float'], ['embeddings']] as const;

function readCohere(answer: unknown): Float32Array[] {
  const vectors = firstAt(answer, PLACES);
  if (!Array.isArray(vectors)) throw broken('it has no "embeddings"');
  return vectors.map(readVector);
}
