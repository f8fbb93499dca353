import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  decodeHits,
  type Postings,
  RunWriter,
  runBytes,
  withoutChunks,
} from '../../../../../src/engine/memory/index/postgres/posting-bytes.js';

const test = suite('postings as bytes');

const WEIGHTS = [3, 1];

/** A row of a term that is once in each of these chunks, from some change sets. */
function rowOf(changeSets: readonly (readonly number[])[]): Postings {
  const writer = new RunWriter(WEIGHTS);
  const runs = changeSets.flatMap((chunks) => {
    for (const chunk of chunks) writer.add(chunk, chunk % WEIGHTS.length, chunk % 500);
    return writer.take();
  });
  return {
    hits: Buffer.concat(runs.map((run) => runBytes(run, 0))),
    places: Buffer.concat(runs.map(({ places }) => places)),
  };
}

function read(row: Postings, isGone: (chunk: number) => boolean) {
  const { ids, weights, placesOf } = decodeHits([row], isGone);
  return [...ids].map((id, hit) => ({ id, weight: weights[hit], places: placesOf?.(hit) }));
}

const nothing = (): boolean => false;

test('rows without some chunks are read like rows of which these are left out', () => {
  const chunks = fc.uniqueArray(fc.integer({ min: 0, max: 5000 }), { maxLength: 900 });
  fc.assert(
    fc.property(chunks, fc.nat(3), fc.func(fc.boolean()), (some, sets, choose) => {
      const isGone = (chunk: number): boolean => choose(chunk);
      const ascending = some.toSorted((a, b) => a - b);
      const size = Math.ceil(ascending.length / (sets + 1));
      const row = rowOf(
        Array.from({ length: sets + 1 }, (_, at) => ascending.slice(at * size, (at + 1) * size)),
      );
      const left = withoutChunks(row, isGone);
      assert.is(left === undefined, !ascending.some(isGone));
      assert.equal(read(left ?? row, nothing), read(row, isGone));
    }),
  );
});

test.run();
