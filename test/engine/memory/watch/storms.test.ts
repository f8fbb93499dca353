import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  closeSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { noteText } from '../../../support/many-notes.js';
import { mp3, png } from '../../../support/media-files.js';
import { folderOf, type TempFolder, tempFolder } from '../../../support/temp-folder.js';
import {
  type TestWatcher,
  type TestWatcherOptions,
  testWatcher,
} from '../../../support/watcher.js';

const test = suite('watching real files');

/** Starts a watcher, lets something happen, and compares the index with a fresh one. */
async function during(
  folder: TempFolder,
  storm: (live: TestWatcher) => Promise<void> | void,
  options: TestWatcherOptions = {},
): Promise<void> {
  const live = testWatcher(folder.path, options);
  try {
    await live.watcher.start();
    assert.is(live.mode(), 'watching');
    await storm(live);
    await live.whenUpToDate();
  } finally {
    await live.close();
  }
}

function workspace(): TempFolder {
  return folderOf({
    'MEMORY.md': '# Memory\n\nThe backup runs at two.\n',
    'memory/a.md': '# A\n\nAmber.\n',
    'memory/deep/er/b.md': '# B\n\nBasil.\n',
  });
}

test('follows pictures that come, change, are renamed and go, and no others', async () => {
  const folder = workspace();
  const media = { modalities: new Set(['image'] as const), maxFileBytes: 100_000 };
  await during(
    folder,
    async (live) => {
      folder.write('memory/photo.png', png('a dog'));
      folder.write('memory/song.mp3', mp3('a song'));
      await live.until((event) => event.type === 'synced' && event.summary.added === 1);
      await live.whenUpToDate();
      folder.write('memory/photo.png', png('a cat'));
      await live.whenUpToDate();
      renameSync(folder.at('memory/photo.png'), folder.at('memory/deep/cat.PNG'));
      await live.whenUpToDate();
      rmSync(folder.at('memory/deep/cat.PNG'));
      await live.whenUpToDate();
    },
    { media },
  );
});

test('picks up new, changed and deleted notes, in new folders too', async () => {
  const folder = workspace();
  await during(folder, async (live) => {
    folder.write('memory/c.md', '# C\n\nCedar.\n');
    await live.whenUpToDate();
    folder.write('memory/new/folder/d.md', '# D\n\nDelta.\n');
    await live.whenUpToDate();
    // The folder appeared while the watch was running: it must be watched by now.
    folder.write('memory/new/folder/e.md', '# E\n\nEmber.\n');
    await live.whenUpToDate();
    appendFileSync(folder.at('MEMORY.md'), 'And again at three.\n');
    await live.whenUpToDate();
    rmSync(folder.at('memory/deep'), { recursive: true });
  });
});

test('picks up edits by rename, by truncate and write, and by links', async () => {
  const folder = workspace();
  await during(folder, async (live) => {
    for (let round = 0; round < 5; round++) {
      // vim with a backup: the note is moved away, a new one is written, the backup goes.
      renameSync(folder.at('memory/a.md'), folder.at('memory/a.md~'));
      folder.write('memory/a.md', `# A\n\nround ${round} of vim\n`);
      rmSync(folder.at('memory/a.md~'));
      // Write beside, then rename over it, as most others do.
      folder.write('memory/deep/er/.b.md.tmp', `# B\n\nround ${round} of rename\n`);
      renameSync(folder.at('memory/deep/er/.b.md.tmp'), folder.at('memory/deep/er/b.md'));
      // In place: empty for a moment.
      truncateSync(folder.at('MEMORY.md'));
      const file = openSync(folder.at('MEMORY.md'), 'w');
      await nextTurn();
      writeSync(file, `# Memory\n\nround ${round} in place\n`);
      closeSync(file);
      if (round % 2 === 0) await live.whenUpToDate();
    }
  });
});

test('follows folders that are moved, swapped and recreated under the same name', async () => {
  const folder = workspace();
  await during(folder, async (live) => {
    renameSync(folder.at('memory/deep'), folder.at('memory/moved'));
    await live.whenUpToDate();
    folder.write('memory/moved/er/c.md', '# C\n\nwritten after the move\n');
    await live.whenUpToDate();
    folder.write('memory/deep/er/b.md', '# B\n\nanother one at the old place\n');
    await live.whenUpToDate();
    renameSync(folder.at('memory/deep'), folder.at('memory/aside'));
    renameSync(folder.at('memory/moved'), folder.at('memory/deep'));
    renameSync(folder.at('memory/aside'), folder.at('memory/moved'));
    await live.whenUpToDate();
    folder.write('memory/deep/er/after.md', 'after the swap\n');
    await live.whenUpToDate();
    folder.write('memory/moved/er/after.md', 'after the swap, too\n');
    await live.whenUpToDate();
    rmSync(folder.at('memory'), { recursive: true });
    folder.write('memory/again.md', 'a new folder in place of the old one\n');
    await live.whenUpToDate();
    folder.write('memory/more.md', 'and it is watched\n');
  });
});

