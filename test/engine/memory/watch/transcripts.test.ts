import { appendFileSync, rmSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { tempFolder } from '../../../support/temp-folder.js';
import { GROWTH, message, placeOf } from '../../../support/transcripts.js';
import { watched } from '../../../support/watched.js';

const test = suite('watching transcripts');

/** A watcher of a folder of transcripts that is not there yet. */
function watching(growth: Partial<typeof GROWTH> = {}) {
  const home = tempFolder();
  const workspace = tempFolder();
  const places = [
    placeOf(home.at('agents/main/sessions')),
    placeOf(home.at('projects'), 'claude-code', ['/home/ada/project']),
  ];
  const transcripts = { places, growth: { ...GROWTH, ...growth } };
  return { home, live: watched(workspace.path, { transcripts }) };
}

test('follows folders of transcripts that appear, and files that come and go in them', async () => {
  const { home, live } = watching({ deltaBytes: 0 });
  try {
    await live.watcher.start();
    home.write('agents/main/sessions/a.jsonl', message('user', 'the lighthouse'));
    await live.agreed();
    appendFileSync(home.at('agents/main/sessions/a.jsonl'), message('assistant', 'is white'));
    await live.agreed();
    home.write('agents/main/sessions/b.jsonl', message('user', 'the harbour'));
    await live.agreed();
    const line = {
      type: 'user',
      cwd: '/home/ada/project',
      message: { role: 'user', content: 'x' },
    };
    home.write('projects/-home-ada-project/s.jsonl', `${JSON.stringify(line)}\n`);
    await live.agreed();
    rmSync(home.at('agents/main/sessions/a.jsonl'));
    await live.agreed();
  } finally {
    await live.close();
  }
});

test('leaves a conversation that grows by little alone until it has grown by more', async () => {
  const { home, live } = watching();
  const file = home.write('agents/main/sessions/a.jsonl', message('user', 'the lighthouse'));
  try {
    await live.watcher.start();
    const since = live.events.length;
    appendFileSync(file, message('assistant', 'is white'));
    const little = await live.until(({ type }) => type === 'synced', since);
    assert.is(little.type === 'synced' ? little.summary.outcome : '', 'unchanged');
    appendFileSync(file, message('assistant', 'is white').repeat(60));
    await live.agreed();
  } finally {
    await live.close();
  }
});

test('watches no folder of a project that is none of ours', async () => {
  const { home, live } = watching();
  home.write('projects/-home-ada-project/s.jsonl', '');
  for (let n = 0; n < 50; n++) home.write(`projects/-home-eve-${n}/s.jsonl`, '');
  try {
    await live.watcher.start();
    const before = live.watcher.state.folders;
    for (let n = 50; n < 60; n++) home.write(`projects/-home-eve-${n}/s.jsonl`, '');
    await live.watcher.syncNow();
    if (process.platform === 'linux') assert.is(live.watcher.state.folders, before);
  } finally {
    await live.close();
  }
});

test.run();
