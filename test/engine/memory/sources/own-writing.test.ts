import { mkdirSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { withoutOwnWriting } from '../../../../src/engine/memory/sources/read-document.js';
import { backendOn, pathsOf, targetOf } from '../../../support/memory.js';
import { tempFolder } from '../../../support/temp-folder.js';

const test = suite('what svc wrote itself');

const NOTE = `# Today

Mine before.

<!-- svc:dreaming:light:start -->
## Light Sleep

- The zebra was recalled.
<!-- svc:dreaming:light:end -->

Mine after.
`;

test('blocks of dreaming are blanked, and lines keep their numbers', () => {
  const left = withoutOwnWriting(NOTE);
  assert.is(left.split('\n').length, NOTE.split('\n').length);
  assert.is(left.split('\n').indexOf('Mine after.'), 10);
  assert.not(left.includes('zebra'));
  assert.ok(left.startsWith('# Today\n\nMine before.\n'));
});

test('a block that was never ended goes to the end; other comments stay', () => {
  assert.is(withoutOwnWriting('a\n<!-- svc:dreaming:rem:start -->\nb\nc\n'), 'a\n\n\n\n');
  assert.is(withoutOwnWriting('<!-- mine -->\n'), '<!-- mine -->\n');
});

test('a block that was never ended does not take what stands above the next one', () => {
  const [start, end] = ['<!-- svc:dreaming:rem:start -->', '<!-- svc:dreaming:rem:end -->'];
  assert.is(
    withoutOwnWriting(`${start}\nmine\n${start}\nits\n${end}\nmine\n`),
    `${start}\nmine\n\n\n\nmine\n`,
  );
});

test('where a promoted entry came from is no memory, the entry is', () => {
  const text = '<!-- svc:memory-promotion:0123456789abcdef sweep=s -->\n- The backup runs.\n';
  assert.is(withoutOwnWriting(text), '\n- The backup runs.\n');
});

test('a search finds notes, and neither reports nor blocks of dreaming', async () => {
  const home = tempFolder();
  home.write('memory/2026-11-20.md', NOTE);
  home.write('memory/dreaming/light/2026-11-20.md', '# 2026-11-20\n\n- The zebra was recalled.\n');
  home.write('memory/notes/dreaming/zoo.md', 'The zebra of the zoo.\n');
  mkdirSync(home.at('memory/dreaming/rem'), { recursive: true });
  const backend = backendOn(targetOf(home.path, { layout: 'agent' }));
  assert.equal(pathsOf(await backend.search({ query: 'zebra' })), ['memory/notes/dreaming/zoo.md']);
  assert.equal(pathsOf(await backend.search({ query: 'mine' })), ['memory/2026-11-20.md']);
  await backend.close();
});

test.run();
