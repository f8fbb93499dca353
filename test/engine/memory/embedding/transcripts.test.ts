import { appendFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openIndex } from '../../../../src/engine/memory/index/sqlite/sqlite-index.js';
import { type OpenAiFake, startOpenAiFake } from '../../../fakes/openai.js';
import { semanticMemory, textsSent } from '../../../support/semantic-memory.js';
import { folderAt } from '../../../support/temp-folder.js';
import { message } from '../../../support/transcripts.js';

interface Context {
  fake: OpenAiFake;
}

const test = suite<Context>('vectors of transcripts');

test.before.each(async (context) => {
  context.fake = await startOpenAiFake({ dimensions: 128 });
});
test.after.each(async ({ fake }) => fake.close());

const ON = { sources: ['memory', 'sessions'], experimental: { sessionMemory: true } };

test('one more message requests one more vector, and earlier messages keep theirs', async ({
  fake,
}) => {
  const semantic = semanticMemory(fake, { 'car.md': '# Car\n\nThe automobile is red.\n' });
  const file = folderAt(semantic.home).write(
    'agents/main/sessions/talk.jsonl',
    Array.from({ length: 400 }, (_, n) => message('user', `remark ${n} about the garden`)).join(''),
  );
  const memory = await semantic.open({ ...ON, cache: { enabled: false } });
  const first = await memory.backend.sync({});
  assert.ok((first.embedding?.embedded ?? 0) > 5);
  for (let n = 0; n < 3; n++) {
    appendFileSync(file, message('assistant', `the piano was tuned ${n} times`));
    const before = textsSent(fake).length;
    const { embedding } = await memory.backend.sync({});
    assert.equal([embedding?.pending, embedding?.embedded], [0, 1]);
    assert.ok(textsSent(fake).length - before <= 4, 'the pieces of one passage');
  }
  const { results } = await memory.backend.search({ query: 'piano tuning' });
  assert.is(results[0]?.endLine, 403);
  const { indexFile } = await memory.backend.status();
  await memory.backend.close();
  const opened = openIndex(indexFile, 'read');
  assert.is(opened.state, 'ready');
  if (opened.state !== 'ready') return;
  const [identity = ''] = await opened.index.vectorIdentities();
  assert.is(await opened.index.countMissingEmbeddings(identity), 0);
  // The passage that each message replaced is gone with its vector.
  assert.equal(
    (await opened.index.vectorSpaces()).map(({ cached }) => cached),
    [0],
  );
  opened.index.close();
});

test('no secret is sent to a provider', async ({ fake }) => {
  const semantic = semanticMemory(fake);
  folderAt(semantic.folder.path).write('memory/a.md', 'a note');
  folderAt(semantic.home).write(
    'agents/main/sessions/talk.jsonl',
    message('user', 'the token is ghp_0123456789abcdefghijABCDEFGHIJ012345'),
  );
  const memory = await semantic.open(ON);
  await memory.backend.sync({});
  await memory.backend.close();
  const sent = textsSent(fake).join('\n');
  assert.ok(sent.includes('the token is ********'));
  assert.not(sent.includes('0123456789abcdefghij'));
});

test.run();
