import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { PAGE_SIZE, pageOf } from '../../../../src/engine/mcp/resources.js';

const test = suite('pages of a long list');

function all(names: readonly string[], between: (page: number) => readonly string[]): string[] {
  const given: string[] = [];
  let list = names;
  let cursor: string | undefined;
  for (let page = 0; page === 0 || cursor !== undefined; page++) {
    const found = pageOf(list, (name) => name, cursor);
    if (found === undefined) throw new Error('the cursor was refused');
    given.push(...found.items);
    cursor = found.nextCursor;
    list = between(page);
  }
  return given;
}

const lists = fc
  .uniqueArray(fc.nat(9999), { maxLength: 3 * PAGE_SIZE })
  .map((numbers) => numbers.map((number) => `n${String(number).padStart(4, '0')}`).toSorted());

test('contain every item once', () => {
  fc.assert(
    fc.property(lists, (names) =>
      assert.equal(
        all(names, () => names),
        names,
      ),
    ),
    { numRuns: 20 },
  );
});

test('lose no remaining item while others are removed', () => {
  const names = Array.from({ length: 3 * PAGE_SIZE }, (_, at) => `n${String(at).padStart(4, '0')}`);
  const staying = names.filter((_, at) => at % 3 !== 0);
  const given = all(names, () => staying);
  for (const name of staying) assert.ok(given.includes(name), name);
});

test('are refused for an invented cursor', () => {
  assert.is(
    pageOf(['a'], (name) => name, 'nonsense'),
    undefined,
  );
});

test.run();
