import { execFileSync } from 'node:child_process';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { tarOf } from '../../../src/engine/overview/bug-report-files.js';
import { filesOfTar } from '../../support/tar.js';
import { tempFolder } from '../../support/temp-folder.js';

const test = suite('archives');

const FILES = [
  { name: 'empty.json', content: Buffer.alloc(0) },
  { name: 'block.txt', content: Buffer.from('x'.repeat(512)) },
  { name: 'logs/serve.log', content: Buffer.from('ä\n'.repeat(300)) },
];

test("extracting restores the files, with our reader and with the system's tar", () => {
  const archive = tarOf(FILES, 1_000_000);
  assert.is(archive.length % 512, 0);
  const read = filesOfTar(archive);
  assert.equal(
    [...read.keys()],
    FILES.map(({ name }) => name),
  );
  for (const { name, content } of FILES) assert.is(read.get(name), content.toString());
  const folder = tempFolder();
  const file = folder.write('a.tar', archive);
  const tar = (...args: string[]): string => execFileSync('tar', args, { encoding: 'utf8' });
  assert.is(tar('-tf', file), `${FILES.map(({ name }) => name).join('\n')}\n`);
  assert.is(tar('-xOf', file, 'logs/serve.log'), FILES[2]?.content.toString());
});

test('a name that does not fit is refused', () => {
  assert.throws(() => tarOf([{ name: 'x'.repeat(101), content: Buffer.alloc(0) }], 0), /too long/);
});

test.run();
