import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type EditedLine,
  EMPTY_LINE,
  editLine,
  type LineEdit,
  visibleLine,
} from '../../../src/ui/components/line-editor.js';
import { createStore } from '../../../src/ui/components/store.js';
import { splitGraphemes, textWidth } from '../../../src/ui/fit.js';
import {
  INITIAL_SEARCH,
  reduceSearch,
  type SearchAnswer,
  type SearchEvent,
  type SearchState,
  selectedItem,
} from '../../../src/ui/screens/search/state.js';
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

test('pasted text becomes one safe line of bounded length', () => {
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
      const { text, cursorColumn } = visibleLine(line, columns);
      assert.ok(textWidth(text) <= columns);
      assert.ok(cursorColumn >= 0 && cursorColumn < columns);
    }),
  );
});

function answerAt(...places: readonly number[]): SearchAnswer {
  return { response: aResponse({ results: places.map(aResult) }), memory: 'main', chips: [] };
}

function after(...events: readonly SearchEvent[]): SearchState {
  return events.reduce(reduceSearch, INITIAL_SEARCH);
}

const quick = (...places: readonly number[]): SearchEvent => {
  return { type: 'answered', answer: answerAt(...places), isFinal: false, isSame: false };
};
const whole = (...places: readonly number[]): SearchEvent => {
  return { type: 'answered', answer: answerAt(...places), isFinal: true, isSame: true };
};
const DOWN: SearchEvent = { type: 'list', event: { type: 'moved', to: 'down' } };
const TEXT = { startLine: 1, text: 'late' };

test('the selection is always one of the results, for any events', () => {
  const anEvent: fc.Arbitrary<SearchEvent> = fc.oneof(
    fc
      .constantFrom('up' as const, 'down' as const, 'last' as const, 'pageDown' as const)
      .map((to): SearchEvent => ({ type: 'list', event: { type: 'moved', to } })),
    fc
      .constantFrom('input' as const, 'list' as const)
      .map((focus): SearchEvent => ({ type: 'focused', focus })),
    fc.nat({ max: 5 }).map((count): SearchEvent => {
      const places = Array.from({ length: count }, (_, at) => at);
      return count % 2 === 0 ? quick(...places) : whole(...places);
    }),
    fc.constantFrom<SearchEvent>({ type: 'jumped', by: 1 }, { type: 'jumped', by: -1 }),
    fc.integer().map((by): SearchEvent => ({ type: 'scrolled', by })),
    fc.constant<SearchEvent>({ type: 'failed', fault: { message: 'x' } }),
    fc.constant<SearchEvent>({ type: 'cleared' }),
  );
  fc.assert(
    fc.property(fc.array(anEvent), (events) => {
      const state = after(...events);
      const item = selectedItem(state);
      assert.is(item === undefined, state.list.items.length === 0);
      if (item === undefined) assert.is(state.focus, 'input');
      if (state.fault !== undefined) assert.is(item, undefined);
    }),
  );
});

test('no results for an unfinished word leave the earlier results', () => {
  const before = after(quick(0, 1));
  assert.is(reduceSearch(before, quick()), before);
  const end = reduceSearch(before, whole());
  assert.equal(end.list.items, []);
  assert.equal(end.answer?.response?.results, []);
});

test('a passage that arrives late is not shown next to another result', () => {
  const moved = after(quick(0, 1), DOWN);
  const [first] = moved.list.items;
  assert.ok(first);
  const preview = { item: first, content: TEXT };
  assert.is(reduceSearch(moved, { type: 'previewed', preview }), moved);
});

test('full results keep the passage selected meanwhile, wherever it is now', () => {
  const chosen = (...moves: readonly SearchEvent[]): string | undefined =>
    selectedItem(after(quick(0, 1, 2), ...moves, whole(5, 2, 0)))?.result.path;
  assert.is(chosen(DOWN, DOWN), 'memory/note-02.md');
  assert.is(chosen(), 'memory/note-05.md');
  const typedOn = after(quick(0, 1, 2), DOWN, quick(3, 1));
  assert.is(selectedItem(typedOn)?.result.path, 'memory/note-03.md');
});

test('matches are visited in a circle from the first visible one, and scrolling stays within the text', () => {
  const layout = { rows: 10, length: 100, first: 40, matches: [5, 42, 60] };
  const laidOut: SearchEvent = { type: 'laidOut', layout };
  const next: SearchEvent = { type: 'jumped', by: 1 };
  const at = (...events: readonly SearchEvent[]) => {
    const { match, top } = after(quick(0), laidOut, ...events);
    return [match, top];
  };
  assert.equal(at(), [undefined, undefined]);
  assert.equal(at(next), [1, 39]);
  assert.equal(at(next, next), [2, 57]);
  assert.equal(at(next, next, next), [0, 2]);
  assert.equal(at(next, { type: 'jumped', by: -1 }), [0, 2]);
  assert.equal(at({ type: 'scrolled', by: 1000 }), [undefined, 90]);
  assert.equal(at({ type: 'scrolled', by: -1000 }), [undefined, 0]);
});

test('another passage starts at its own place; the same one, read again, stays where it is', () => {
  const state = after(quick(0, 1));
  const [item, other] = state.list.items;
  assert.ok(item && other);
  const shown = (one: typeof item): SearchEvent => {
    return { type: 'previewed', preview: { item: one, content: TEXT } };
  };
  const scrolled = [
    shown(item),
    { type: 'laidOut', layout: { rows: 1, length: 9, first: 0, matches: [] } } as const,
    { type: 'scrolled', by: 3 } as const,
  ].reduce(reduceSearch, state);
  assert.is(reduceSearch(scrolled, shown(item)).top, 3);
  assert.is([DOWN, shown(other)].reduce(reduceSearch, scrolled).top, undefined);
});

test('a query recalled from the history becomes typed text when edited', () => {
  const recalled = after({ type: 'recalled', at: 2, query: 'old' });
  assert.equal([recalled.input.cursor, recalled.historyAt], [3, 2]);
  const moved = reduceSearch(recalled, { type: 'edited', edit: { type: 'left' } });
  assert.is(moved.historyAt, 2);
  const edited = reduceSearch(moved, { type: 'edited', edit: { type: 'erase' } });
  assert.is(edited.historyAt, undefined);
});

test('progress is shown while the index is built', () => {
  const event = { type: 'document.indexed', path: 'a.md', bytes: 1, chunks: 2 } as const;
  const synced = after({ type: 'synced', event, atMs: 5 });
  assert.is(synced.progress?.chunks, 2);
});

test('a store with an interval reports at once after a pause, and then the last change of a burst', async () => {
  let now = 0;
  const store = createStore(0, (sum: number, by: number) => sum + by, {
    everyMs: 20,
    now: () => now,
  });
  const snapshots: number[] = [];
  const unsubscribe = store.subscribe(() => snapshots.push(store.getSnapshot()));
  store.dispatch(1);
  assert.equal(snapshots, [1]);
  store.dispatch(1);
  store.dispatch(0);
  store.dispatch(1);
  assert.equal(snapshots, [1]);
  now = 20;
  store.dispatch(1);
  assert.equal(snapshots, [1, 4]);
  store.dispatch(1);
  await new Promise<void>((resolve) => store.subscribe(resolve));
  assert.equal(snapshots, [1, 4, 5]);
  unsubscribe();
});

test.run();
