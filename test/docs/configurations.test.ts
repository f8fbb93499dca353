import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { checkConfigText } from '../../src/engine/config/check.js';
import { configSchema } from '../../src/engine/config/schema/index.js';
import { allPages, fencesOf } from './pages.js';

const SECTIONS = Object.keys(configSchema.shape);

/** All but the page of what svc prints, which names sections too. */
const pages = allPages().filter(({ path }) => path !== 'docs/json.md');
/** The blocks that begin with a section of the configuration. */
const examples = pages.flatMap(({ path, text }) =>
  fencesOf(text)
    .filter(({ language }) => /^json/.test(language))
    .filter((fence) => {
      const first = /^\s*\{\s*"?(\w+)"?\s*:\s*[{[]/.exec(fence.text)?.[1];
      return first !== undefined && SECTIONS.includes(first);
    })
    .map((fence) => ({ path, text: fence.text })),
);

test('the documentation contains configurations', () => {
  assert.ok(examples.length >= 12, String(examples.length));
});

for (const [at, { path, text }] of examples.entries()) {
  test(`configuration ${at + 1} of ${path} is valid as written`, () => {
    const { faults } = checkConfigText(path, text);
    assert.equal(
      faults.map(({ location, message }) => `line ${location.line}: ${message}`),
      [],
    );
  });
}

test.run();
