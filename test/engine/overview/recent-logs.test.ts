import { utimesSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { recentLogs } from '../../../src/engine/overview/bug-report-files.js';
import { tempFolder } from '../../support/temp-folder.js';

const test = suite('logs of a bug report');

test('next to a configured log, only its own names are logs', () => {
  const folder = tempFolder();
  const log = folder.write('house.log', '{"msg":"now"}\n');
  utimesSync(folder.write('house.log.1', '{"msg":"before"}\n'), 1000, 1000);
  for (const name of ['house.md', 'house', 'house.log.md', 'house.log.old', 'household.log']) {
    folder.write(name, 'a note\n');
  }
  const found = recentLogs(folder.at('state'), log);
  assert.equal(
    found.map(({ name, content }) => [name, content.toString()]),
    [
      ['logs/house.log', '{"msg":"now"}\n'],
      ['logs/house.log.1', '{"msg":"before"}\n'],
    ],
  );
});

test('without one, the logs of the state folder are', () => {
  const folder = tempFolder();
  folder.write('logs/capture.log', '{"msg":"kept"}\n');
  folder.write('logs/serve.log.2.gz', 'x');
  const names = recentLogs(folder.path, undefined).map(({ name }) => name);
  assert.equal(names, ['logs/capture.log']);
});

test.run();