test('picks up files moved in, and drops files moved out', async () => {
  const folder = workspace();
  const outside = folderOf({ 'import/one.md': 'One.\n', 'import/two/three.md': 'Three.\n' });
  await during(folder, async (live) => {
    renameSync(outside.at('import'), folder.at('memory/import'));
    await live.whenUpToDate();
    folder.write('memory/import/two/four.md', 'Four.\n');
    await live.whenUpToDate();
    renameSync(folder.at('memory/import'), outside.at('export'));
    await live.whenUpToDate();
    const events = live.events.length;
    outside.write('export/two/five.md', 'Outside now.\n');
    folder.write('memory/inside.md', 'Inside.\n');
    await live.whenUpToDate();
    const changed = live.events.slice(events).filter((event) => event.type === 'changed');
    assert.not.ok(changed.some((event) => event.path.includes('export')));
  });
});

test('a burst of 10,000 changes is a few syncs, not thousands', async () => {
  const folder = workspace();
  await during(
    folder,
    async (live) => {
      for (let n = 0; n < 10_000; n++) {
        folder.write(`memory/burst/d${n % 50}/n${n % 2500}.md`, noteText(n, 1));
        // Lets events be read between writes, as they are when another process writes.
        if (n % 100 === 0) await nextTurn();
      }
      await live.whenUpToDate();
      assert.ok(live.syncs() < 50, `${live.syncs()} syncs`);
      rmSync(folder.at('memory/burst'), { recursive: true });
    },
    // However slowly this machine writes: it is never quiet for so long in between.
    { debounceMs: 500 },
  );
});

test('endless changes are still picked up', async () => {
  const folder = workspace();
  await during(
    folder,
    async (live) => {
      const since = live.events.length;
      const writing = setInterval(() => appendFileSync(folder.at('memory/a.md'), 'more\n'), 1);
      try {
        await live.until(({ type }) => type === 'synced', since);
      } finally {
        clearInterval(writing);
      }
    },
    { debounceMs: 500, timing: { longestWaitMs: 600 } },
  );
});

test('git checkout of another branch, back and forth', async () => {
  const folder = workspace();
  const git = (...args: string[]): void => {
    const who = ['-c', 'user.name=t', '-c', 'user.email=t@example.com'];
    execFileSync('git', [...who, ...args], { cwd: folder.path, stdio: 'ignore' });
  };
  git('init', '-q', '-b', 'main');
  git('add', '-A');
  git('commit', '-qm', 'first');
  git('checkout', '-qb', 'other');
  for (let n = 0; n < 300; n++) folder.write(`memory/g${n % 7}/n${n}.md`, noteText(n, 1));
  rmSync(folder.at('memory/deep'), { recursive: true });
  git('add', '-A');
  git('commit', '-qm', 'second');
  await during(folder, async (live) => {
    for (const branch of ['main', 'other', 'main', 'other', 'main']) {
      git('checkout', '-q', branch);
      await live.whenUpToDate();
    }
    // Back and forth within one quiet time.
    git('checkout', '-q', 'other');
    git('checkout', '-q', 'main');
  });
});

test('the workspace itself is deleted and recreated', async () => {
  const parent = tempFolder();
  parent.write('up/work/memory/a.md', 'Here.\n');
  const live = testWatcher(parent.at('up/work'));
  try {
    await live.watcher.start();
    for (const gone of ['up/work', 'up']) {
      const since = live.events.length;
      rmSync(parent.at(gone), { recursive: true });
      const event = await live.until(({ type }) => type === 'failed', since);
      assert.is(event.type === 'failed' && event.failure.code, 'WORKSPACE_MISSING');
      parent.write('up/work/memory/b.md', `Made again after ${gone} was gone.\n`);
      await live.until(({ type }) => type === 'synced', since);
      await live.whenUpToDate();
      parent.write('up/work/memory/c.md', `Watched again after ${gone} was gone.\n`);
      await live.whenUpToDate();
    }
    assert.is(live.failure(), undefined);
  } finally {
    await live.close();
  }
});

test('the folder above the workspace is moved away, and another put in its place', async () => {
  const parent = tempFolder();
  parent.write('up/work/memory/a.md', 'The first.\n');
  parent.write('other/work/memory/a.md', 'The second.\n');
  const live = testWatcher(parent.at('up/work'));
  try {
    await live.watcher.start();
    renameSync(parent.at('up'), parent.at('away'));
    renameSync(parent.at('other'), parent.at('up'));
    await live.whenUpToDate();
    parent.write('up/work/memory/b.md', 'Written to the second.\n');
    await live.whenUpToDate();
  } finally {
    await live.close();
  }
});

