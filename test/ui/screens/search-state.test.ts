import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  INITIAL_SEARCH,
  reduceSearch,
  type SearchAnswer,
  type SearchEvent,
  type SearchState,
  selectedItem,
} from '../../../src/ui/screens/search/state.js';
import { aSummary } from '../memory/sync-builders.js';
import { aResponse, aResult } from './search-builders.js';

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

test('progress is shown while the index is built, and no longer', () => {
  const event = { type: 'document.indexed', path: 'a.md', work: 1, chunks: 2 } as const;
  const synced = after({ type: 'synced', event, atMs: 5 });
  assert.is(synced.progress?.chunks, 2);
  const finished = { type: 'sync.finished', summary: aSummary() } as const;
  const then = reduceSearch(synced, { type: 'synced', event: finished, atMs: 6 });
  assert.is(then.progress, undefined);
  assert.is(reduceSearch(then, { type: 'synced', event: finished, atMs: 7 }), then);
});

test('a note stays until a key changes something, and a resized terminal leaves it', () => {
  const noted = after(quick(0, 1), { type: 'noted', note: { text: 'copied', isFault: false } });
  const keys: readonly SearchEvent[] = [
    { type: 'edited', edit: { type: 'insert', text: 'a' } },
    { type: 'focused', focus: 'list' },
    { type: 'help', on: true },
    DOWN,
  ];
  for (const key of keys) assert.is(reduceSearch(noted, key).note, undefined, key.type);
  const resized = reduceSearch(noted, { type: 'list', event: { type: 'sized', rows: 7 } });
  assert.equal([resized.list.rows, resized.note], [7, noted.note]);
});

test('events that change nothing leave the same state, so that nothing is drawn', () => {
  const first: SearchEvent = { type: 'list', event: { type: 'moved', to: 'first' } };
  const state = after(quick(0, 1), first);
  const events: readonly SearchEvent[] = [
    first,
    { type: 'focused', focus: 'input' },
    { type: 'edited', edit: { type: 'left' } },
    { type: 'scrolled', by: 1 },
    { type: 'jumped', by: 1 },
    { type: 'fullSearch', isPending: false },
  ];
  for (const event of events) assert.is(reduceSearch(state, event), state, event.type);
  const pending = reduceSearch(state, { type: 'fullSearch', isPending: true });
  assert.is(pending.isFullSearchPending, true);
});

test('explanations are shown and hidden', () => {
  const shown = after({ type: 'explained' });
  assert.is(shown.showsExplanation, !INITIAL_SEARCH.showsExplanation);
  assert.is(reduceSearch(shown, { type: 'explained' }).showsExplanation, !shown.showsExplanation);
});

test.run();
