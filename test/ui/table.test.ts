import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { fitMiddle, textWidth } from '../../src/ui/fit.js';
import { fitLastColumn } from '../../src/ui/table.js';

const COLUMNS = [{ title: 'agent' }, { title: 'file' }];
const ROWS = [
  ['claude-code', '~/.config/somewhere/far/below/settings.json'],
  ['vscode', '~/x'],
];

test('without a terminal nothing is cut', () => {
  assert.equal(fitLastColumn(COLUMNS, ROWS, undefined), ROWS);
});

test('the last column ends where the terminal does, and colour counts nothing', () => {
  const painted = ROWS.map(([agent = '', file = '']) => [`\u001B[1m${agent}\u001B[22m`, file]);
  for (const fit of [undefined, fitMiddle]) {
    const [long, short] = fitLastColumn(COLUMNS, painted, 40, fit);
    assert.is(textWidth(`claude-code  ${long?.[1]}`), 40);
    assert.is(short?.[1], '~/x');
  }
});

test('something of it is left in the narrowest', () => {
  assert.is(textWidth(fitLastColumn(COLUMNS, ROWS, 5)[0]?.[1] ?? ''), 8);
});

test.run();