test('extra paths that appear later, folders and single files', async () => {
  const folder = workspace();
  const other = tempFolder();
  const extraPaths = [other.at('not/yet'), 'notes.txt', other.at('plain')];
  await during(
    folder,
    async (live) => {
      other.write('not/yet/there/x.md', 'X.\n');
      await live.whenUpToDate();
      other.write('not/yet/there/y.md', 'Y.\n');
      await live.whenUpToDate();
      folder.write('notes.txt', 'A file of any name.\n');
      await live.whenUpToDate();
      renameSync(folder.write('notes.tmp', 'Replaced.\n'), folder.at('notes.txt'));
      await live.whenUpToDate();
      other.write('plain', 'First a file.\n');
      await live.whenUpToDate();
      rmSync(other.at('plain'));
      other.write('plain/now.md', 'Then a folder.\n');
    },
    { extraPaths },
  );
});

test('symbolic links are not followed, and one on the way to the workspace is', async () => {
  const real = folderOf({ 'one/memory/a.md': 'One.\n', 'two/memory/a.md': 'The other.\n' });
  const outside = folderOf({ 'x.md': 'Outside.\n' });
  symlinkSync(real.at('one'), real.at('link'));
  const live = testWatcher(real.at('link'));
  try {
    await live.watcher.start();
    symlinkSync(outside.path, real.at('one/memory/loop'));
    real.write('one/memory/b.md', 'Through the link.\n');
    await live.whenUpToDate();
    symlinkSync(real.at('two'), real.at('link2'));
    renameSync(real.at('link2'), real.at('link'));
    await live.whenUpToDate();
    real.write('two/memory/c.md', 'In the folder that the link names now.\n');
    await live.whenUpToDate();
  } finally {
    await live.close();
  }
});

test('ignore files, also above an extra path, and folders that they exclude', async () => {
  const folder = workspace();
  const repo = folderOf({ '.git/HEAD': '', 'docs/a.md': 'A.\n', 'docs/out/b.md': 'B.\n' });
  await during(
    folder,
    async (live) => {
      folder.write('.svcignore', 'private/\n');
      folder.write('memory/private/x.md', 'X.\n');
      await live.whenUpToDate();
      repo.write('.gitignore', 'out/\n');
      await live.whenUpToDate();
      repo.write('docs/out/c.md', 'C.\n');
      rmSync(repo.at('.gitignore'));
      await live.whenUpToDate();
      repo.write('docs/out/d.md', 'D.\n');
      await live.whenUpToDate();
      folder.write('memory/private/.svcignore', '');
      folder.write('.svcignore', '# nothing\n');
      await live.whenUpToDate();
      folder.write('memory/private/y.md', 'Y.\n');
    },
    { extraPaths: [repo.at('docs')] },
  );
});

test('the watches of folders that are excluded later are closed', async () => {
  const folder = workspace();
  await during(folder, async (live) => {
    const before = live.openWatches();
    folder.write('memory/private/deep/x.md', 'X.\n');
    await live.whenUpToDate();
    assert.is(live.openWatches(), before + 2);
    folder.write('.svcignore', 'private/\n');
    await live.whenUpToDate();
    assert.is(live.openWatches(), before);
  });
});

test('files that are not notes cause no sync', async () => {
  const folder = workspace();
  await during(folder, async (live) => {
    const before = live.syncs();
    folder.write('unrelated.md', 'Beside the memory, not in it.\n');
    folder.write('memory/picture.png', 'png');
    writeFileSync(folder.at('memory/.a.md.swp'), 'swap');
    mkdirSync(folder.at('memory/.git'));
    folder.write('memory/.git/index.md', 'not entered');
    folder.write('memory/node_modules/m/readme.md', 'not entered');
    // Its event comes after all of theirs.
    folder.write('memory/last.md', 'Last.\n');
    await live.whenUpToDate();
    assert.is(live.syncs(), before + 1);
    const changed = live.events.filter((event) => event.type === 'changed');
    assert.equal(
      changed.map((event) => event.path),
      [folder.at('memory/last.md')],
    );
  });
});

test('any Markdown folder can be watched, its root included', async () => {
  const folder = folderOf({ 'readme.md': 'Root.\n', 'docs/a.md': 'A.\n' });
  await during(
    folder,
    async (live) => {
      folder.write('top.md', 'Top.\n');
      await live.whenUpToDate();
      folder.write('docs/b/c.md', 'C.\n');
    },
    { layout: 'folder' },
  );
});

test.run();
