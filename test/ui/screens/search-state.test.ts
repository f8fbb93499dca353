import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type EditedLine,
  EMPTY_LINE,
  editLine,
  type LineEdit,
  windowLine,
} from '../../../src/ui/components/line-editor.js';
import { splitGraphemes, textWidth } from '../../../src/ui/fit.js';
import {
  reduceSearchScreen,
  type SearchScreenEvent,
  START_SEARCH_SCREEN,
} from '../../../src/ui/screens/search/state.js';
import { createStore } from '../../../src/ui/screens/store.js';
import { aResponse, aResult } from './search-builders.js';

function edit(line: EditedLine, ...edits: readonly LineEdit[]): EditedLine {
  return edits.reduce(editLine, line);
}

function typed(text: string): EditedLine {
  return edit(EMPTY_LINE, { type: 'insert', text });
}

test('moves and erases whole characters, however many code points they have', () => {
  const line = typed('a👩‍👩‍👧e\u0301');
  assert.is(edit(line, { type: 'erase' }).text, 'a👩‍👩‍👧');
  assert.is(edit(line, { type: 'left' }, { type: 'erase' }).text, 'ae\u0301');
  const inserted = edit(line, { type: 'home' }, { type: 'right' }, { type: 'insert', text: '日' });
  assert.equal(inserted, { text: 'a日👩‍👩‍👧e\u0301', cursor: 2 });
});

test('erases words and both sides of the cursor', () => {
  assert.is(edit(typed('two words '), { type: 'eraseWord' }).text, 'two ');
  const middle = edit(typed('two words'), ...Array<LineEdit>(5).fill({ type: 'left' }));
  assert.equal(edit(middle, { type: 'eraseToStart' }), { text: 'words', cursor: 0 });
  assert.equal(edit(middle, { type: 'eraseToEnd' }), { text: 'two ', cursor: 4 });
});

test('what is pasted becomes one harmless line of bounded length', () => {
  assert.is(typed('a\r\nb\u001B[2J\u202E').text, 'a b [2J');
  assert.is(typed('x'.repeat(100_000)).text.length, 4096);
});

test('the cursor stays on a boundary and in sight whatever is typed', () => {
  const anEdit: fc.Arbitrary<LineEdit> = fc.oneof(
    fc.constantFrom<LineEdit>(
      { type: 'left' },
      { type: 'right' },
      { type: 'home' },
      { type: 'end' },
      { type: 'erase' },
      { type: 'eraseWord' },
    ),
    fc
      .string({ unit: fc.constantFrom('a', ' ', '日', '👩‍👩‍👧', 'e\u0301') })
      .map((text): LineEdit => ({ type: 'insert', text })),
  );
  fc.assert(
    fc.property(fc.array(anEdit), fc.integer({ min: 3, max: 30 }), (edits, columns) => {
      const line = edit(EMPTY_LINE, ...edits);
      const before = line.text.slice(0, line.cursor);
      const after = line.text.slice(line.cursor);
      assert.is(
        splitGraphemes(before).length + splitGraphemes(after).length,
        splitGraphemes(line.text).length,
      );
      const { shown, cursorColumn } = windowLine(line, columns);
      assert.ok(textWidth(shown) <= columns);
      assert.ok(cursorColumn >= 0 && cursorColumn < columns);
    }),
  );
});

test('the selection is always one of the results, for any events', () => {
  const anEvent: fc.Arbitrary<SearchScreenEvent> = fc.oneof(
    fc.integer().map((by): SearchScreenEvent => ({ type: 'moved', by })),
    fc
      .constantFrom('input' as const, 'list' as const)
      .map((focus): SearchScreenEvent => ({ type: 'focused', focus })),
    fc.nat({ max: 5 }).map((count): SearchScreenEvent => {
      const results = Array.from({ length: count }, (_, at) => aResult(at));
      return { type: 'answered', response: aResponse({ results }), refines: count % 2 === 0 };
    }),
    fc.constant<SearchScreenEvent>({ type: 'failed', trouble: { message: 'x' } }),
    fc.constant<SearchScreenEvent>({ type: 'cleared' }),
  );
  fc.assert(
    fc.property(fc.array(anEvent), (events) => {
      const model = events.reduce(reduceSearchScreen, START_SEARCH_SCREEN);
      const count = model.response?.results.length ?? 0;
      assert.ok(model.selected >= 0 && model.selected <= Math.max(0, count - 1));
      if (count === 0) assert.is(model.focus, 'input');
      if (model.trouble !== undefined) assert.is(model.response, undefined);
    }),
  );
});

test('a passage that comes late is not shown beside another result', () => {
  const response = aResponse({ results: [aResult(0), aResult(1)] });
  const [first] = response.results;
  assert.ok(first);
  const moved = [
    { type: 'answered', response, refines: false } as const,
    { type: 'moved', by: 1 } as const,
  ].reduce(reduceSearchScreen, START_SEARCH_SCREEN);
  const preview = { state: 'ready', passage: { startLine: 1, text: 'late' } } as const;
  assert.is(reduceSearchScreen(moved, { type: 'previewed', result: first, preview }), moved);
});

test('the whole answer keeps the passage that was chosen meanwhile, wherever it stands now', () => {
  const quick = aResponse({ results: [aResult(0), aResult(1), aResult(2)] });
  const whole = aResponse({ results: [aResult(5), aResult(2), aResult(0)], mode: 'hybrid' });
  const chosen = (by: number): number =>
    [
      { type: 'answered', response: quick, refines: false } as const,
      { type: 'moved', by } as const,
      { type: 'answered', response: whole, refines: true } as const,
    ].reduce(reduceSearchScreen, START_SEARCH_SCREEN).selected;
  assert.equal([chosen(2), chosen(1), chosen(0)], [1, 0, 0]);
});

test('a paced store tells at once after a rest, and the last change of a burst', async () => {
  let now = 0;
  const store = createStore(0, (sum: number, by: number) => sum + by, {
    everyMs: 20,
    now: () => now,
  });
  const told: number[] = [];
  const unsubscribe = store.subscribe(() => told.push(store.getSnapshot()));
  store.dispatch(1);
  assert.equal(told, [1]);
  store.dispatch(1);
  store.dispatch(0);
  store.dispatch(1);
  assert.equal(told, [1]);
  now = 20;
  store.dispatch(1);
  assert.equal(told, [1, 4]);
  store.dispatch(1);
  await new Promise<void>((resolve) => store.subscribe(resolve));
  assert.equal(told, [1, 4, 5]);
  unsubscribe();
});

test.run();
