import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { fitEnd, fitMiddle, textWidth } from '../../src/ui/fit.js';
import { createStyle } from '../../src/ui/style.js';
import { alignRows, fieldLines, limitNote, renderTable } from '../../src/ui/table.js';

const COLUMNS = ['agent', 'file'];
const ROWS = [
  ['claude-code', '~/.config/somewhere/far/below/settings.json'],
  ['vscode', '~/x'],
];

/** The rows as they are printed, without the titles. */
function bodyLines(
  rows: readonly (readonly string[])[],
  options: { readonly columns?: number; readonly fit?: typeof fitMiddle } = {},
) {
  return renderTable(COLUMNS, rows, { style: createStyle(false), ...options })
    .trimEnd()
    .split('\n')
    .slice(1);
}

test('tables are aligned in columns without borders', () => {
  const columns = [{ title: 'agent' }, { title: 'files', align: 'right' }] as const;
  const rows = [
    ['main', '12'],
    ['日本', '1'],
  ];
  assert.is(
    renderTable(columns, rows, { style: createStyle(false) }),
    'agent  files\nmain      12\n日本       1\n',
  );
  assert.match(
    renderTable(columns, rows, { style: createStyle(true) }),
    '\u001B[2magent\u001B[22m',
  );
});

test('without a terminal nothing is cut', () => {
  const [long, short] = bodyLines(ROWS);
  assert.is(long, 'claude-code  ~/.config/somewhere/far/below/settings.json');
  assert.is(short, 'vscode       ~/x');
});

test('the last column ends at the edge of the terminal, and colour has no width', () => {
  const painted = ROWS.map(([agent = '', file = '']) => [`\u001B[1m${agent}\u001B[22m`, file]);
  for (const fit of [fitEnd, fitMiddle]) {
    const [long = '', short = ''] = bodyLines(painted, { columns: 40, fit });
    assert.is(textWidth(long), 40);
    assert.ok(short.endsWith('  ~/x'));
  }
});

test('even the narrowest table shows part of each column', () => {
  assert.is(textWidth(bodyLines(ROWS, { columns: 5 })[0] ?? ''), 'claude-code  '.length + 8);
});

test('columns that can be missed are dropped until the last one has room, in their order', () => {
  const columns = [
    'id',
    { title: 'from', dropOrder: 2 },
    { title: 'session', dropOrder: 1 },
    'goal',
  ];
  const titles = (width: number | undefined, goal = 'g'.repeat(40)) => {
    const options = { style: createStyle(false), columns: width };
    const table = renderTable(columns, [['a', 'b', 'agent:main:main', goal]], options);
    for (const line of table.split('\n')) assert.ok(textWidth(line) <= (width ?? 80), line);
    return table.split('\n')[0]?.split(/ +/u).join(' ');
  };
  assert.is(titles(undefined), 'id from session goal');
  assert.is(titles(60), 'id from session goal');
  assert.is(titles(50), 'id from goal');
  assert.is(titles(30), 'id goal');
  assert.is(titles(31, 'ok'), 'id from session goal');
});

test('columns are as wide as what a terminal shows in them, and lines end without blanks', () => {
  const rows = [
    ['日本', '7', '\u001B[2mold\u001B[22m'],
    ['a', '1,024', ''],
    ['abcdef', '', 'one\ntwo'],
  ];
  assert.equal(alignRows(rows, ['left', 'right']), [
    '日本        7  \u001B[2mold\u001B[22m',
    'a       1,024',
    'abcdef         one',
    '               two',
  ]);
  assert.equal(alignRows([]), []);
});

test('very many rows, or lines of a cell, are aligned like a few, and all listed', () => {
  const names = Array.from({ length: 450 }, (_, at) => (at === 430 ? 'the longest' : `row ${at}`));
  const expected = names.map((name) => `${name.padEnd('the longest'.length)}  x`);
  assert.equal(alignRows(names.map((name) => [name, 'x'])), expected);
  // More than a function can take as arguments.
  const lines = Array.from({ length: 130_000 }, () => 'x');
  assert.equal(alignRows([[lines.join('\n'), 'y']]), ['x  y', ...lines.slice(1)]);
});

test('a line below a table says how much of everything it lists, only if that is not all', () => {
  const noteOf = (listed: number, noun: { readonly noun: string; readonly plural?: string }) =>
    limitNote({ listed, total: 1200, ...noun }, createStyle(false));
  const entries = { noun: 'entry', plural: 'entries' };
  assert.is(noteOf(20, { noun: 'flow' }), '20 of 1,200 flows; use --limit to show more\n');
  assert.is(noteOf(20, entries), '20 of 1,200 entries; use --limit to show more\n');
  assert.is(noteOf(1200, entries), '');
});

test('fields are one per line, without those that have no value', () => {
  const fields = [
    ['id', 'a'],
    ['goal', ''],
    ['from', null],
    ['session', 'main'],
    ['to', undefined],
  ] as const;
  assert.equal(fieldLines(fields, createStyle(false)), ['  id       a', '  session  main']);
});

test.run();
