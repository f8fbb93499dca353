import * as fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { plotRows, sparkline } from '../../../src/ui/components/plot.js';

const test = suite('plots');

test('each cell has two counts, each row four dots, from the bottom', () => {
  assert.equal(plotRows([0, 1, 2, 3, 4, 4], { columns: 3, rows: 1 }), ['⢀⣴⣿']);
  assert.equal(plotRows([8, 4], { columns: 1, rows: 2 }), ['⡇', '⣿']);
});

test('a count above zero is visible, a cell without any is empty', () => {
  assert.equal(plotRows([1, 1000, 0, 0], { columns: 2, rows: 1 }), ['⣸⠀']);
  assert.equal(plotRows([], { columns: 2, rows: 1 }), ['⠀⠀']);
  assert.equal(plotRows([0, 0], { columns: 2, rows: 1 }), ['⠀⠀']);
});

test('more counts than fit are joined to their highest', () => {
  assert.equal(plotRows([0, 4, 0, 0, 0, 4, 0, 0], { columns: 2, rows: 1 }), ['⡇⡇']);
});

test('has the requested size, whatever the counts', () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat(), { maxLength: 300 }),
      fc.nat(80),
      fc.nat(6),
      (counts, columns, rows) => {
        const plotted = plotRows(counts, { columns, rows });
        assert.is(plotted.length, rows);
        for (const row of plotted) assert.match(row, new RegExp(`^[\\u2800-\\u28FF]{${columns}}$`));
      },
    ),
  );
});

test('a sparkline shows the maximum as full, zero as a dot, and small values low', () => {
  assert.is(sparkline([0, 1, 4, 8], 4), '·▁▄█');
  assert.is(sparkline([1, 1, 0, 0, 1000, 0], 3), '▁·█');
  assert.is(sparkline([], 10), '');
  assert.is(sparkline([5], 0), '');
});

test.run();
