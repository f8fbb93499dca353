import { readFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ERASE_LINE } from '../../src/ui/waiting-line.js';
import { startHangingEmbeddings } from '../fakes/hanging-embeddings.js';
import { runInPty } from '../support/pty.js';
import { runSvc } from '../support/run-svc.js';
import { folderOf, type TempFolder } from '../support/temp-folder.js';

const test = suite('svc memory search on a terminal');

const LONG = `It starts at night. ${'More words follow here. '.repeat(20)}`;

function home(notes: number): TempFolder {
  return folderOf(
    Object.fromEntries(
      Array.from({ length: notes }, (_, at) => [
        `workspace/memory/n${at}.md`,
        `# Note ${at}\n\nIntro ${at}.\n\nThe backup runs. ${LONG}\n`,
      ]),
    ),
  );
}

async function shown(root: TempFolder, args: string[], env: Record<string, string> = {}) {
  await runSvc(['memory', 'index'], { home: root.path });
  const options = { home: root.path, columns: 60, lines: true };
  const session = runInPty(['memory', 'search', 'backup', ...args], {
    ...options,
    env: { SVC_PAGER: '', FORCE_HYPERLINK: '0', ...env },
  });
  assert.is(await session.ended, 0);
  // A slow machine shows first that it is searching, and erases that.
  return session.output().split(ERASE_LINE).at(-1) ?? '';
}

test('a result takes three lines, --long shows the whole passage, and a pipe gets everything', async () => {
  const root = home(1);
  const compact = stripVTControlCharacters(await shown(root, [])).replaceAll('\r', '');
  assert.match(
    compact,
    /^0\.\d\d {2}memory\/n0\.md#L1-L5\n {6}Note 0\n {6}The backup runs\. .*…\n$/,
  );
  const whole = await shown(root, ['-l']);
  assert.ok(whole.split('\n').length > 8, whole);
  const { stdout } = await runSvc(['memory', 'search', 'backup'], { home: root.path });
  assert.match(stdout, LONG.trimEnd());
  assert.match(stdout, 'Source: memory/n0.md');
});

test('a location is a link to the file if the terminal supports links', async () => {
  const root = home(1);
  const text = await shown(root, [], { FORCE_HYPERLINK: '1' });
  assert.match(text, `\u001B]8;;file://${root.at('workspace/memory/n0.md')}\u001B\\`);
});

test('output longer than the terminal goes through the pager in full, best result first', async () => {
  const root = home(12);
  const seen = root.at('seen.txt');
  const pager = root.writeScript('my pager', `cat > ${seen}\necho "paged $1 $LESS"`);
  const text = await shown(root, ['-n', '12'], { SVC_PAGER: `"${pager}" one`, LESS: 'X' });
  assert.is(text, 'paged one X\r\n');
  // Without settings of the user, those of git.
  assert.is(await shown(root, ['-n', '12'], { SVC_PAGER: `'${pager}'` }), 'paged  FRX\r\n');
  assert.is(readFileSync(seen, 'utf8').match(/memory\/n/g)?.length, 12);
  assert.not.match(await shown(root, ['-n', '2'], { SVC_PAGER: `'${pager}'` }), 'paged');
  const direct = await shown(root, ['-n', '12'], { SVC_PAGER: '/none/such' });
  assert.is(direct.match(/memory\/n/g)?.length, 12);
});

test('JSON has escapes for control characters on a terminal, and is as it was in a pipe', async () => {
  const root = folderOf({ 'workspace/memory/n.md': '# Note\n\nThe backup \u202Eruns.\n' });
  const json = await shown(root, ['--json']);
  assert.match(json, 'The backup \\u202eruns.');
  const { stdout } = await runSvc(['memory', 'search', 'backup', '--json'], { home: root.path });
  assert.match(stdout, 'The backup \u202Eruns.');
  assert.equal(JSON.parse(json).results, JSON.parse(stdout).results);
});

test('what waits for the provider shows a notice, and removes it before a warning', async () => {
  const vendor = await startHangingEmbeddings('backup');
  const remote = { baseUrl: `${vendor.origin}/v1`, apiKey: 'sk-test-0123456789abcdefghij' };
  const memorySearch = { provider: 'openai', remote, query: { timeoutSeconds: 1.5 } };
  const outputs: string[] = [];
  for (const words of [['search'], ['forget', '--yes']]) {
    const root = home(1);
    root.write('svc.json', JSON.stringify({ agents: { defaults: { memorySearch } } }));
    await runSvc(['memory', 'index'], { home: root.path });
    const command = ['memory', ...words, 'backup'];
    const session = runInPty(command, { home: root.path, columns: 60, lines: true });
    assert.is(await session.ended, 0);
    outputs.push(session.output());
    const { stderr } = await runSvc(command, { home: root.path });
    assert.not.match(stderr, 'searching');
  }
  await vendor.close();
  for (const text of outputs) {
    assert.ok(text.startsWith('searching\r\u001B[2Kwarning: keyword search only'), text);
    assert.match(text, 'memory/n0.md');
  }
});

test.run();
