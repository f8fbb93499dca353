import { type ReactElement, useSyncExternalStore } from 'react';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { List, layoutTable } from '../../../src/ui/components/list.js';
import {
  EMPTY_LIST,
  type ListEvent,
  type ListItem,
  type ListState,
  listView,
  reduceList,
} from '../../../src/ui/components/list-state.js';
import { PANE_TOP, Pane, reducePane } from '../../../src/ui/components/pane.js';
import { createStore } from '../../../src/ui/components/store.js';
import { createStyle } from '../../../src/ui/style.js';
import { mountScreen } from '../../../src/ui/terminal/mount-screen.js';
import { assertRestored, createTerminal, waitForText } from '../../support/terminal.js';
import { waitFor } from '../../support/wait.js';

const STYLE = createStyle(false);

const test = suite('lists and panes with a mouse');

const ITEMS: readonly ListItem[] = Array.from({ length: 30 }, (_, at) => ({
  id: `id-${at}`,
  text: `entry ${at}`,
}));

/** The first row of the terminal is 1. */
function click(column: number, row: number): string {
  return `\u001B[<0;${column};${row}M\u001B[<0;${column};${row}m`;
}
const WHEEL_DOWN = '\u001B[<65;4;4M';
const WHEEL_UP = '\u001B[<64;4;4M';

test('a click selects, a second one opens, the wheel moves', async () => {
  const store = createStore<ListState<ListItem>, ListEvent<ListItem>>(EMPTY_LIST, reduceList);
  store.dispatch({ type: 'replaced', items: ITEMS });
  const opened: string[] = [];
  function View(): ReactElement {
    const state = useSyncExternalStore(store.subscribe, store.getSnapshot);
    return (
      <List
        state={state}
        dispatch={store.dispatch}
        row={({ text }, columns, isSelected) => `${text} of ${columns}${isSelected ? ' !' : ''}`}
        area={{ columns: 30, rows: 8, x: 0, y: 0 }}
        empty="nothing"
        onOpen={({ id }) => void opened.push(id)}
      />
    );
  }
  const terminal = createTerminal(40, 12);
  terminal.stdout.write('$ svc\r\n');
  const screen = mountScreen(<View />, { ...terminal, style: STYLE });
  await waitForText(terminal, '❯ entry 0 of 28 !');
  assert.is(terminal.buffer.mouse, true);
  terminal.type(click(3, 4));
  await waitForText(terminal, '❯ entry 3 of 28 !');
  assert.equal(opened, []);
  terminal.type(click(3, 4) + click(35, 4) + click(3, 11));
  await waitFor('it to open', () => opened.length > 0);
  assert.equal(opened, ['id-3']);
  terminal.type(WHEEL_DOWN.repeat(10) + WHEEL_UP);
  await waitForText(terminal, '❯ entry 12 of 28 !');
  assert.is(listView(store.getSnapshot()).above > 0, true);
  await screen.unmount();
  assertRestored(terminal, '$ svc');
});

test('the wheel scrolls a pane', async () => {
  const store = createStore(PANE_TOP, reducePane);
  const text = ITEMS.map((item) => ({ text: item.text }));
  function View(): ReactElement {
    const state = useSyncExternalStore(store.subscribe, store.getSnapshot);
    const area = { columns: 30, rows: 6, x: 0, y: 0 };
    return <Pane state={state} dispatch={store.dispatch} text={text} area={area} />;
  }
  const terminal = createTerminal(40, 12);
  const screen = mountScreen(<View />, { ...terminal, style: STYLE });
  await waitForText(terminal, 'lines 1–5 of 30');
  terminal.type(WHEEL_DOWN);
  await waitForText(terminal, 'lines 4–8 of 30');
  await screen.unmount();
});

test('a list of one row shows an entry rather than its titles', async () => {
  const store = createStore<ListState<ListItem>, ListEvent<ListItem>>(EMPTY_LIST, reduceList);
  store.dispatch({ type: 'replaced', items: ITEMS });
  const terminal = createTerminal(40, 12);
  const screen = mountScreen(
    <List
      state={store.getSnapshot()}
      dispatch={store.dispatch}
      columns={[{ title: 'what', cell: ({ text }) => text }]}
      area={{ columns: 30, rows: 1, x: 0, y: 0 }}
      empty="nothing"
    />,
    { ...terminal, style: STYLE },
  );
  await waitForText(terminal, '❯ entry 0');
  await screen.unmount();
});

test('on a narrow terminal, a long cell is cut instead of its column dropped', () => {
  const name = 'memory:an-agent-with-a-long-name';
  const columns = [
    { title: 'service', cell: ({ text }: ListItem) => text },
    { title: 'last', cell: () => 'up to date' },
  ];
  const { row } = layoutTable(columns, [{ id: '1', text: name }], { width: 34, style: STYLE });
  assert.match(row({ id: '1', text: name }, false), /^memory:an-ag… {2}up to date/u);
});

test('a pane of one row shows one line of its text, and nothing else', async () => {
  const text = ITEMS.map((item) => ({ text: item.text }));
  const area = { columns: 30, rows: 1, x: 0, y: 0 };
  const terminal = createTerminal(40, 12);
  const pane = <Pane state={PANE_TOP} dispatch={() => undefined} text={text} area={area} />;
  const screen = mountScreen(pane, { ...terminal, style: STYLE });
  await waitForText(terminal, 'entry 0');
  assert.equal(terminal.screen(), ['entry 0']);
  await screen.unmount();
});

test.run();
