import { existsSync, readdirSync, utimesSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { tidyTrialIndexes, trialStore } from '../../../src/engine/eval/trials.js';
import { NOTHING_FORGOTTEN } from '../../../src/engine/memory/forgotten/index.js';
import { trialIndexFolder } from '../../../src/engine/memory/open-memory.js';
import { resolveStatePaths } from '../../../src/engine/support/context.js';
import { tempFolder } from '../../support/temp-folder.js';

const test = suite('trial indexes');
const clock = { now: Date.now };

function stateWith(count: number) {
  const home = tempFolder();
  const state = resolveStatePaths({ SVC_HOME: home.path }, home.path);
  for (let at = 0; at < count; at++) {
    home.write(`memory/trials/t${at}.sqlite`, 'x');
    utimesSync(home.at(`memory/trials/t${at}.sqlite`), at + 1, at + 1);
  }
  home.write('memory/main.sqlite', 'the index of the person');
  const names = (): readonly string[] =>
    readdirSync(trialIndexFolder(state)).filter((name) => name.endsWith('.sqlite'));
  return { home, state, names };
}

test('the last used eight are kept', async () => {
  const { state, names } = stateWith(11);
  await tidyTrialIndexes(state, clock);
  assert.equal(
    names().toSorted(),
    ['t10', 't3', 't4', 't5', 't6', 't7', 't8', 't9'].map((name) => `${name}.sqlite`),
  );
});

test('what is forgotten goes with all of them, and the index of the person stays', async () => {
  const { home, state, names } = stateWith(3);
  assert.ok(trialStore(state, clock));
  const outcome = await trialStore(state, clock)?.follow(NOTHING_FORGOTTEN);
  assert.equal(outcome, { store: 'trial indexes', changed: 3, clean: true });
  assert.equal(names(), []);
  assert.is(trialStore(state, clock), undefined);
  assert.ok(existsSync(home.at('memory/main.sqlite')));
});

test('a home without trial indexes is not an error', async () => {
  const home = tempFolder();
  const state = resolveStatePaths({ SVC_HOME: home.path }, home.path);
  await tidyTrialIndexes(state, clock);
  assert.is(trialStore(state, clock), undefined);
});

test.run();
