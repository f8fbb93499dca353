import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ROOT } from '../support/run-svc.js';
import { playMonkey } from '../support/screen-monkey.js';
import { ENDING_SCREENS, SCREENS, type ScreenName } from '../support/screens.js';

/** Every screen, treated badly. `npm run monkey` does it for longer. */
const test = suite('screens under random input');

const NAMES = Object.keys(SCREENS) as readonly ScreenName[];

test('every screen is listed', () => {
  const folders = readdirSync(join(ROOT, 'src/ui/screens'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
  const listed = [...Object.values(SCREENS).map(({ folder }) => folder), ...ENDING_SCREENS];
  assert.equal([...new Set<string>(listed)].sort(), folders.sort());
});

const INPUTS = 30;

test('nothing crashes, and the terminal is restored after a kill or a hang-up', async () => {
  for (const [at, name] of NAMES.entries()) await playMonkey(name, at + 1, INPUTS);
});

test.run();
