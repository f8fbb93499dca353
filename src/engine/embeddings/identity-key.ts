import type { EmbeddingIdentity } from './embedding-adapter.js';

/** An identity as one string: equal strings mean comparable vectors. */
export function identityKey(identity: EmbeddingIdentity): string {
  const { adapter, endpoint, model, dimensions, documentForm } = identity;
  return JSON.stringify({ adapter, endpoint, model, dimensions, documentForm });
}

const FIELDS = ['adapter', 'endpoint', 'model', 'dimensions', 'documentForm'] as const;

/** The fields in which two identities differ, with both values, for people. */
export function identityKeyDifferences(stored: string, wanted: string): readonly string[] {
  const [before, after] = [stored, wanted].map((key): ReadonlyMap<string, unknown> => {
    const fields: unknown = JSON.parse(key);
    return new Map(typeof fields === 'object' && fields !== null ? Object.entries(fields) : []);
  });
  return FIELDS.filter((field) => before?.get(field) !== after?.get(field)).map(
    (field) => `${field}: ${shown(before?.get(field))} → ${shown(after?.get(field))}`,
  );
}

function shown(value: unknown): string {
  return value === null || value === '' || value === undefined ? 'default' : String(value);
}
