import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { SvcError } from '../../../src/engine/errors/index.js';
import { captureConversation } from '../../../src/engine/notes/capture/index.js';
import { opencodeStore } from '../../support/opencode.js';
import { noteWorld } from './note-world.js';

const test = suite("captures from OpenCode's database");

const said = (text: string) => ({ type: 'text', text });

test('one conversation is captured as it grows; others and those of sub-agents are left alone', async () => {
  const { folder, database, session, say } = opencodeStore();
  folder.write('notes/MEMORY.md', '# Mine\n');
  session('ses_1', '/p');
  session('ses_2', '/p');
  session('ses_3', '/p', 'ses_1');
  say('ses_1', 'user', said('Remember that the gate is green.'));
  say(
    'ses_1',
    'user',
    said('Remember that the token is sk-proj-abcdefghijklmnopqrstuvwxyz012345.'),
  );
  for (const id of ['ses_2', 'ses_3']) say(id, 'user', said('Remember that the door is red.'));
  const { memory, options } = await noteWorld(folder.path);
  const capture = async (id: string | undefined, file = folder.at('opencode.db')) => {
    const request = { file, reader: 'opencode', session: id, dryRun: false } as const;
    const { decisions } = (await captureConversation(memory, request, options)).capture;
    return decisions.map(({ text, outcome }) => `${outcome}: ${text}`);
  };
  assert.equal(await capture('ses_1'), ['added: Remember that the gate is green.']);
  assert.equal(await capture('ses_1'), []);
  say('ses_1', 'assistant', said('Decision: the fence is blue.'));
  assert.equal(await capture('ses_1', folder.path), ['added: Decision: the fence is blue.']);
  assert.equal(await capture('ses_1'), []);
  assert.equal(await capture('ses_3'), []);
  for (const call of [capture(undefined), capture('ses_1', folder.at('nowhere'))]) {
    const error = await call.then(String, (cause: unknown) => cause);
    assert.ok(error instanceof SvcError && error.code === 'CAPTURE_UNREADABLE');
  }
  await memory.backend.close();
  database.close();
});

test.run();
