import { appendFileSync, rmSync } from 'node:fs';
import { basename } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  FolderWatches,
  type WatchListener,
} from '../../../../src/engine/memory/watch/folder-watches.js';
import { targetOf } from '../../../support/memory.js';
import { opencodeStore } from '../../../support/opencode.js';
import { tempFolder } from '../../../support/temp-folder.js';
import { GROWTH, message, transcriptPlace } from '../../../support/transcripts.js';
import { testWatcher } from '../../../support/watcher.js';

const test = suite('watching transcripts');

/** A watcher of a folder of transcripts that is not there yet. */
function watching(growth: Partial<typeof GROWTH> = {}) {
  const home = tempFolder();
  const workspace = tempFolder();
  const places = [
    transcriptPlace(home.at('agents/main/sessions')),
    transcriptPlace(home.at('projects'), 'claude-code', ['/home/ada/project']),
  ];
  const transcripts = { places, growth: { ...GROWTH, ...growth } };
  return { home, live: testWatcher(workspace.path, { transcripts }) };
}

test('follows folders of transcripts that appear, and files that come and go in them', async () => {
  const { home, live } = watching({ deltaBytes: 0 });
  try {
    await live.watcher.start();
    home.write('agents/main/sessions/a.jsonl', message('user', 'the lighthouse'));
    await live.whenUpToDate();
    appendFileSync(home.at('agents/main/sessions/a.jsonl'), message('assistant', 'is white'));
    await live.whenUpToDate();
    home.write('agents/main/sessions/b.jsonl', message('user', 'the harbour'));
    await live.whenUpToDate();
    const line = {
      type: 'user',
      cwd: '/home/ada/project',
      message: { role: 'user', content: 'x' },
    };
    home.write('projects/-home-ada-project/s.jsonl', `${JSON.stringify(line)}\n`);
    await live.whenUpToDate();
    rmSync(home.at('agents/main/sessions/a.jsonl'));
    await live.whenUpToDate();
  } finally {
    await live.close();
  }
});

for (const named of ['its folder', 'its file']) {
  test(`follows conversations in the database of OpenCode, found by ${named}`, async () => {
    const { folder, database, session, say } = opencodeStore();
    const root = named === 'its folder' ? folder.path : folder.at('opencode.db');
    const transcripts = {
      places: [transcriptPlace(root, 'opencode')],
      growth: { ...GROWTH, deltaBytes: 0 },
    };
    const live = testWatcher(tempFolder().path, { transcripts });
    try {
      session('ses_1', '/p');
      say('ses_1', 'user', { type: 'text', text: 'where is the xylophone' });
      await live.watcher.start();
      await live.whenUpToDate();
      say('ses_1', 'assistant', { type: 'text', text: 'In the attic.' });
      await live.whenUpToDate();
      database.close();
      await live.whenUpToDate();
    } finally {
      await live.close();
    }
  });
}

test('reading a database does not count as a change of it', () => {
  const { folder, database, session } = opencodeStore();
  session('ses_1', '/p');
  const { sources } = targetOf(tempFolder().path, {
    transcripts: { places: [transcriptPlace(folder.path, 'opencode')], growth: GROWTH },
  });
  const reports = new Map<string, WatchListener>();
  const changed: string[] = [];
  const watches = new FolderWatches({
    sources,
    openWatch: (path, _, listener) => {
      reports.set(path, listener);
      return { close: () => undefined };
    },
    onChange: (path) => changed.push(basename(path)),
    onShortage: (error) => assert.unreachable(String(error)),
  });
  watches.refresh();
  const changesAfter = (name: string): readonly string[] => {
    changed.length = 0;
    reports.get(folder.path)?.onChange('change', name);
    return [...changed];
  };
  assert.equal(changesAfter('opencode.db-wal'), ['opencode.db-wal']);
  assert.equal(changesAfter('opencode.db-wal'), []);
  session('ses_2', '/p');
  assert.equal(changesAfter('opencode.db-wal'), ['opencode.db-wal']);
  assert.equal(changesAfter('opencode.db'), ['opencode.db']);
  assert.equal([...changesAfter('opencode.db-shm'), ...changesAfter('opencode.log')], []);
  watches.close();
  database.close();
});

test('waits until a conversation has grown enough', async () => {
  const { home, live } = watching();
  const file = home.write('agents/main/sessions/a.jsonl', message('user', 'the lighthouse'));
  try {
    await live.watcher.start();
    const since = live.events.length;
    appendFileSync(file, message('assistant', 'is white'));
    const little = await live.until(({ type }) => type === 'synced', since);
    assert.is(little.type === 'synced' ? little.summary.outcome : '', 'unchanged');
    appendFileSync(file, message('assistant', 'is white').repeat(60));
    await live.whenUpToDate();
  } finally {
    await live.close();
  }
});

test('does not watch folders of other projects', async () => {
  const { home, live } = watching();
  home.write('agents/main/sessions/a.jsonl', message('user', 'the lighthouse'));
  home.write('projects/-home-ada-project/s.jsonl', '');
  for (let n = 0; n < 50; n++) home.write(`projects/-home-eve-${n}/s.jsonl`, '');
  try {
    await live.watcher.start();
    const before = live.openWatches();
    for (let n = 50; n < 60; n++) home.write(`projects/-home-eve-${n}/s.jsonl`, '');
    home.write('agents/main/sessions/b.jsonl', message('user', 'the harbour'));
    await live.whenUpToDate();
    if (process.platform === 'linux') assert.is(live.openWatches(), before);
  } finally {
    await live.close();
  }
});

test.run();
