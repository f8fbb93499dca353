import { mkdirSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { withoutOwnWriting } from '../../../../src/engine/memory/sources/read-document.js';
import { cpuMs } from '../../../../stress/fuzz/cpu-time.js';
import { backendOn, pathsOf, targetOf } from '../../../support/memory.js';
import { tempFolder } from '../../../support/temp-folder.js';

const test = suite('text that svc wrote itself');

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

test('an unclosed block extends to the end; other comments stay', () => {
  assert.is(withoutOwnWriting('a\n<!-- svc:dreaming:rem:start -->\nb\nc\n'), 'a\n\n\n\n');
  assert.is(withoutOwnWriting('<!-- mine -->\n'), '<!-- mine -->\n');
});

test('an unclosed block does not swallow the text above the next one', () => {
  const [start, end] = ['<!-- svc:dreaming:rem:start -->', '<!-- svc:dreaming:rem:end -->'];
  assert.is(
    withoutOwnWriting(`${start}\nmine\n${start}\nits\n${end}\nmine\n`),
    `${start}\nmine\n\n\n\nmine\n`,
  );
});

test('markers with unknown names are text of the note, however many there are', () => {
  const marks = Array.from({ length: 20_000 }, (_, at) => `<!-- svc:dreaming:n${at}:start -->\n`);
  const text = marks.join('').repeat(2);
  const startedAt = cpuMs();
  assert.is(withoutOwnWriting(text), text);
  assert.ok(cpuMs() - startedAt < 2000);
});

test('the provenance of a promoted entry is not memory, the entry is', () => {
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

test('an entry that a model reworded is one result with the lines that it was made of', async () => {
  const workspace = tempFolder();
  mkdirSync(workspace.at('memory'));
  const mark = '<!-- svc:memory-promotion:0123456789abcdef sweep=20260504T030000Z-1';
  workspace.write(
    'MEMORY.md',
    `# Long-Term Memory\n\n${mark} from=memory/2026-05-03%20home.md#L3 score=0.90 recalls=4 -->\n- Every night, zebra backups run.\n`,
  );
  workspace.write('memory/2026-05-03 home.md', '# Home\n\nWe run the zebra backup at 02:30.\n');
  workspace.write('memory/2026-05-04.md', 'A zebra backup failed.\n');
  const backend = backendOn(targetOf(workspace.path));
  const { results } = await backend.search({ query: 'zebra backup', minScore: 0 });
  assert.equal(
    results.map(({ path, similar = [] }) => [path, ...similar.map((one) => one.path)]).toSorted(),
    [['memory/2026-05-03 home.md', 'MEMORY.md'], ['memory/2026-05-04.md']],
  );
});

test.run();
