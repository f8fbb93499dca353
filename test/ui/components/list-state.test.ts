import * as fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  EMPTY_LIST,
  type ListEvent,
  type ListItem,
  type ListState,
  listView,
  reduceList,
} from '../../../src/ui/components/list-state.js';

const test = suite('a list with a selection');

function items(...ids: readonly string[]): readonly ListItem[] {
  return ids.map((id) => ({ id, text: `Entry ${id}` }));
}

function after(
  state: ListState<ListItem>,
  ...events: readonly ListEvent<ListItem>[]
): ListState<ListItem> {
  return events.reduce(reduceList, state);
}

const FIVE = after(
  EMPTY_LIST,
  { type: 'replaced', items: items('a', 'b', 'c', 'd', 'e') },
  { type: 'sized', rows: 2 },
);

function selectedId(state: ListState<ListItem>): string | undefined {
  return listView(state).selected?.id;
}

test('the newest is selected until someone moves, then the same entry', () => {
  const newer = { type: 'replaced', items: items('z', 'a', 'b', 'c', 'd', 'e') } as const;
  assert.is(selectedId(after(FIVE, newer)), 'z');
  assert.is(selectedId(after(FIVE, { type: 'moved', to: 'down' }, newer)), 'b');
});

test('an entry that disappears leaves the selection to the next one, or else the last', () => {
  const atC = after(FIVE, { type: 'moved', to: 'down' }, { type: 'moved', to: 'down' });
  assert.is(selectedId(after(atC, { type: 'replaced', items: items('a', 'b', 'd', 'e') })), 'd');
  const last = after(FIVE, { type: 'moved', to: 'last' });
  const fewer = after(last, { type: 'replaced', items: items('a', 'b') });
  assert.is(selectedId(fewer), 'b');
  assert.is(selectedId(after(fewer, { type: 'replaced', items: [] })), undefined);
});

test('shows the part around the selection, and counts the rest', () => {
  const { visible, above, below } = listView(after(FIVE, { type: 'moved', to: 'pageDown' }));
  assert.equal([visible.map(({ id }) => id), above, below], [['a', 'b'], 0, 3]);
  const end = listView(after(FIVE, { type: 'moved', to: 'last' }));
  assert.equal([end.visible.map(({ id }) => id), end.above, end.below], [['d', 'e'], 3, 0]);
});

test('entries that start with the words of a filter come before those that contain them', () => {
  const items = ['memory eval: as memory search', 'memory search', 'memory search log'].map(
    (text) => {
      return { id: text, text };
    },
  );
  const list = after(EMPTY_LIST, { type: 'replaced', items });
  const filtered = after(list, { type: 'filtered', edit: { type: 'insert', text: 'Memory  se' } });
  assert.equal(
    listView(filtered).matching.map(({ id }) => id),
    ['memory search', 'memory search log', 'memory eval: as memory search'],
  );
});

test('an entry with the words of a filter in its id comes before those that only mention them', () => {
  const items = [
    ['memory eval', 'Measure search and status.'],
    ['memory search', 'Search a memory.'],
    ['memory status', 'Show what is indexed.'],
    ['status', 'Show everything.'],
  ].map(([id = '', summary]) => ({ id, text: `${id} ${summary}` }));
  const list = after(EMPTY_LIST, { type: 'replaced', items });
  const idsWith = (text: string) =>
    listView(after(list, { type: 'filtered', edit: { type: 'insert', text } })).matching.map(
      ({ id }) => id,
    );
  assert.equal(idsWith('search'), ['memory search', 'memory eval']);
  assert.equal(idsWith('status'), ['status', 'memory status', 'memory eval']);
  assert.equal(idsWith('mem st'), ['memory status', 'memory eval'], 'short forms of its words');
});

test('a filter keeps the entries that contain all its words', () => {
  const filtered = after(FIVE, { type: 'filtered', edit: { type: 'insert', text: ' D entry' } });
  assert.equal(
    listView(filtered).matching.map(({ id }) => id),
    ['d'],
  );
  assert.is(listView(after(filtered, { type: 'unfiltered' })).matching.length, 5);
});

test('events that change nothing leave the same list, so that nothing is drawn', () => {
  const filtered = after(FIVE, { type: 'filtered', edit: { type: 'insert', text: 'entry' } });
  const selected = after(filtered, { type: 'selected', id: 'b' });
  const events: readonly ListEvent<ListItem>[] = [
    { type: 'sized', rows: 2 },
    { type: 'selected', id: 'b' },
    { type: 'selected', id: 'unknown' },
    { type: 'filtered', edit: { type: 'insert', text: '' } },
  ];
  for (const event of events) assert.is(after(selected, event), selected, event.type);
  assert.is(after(FIVE, { type: 'unfiltered' }), FIVE);
  // Only the cursor moves: the selected entry keeps its row.
  const moved = after(selected, { type: 'filtered', edit: { type: 'left' } });
  assert.equal(moved, { ...selected, filter: { text: 'entry', cursor: 4 } });
});

const ids = fc.uniqueArray(fc.constantFrom(...'abcdefghijklmnop'), { maxLength: 12 });
const anEvent: fc.Arbitrary<ListEvent<ListItem>> = fc.oneof(
  ids.map((some) => ({ type: 'replaced' as const, items: items(...some) })),
  fc
    .constantFrom('up', 'down', 'first', 'last', 'pageUp', 'pageDown')
    .map((to) => ({ type: 'moved' as const, to })),
  fc
    .constantFrom('a', 'b', ' ', 'entry')
    .map((text) => ({ type: 'filtered' as const, edit: { type: 'insert' as const, text } })),
  fc.constant({ type: 'filtered' as const, edit: { type: 'erase' as const } }),
  fc.constant({ type: 'unfiltered' as const }),
  fc.integer({ min: 1, max: 9 }).map((rows) => ({ type: 'sized' as const, rows })),
);

test('whatever happens, the selection is visible and the view adds up', () => {
  fc.assert(
    fc.property(fc.array(anEvent, { maxLength: 40 }), fc.nat(9), (events, rows) => {
      const state = after(EMPTY_LIST, ...events);
      const view = listView(state, rows);
      assert.is(view.above + view.visible.length + view.below, view.matching.length);
      assert.ok(view.above >= 0 && view.below >= 0);
      if (view.matching.length === 0) {
        assert.is(view.selected, undefined);
        return;
      }
      assert.ok(view.selected !== undefined);
      if (rows > 0) assert.ok(view.visible.includes(view.selected), 'the selection is visible');
      // No room is left empty while there is more.
      assert.is(view.visible.length, Math.min(rows, view.matching.length));
    }),
  );
});

test('replacing entries never moves a selection that is still there, nor its row', () => {
  fc.assert(
    fc.property(fc.array(anEvent, { maxLength: 20 }), ids, ids, (events, above, below) => {
      const state = after(EMPTY_LIST, ...events, { type: 'unfiltered' });
      const { selected, visible } = listView(state);
      if (selected === undefined || state.selectedId === undefined) return;
      const others = [...above, ...below].filter((id) => id !== selected.id);
      const cut = above.length;
      const next = [...others.slice(0, cut), selected.id, ...others.slice(cut)];
      const then = listView(after(state, { type: 'replaced', items: items(...new Set(next)) }));
      assert.is(then.selected?.id, selected.id);
      const row = visible.indexOf(selected);
      const isRoom = then.at >= row && then.matching.length - then.at >= state.rows - row;
      if (isRoom) assert.is(then.at - then.above, row);
    }),
  );
});

test.run();
