import type { Change } from '../documents.js';

/** A change set with at most one change of each document, to the same effect. */
export function mergedChanges(changes: Iterable<Change>): readonly Change[] {
  const merged = new Map<string, Change>();
  for (const change of changes) {
    const { source, path } =
      change.type === 'put' || change.type === 'extend' ? change.document : change.key;
    const key = `${source}:${path}`;
    const earlier = merged.get(key);
    merged.set(key, earlier === undefined ? change : together(earlier, change));
  }
  return [...merged.values()];
}

function together(earlier: Change, later: Change): Change {
  const isWritten = earlier.type === 'put' || earlier.type === 'extend';
  if (!isWritten || later.type === 'put' || later.type === 'remove') return later;
  if (later.type === 'touch') {
    const { fingerprint } = later;
    return { ...earlier, document: { ...earlier.document, fingerprint } };
  }
  const { document, replacesLast } = later;
  const known = earlier.document.chunks;
  const chunks = [...known.slice(0, Math.max(0, known.length - replacesLast)), ...document.chunks];
  const whole = { ...document, chunks };
  if (earlier.type === 'put') return { type: 'put', document: whole };
  const further = Math.max(0, replacesLast - known.length);
  return { type: 'extend', document: whole, replacesLast: earlier.replacesLast + further };
}
