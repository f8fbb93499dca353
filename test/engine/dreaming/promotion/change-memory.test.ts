import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type ClaimKey, claimKeyOf } from '../../../../src/engine/dreaming/claims/claim-words.js';
import { dreamWorkspace } from '../../../../src/engine/dreaming/dream-workspace.js';
import {
  changeMemory,
  type MemoryChanger,
  recoverChanges,
  undoRecordedSweep,
} from '../../../../src/engine/dreaming/promotion/change-memory.js';
import {
  editMemory,
  promotedEntries,
} from '../../../../src/engine/dreaming/promotion/memory-file.js';
import { OPEN, withSignal } from '../../../../src/engine/dreaming/scoring/recall-entry.js';
import { openDreamDatabase } from '../../../../src/engine/dreaming/store/dream-database.js';
import { recallEntries } from '../../../../src/engine/dreaming/store/recall-entries.js';
import {
  type SweepRecord,
  sweepRecords,
  UNCHANGED,
} from '../../../../src/engine/dreaming/store/sweep-records.js';
import { SvcError } from '../../../../src/engine/errors/index.js';
import {
  MEMORY_FILE,
  readGuarded,
  removeGuarded,
  writeGuarded,
} from '../../../../src/engine/memory-files/guarded-file.js';
import { isTemporaryName } from '../../../../src/engine/support/replace-file.js';
import { tempFolder } from '../../../support/temp-folder.js';

const NOW = Date.UTC(2026, 10, 20, 3);
const TEXT = 'The nightly backup runs at 02:30.';
const HAND = '# Mine\r\n\r\nBy hand, with ü and no end';

function aChanger(memory: string | undefined = HAND) {
  const home = tempFolder();
  home.write('notes/memory/2026-11-18.md', `- ${TEXT}\n`);
  if (memory !== undefined) home.write('notes/MEMORY.md', memory);
  const { files } = dreamWorkspace(home.at('notes'), { stateDir: home.at('state') });
  const database = openDreamDatabase(files.database);
  const entries = recallEntries(database);
  const place = {
    source: 'memory',
    path: 'memory/2026-11-18.md',
    startLine: 1,
    endLine: 1,
  } as const;
  const key = claimKeyOf(TEXT);
  const signal = {
    key,
    text: TEXT,
    ...place,
    score: 0.9,
    atMs: NOW,
    day: '2026-11-20',
    queryHash: 'q',
  };
  entries.put(withSignal(undefined, { kind: 'recall', ...signal }));
  const changer: MemoryChanger = {
    dir: home.at('notes'),
    backupDir: files.backupDir,
    database,
    entries,
    sweeps: sweepRecords(database),
    nowMs: NOW,
    dryRun: false,
  };
  const file = home.at('notes/MEMORY.md');
  return { home, changer, file, read: () => readFileSync(file, 'utf8') };
}

const SWEEP: SweepRecord = {
  id: '20261120T030000',
  day: '2026-11-20',
  trigger: 'manual',
  startedMs: NOW,
  endedMs: null,
  phases: {},
  ...UNCHANGED,
};

const KEY: ClaimKey = claimKeyOf(TEXT);

function planFor(text: string) {
  const entry = {
    key: KEY,
    sweepId: SWEEP.id,
    path: 'memory/2026-11-18.md',
    lines: { startLine: 1, endLine: 1 },
    score: 0.9,
    recalls: 4,
  };
  return { ...editMemory(text, [{ kind: 'add', entry, text: TEXT }], SWEEP.day), decided: [KEY] };
}

test('a change keeps a copy of the file before it, marks the claim, and is taken back to the byte', () => {
  const { changer, read } = aChanger();
  const applied = changeMemory(changer, SWEEP, planFor);
  assert.ok(read().startsWith(HAND));
  assert.is(promotedEntries(read()).length, 1);
  assert.is(changer.entries.get(KEY)?.fate, 'promoted');
  assert.is(
    applied.memoryState === 'applied' && readFileSync(applied.backupFile ?? '', 'utf8'),
    HAND,
  );
  const { kept, undone } = undoRecordedSweep(changer, applied);
  assert.is(read(), HAND);
  assert.equal(kept, []);
  assert.is(undone, 1);
  // Who takes an entry back does not want it again the next night.
  assert.is(changer.entries.get(KEY)?.fate, 'rejected');
});

test('the permissions of MEMORY.md stay; a new one is for its owner alone', async () => {
  const old = aChanger();
  chmodSync(old.file, 0o640);
  changeMemory(old.changer, SWEEP, planFor);
  assert.is(statSync(old.file).mode & 0o777, 0o640);
  const fresh = aChanger('');
  rmSync(fresh.file);
  changeMemory(fresh.changer, SWEEP, planFor);
  assert.is(statSync(fresh.file).mode & 0o777, 0o600);
});

test('a read-only MEMORY.md is left alone, by promoting and by undo', () => {
  const { changer, file, read } = aChanger();
  chmodSync(file, 0o444);
  assert.throws(() => changeMemory(changer, SWEEP, planFor), isReadOnly);
  assert.is(read(), HAND);
  assert.equal(changer.sweeps.planned(), []);
  chmodSync(file, 0o644);
  const applied = changeMemory(changer, SWEEP, planFor);
  const promoted = read();
  chmodSync(file, 0o444);
  assert.throws(() => undoRecordedSweep(changer, applied), isReadOnly);
  assert.is(read(), promoted);
  chmodSync(file, 0o644);
  assert.is(undoRecordedSweep(changer, applied).undone, 1);
  assert.is(read(), HAND);
});

function isReadOnly(error: unknown): boolean {
  return (
    error instanceof SvcError && /read-only.*chmod u\+w/su.test(`${error.message} ${error.hint}`)
  );
}

test('if a person saves the file meanwhile, the change is planned again; both texts are in it', () => {
  const { changer, file, read } = aChanger();
  let times = 0;
  changeMemory(changer, SWEEP, (text) => {
    times += 1;
    if (times === 1) writeFileSync(file, `${HAND}\nand more`);
    return planFor(text);
  });
  assert.is(times, 2);
  assert.ok(read().startsWith(`${HAND}\nand more`));
  assert.is(promotedEntries(read()).length, 1);
});

test('a file that was saved after it was read is neither replaced nor deleted', () => {
  const { changer, file, read } = aChanger();
  const before = readGuarded(changer.dir, MEMORY_FILE);
  writeFileSync(file, `${HAND}\nand more`);
  assert.is(writeGuarded(before, 'of a sweep'), false);
  assert.is(writeGuarded(before, before.text), false);
  assert.is(removeGuarded(before), false);
  assert.is(read(), `${HAND}\nand more`);
  assert.equal(readdirSync(changer.dir).filter(isTemporaryName), []);
  rmSync(file);
  const missing = readGuarded(changer.dir, MEMORY_FILE);
  writeFileSync(file, HAND);
  assert.is(writeGuarded(missing, 'of a sweep'), false);
  assert.is(read(), HAND);
});

test('a file that an editor has emptied to save it is read once it is saved', async () => {
  const { changer, file } = aChanger();
  // Its time stays recent, however slow the machine is.
  const saving = `
    const fs = require('node:fs');
    const descriptor = fs.openSync(process.argv[1], 'w');
    fs.writeSync(1, 'emptied');
    for (let times = 0; times < 20_000; times++) fs.futimesSync(descriptor, new Date(), new Date());
    fs.writeSync(descriptor, process.argv[2]);`;
  const editor = spawn(process.execPath, ['-e', saving, file, HAND], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(editor.stdout, 'data');
  assert.is(readGuarded(changer.dir, MEMORY_FILE).text, HAND);
  await once(editor, 'close');
});

test('a file that keeps changing is left alone', () => {
  const { changer, file, read } = aChanger();
  let times = 0;
  assert.throws(
    () =>
      changeMemory(changer, SWEEP, (text) => {
        times += 1;
        writeFileSync(file, `text ${times}`);
        return planFor(text);
      }),
    (error: unknown) =>
      error instanceof Error && 'code' in error && error.code === 'DREAM_MEMORY_BUSY',
  );
  assert.is(read(), `text ${times}`);
  assert.is(changer.entries.get(KEY)?.fate, 'open');
});

test('a file that a sweep made goes with it, unless something else is in it', () => {
  const made = () => {
    const world = aChanger();
    rmSync(world.file);
    return { ...world, applied: changeMemory(world.changer, SWEEP, planFor) };
  };
  const alone = made();
  const { undone } = undoRecordedSweep(alone.changer, alone.applied);
  assert.is(undone, 1);
  assert.not(existsSync(alone.file));
  const edited = made();
  writeFileSync(edited.file, `${edited.read()}\nBy hand.\n`);
  undoRecordedSweep(edited.changer, edited.applied);
  assert.match(edited.read(), /By hand\.\n$/);
  // Somebody made an empty one before: it is theirs.
  const empty = aChanger('');
  undoRecordedSweep(empty.changer, changeMemory(empty.changer, SWEEP, planFor));
  assert.is(empty.read(), '');
});

/** Undoes a sweep in a process that is killed before it records that. */
function killedUndo(changer: MemoryChanger): SweepRecord {
  const database = new Proxy(changer.database, {
    get: () => {
      throw new Error('killed');
    },
  });
  const sweep = changer.sweeps.get(SWEEP.id) ?? SWEEP;
  assert.throws(() => undoRecordedSweep({ ...changer, database }, sweep), /killed/);
  const left = changer.sweeps.get(SWEEP.id) ?? SWEEP;
  assert.is(left.memoryState, 'applied');
  return left;
}

test('killed between taking a file away and recording it: the same undo ends it', () => {
  const { changer, file } = aChanger();
  rmSync(file);
  changeMemory(changer, SWEEP, planFor);
  const { sweep, kept, undone } = undoRecordedSweep(changer, killedUndo(changer));
  assert.not(existsSync(file));
  assert.is(sweep.memoryState, 'undone');
  assert.equal([undone, kept], [1, []]);
  assert.is(changer.entries.get(KEY)?.fate, 'rejected');
});

test('an entry that a person deleted is gone, and not undone', () => {
  const { changer, file } = aChanger();
  const applied = changeMemory(changer, SWEEP, planFor);
  writeFileSync(file, HAND);
  const { sweep, kept, undone } = undoRecordedSweep(changer, applied);
  assert.is(sweep.memoryState, 'undone');
  assert.equal([undone, kept], [0, [{ key: KEY, why: 'gone' }]]);
});

test('a sweep of which an edited entry stays is partly undone, also after a kill', () => {
  for (const isKilled of [false, true]) {
    const { changer, file, read } = aChanger();
    const other = 'Mira owns the billing service.';
    const applied = changeMemory(changer, SWEEP, (text) => {
      const first = planFor(text);
      const [entry] = promotedEntries(first.text);
      assert.ok(entry);
      const second = {
        kind: 'add',
        entry: { ...entry, key: claimKeyOf(other) },
        text: other,
      } as const;
      const both = editMemory(first.text, [second], SWEEP.day);
      return { ...both, operations: [...first.operations, ...both.operations], decided: [KEY] };
    });
    writeFileSync(file, read().replace(other, `${other} Or so.`));
    const from = isKilled ? killedUndo(changer) : applied;
    const { sweep, undone, kept } = undoRecordedSweep(changer, from);
    assert.equal([undone, kept], [1, [{ key: claimKeyOf(other), why: 'edited' }]]);
    assert.is(sweep.memoryState, 'partly_undone');
    assert.equal(changer.sweeps.get(SWEEP.id), sweep);
    assert.throws(() => undoRecordedSweep(changer, sweep), /already undone/);
  }
});

test('a file that is not UTF-8 is not written, since it could not be restored', () => {
  const { changer, file } = aChanger();
  writeFileSync(file, Buffer.from([0x23, 0x20, 0xff, 0xfe, 0x0a]));
  assert.throws(() => changeMemory(changer, SWEEP, planFor), /not UTF-8/);
  assert.is(readFileSync(file).length, 5);
});

/** What a killed sweep leaves: the plan recorded, the file replaced or not. */
function killedSweep(changer: MemoryChanger, text: string): SweepRecord {
  const planned = changeMemory(changer, SWEEP, planFor);
  if (planned.memoryState !== 'applied') throw new Error('nothing was planned');
  const entry = changer.entries.get(KEY);
  if (entry !== undefined) changer.entries.put({ ...entry, ...OPEN });
  const sweep: SweepRecord = { ...planned, memoryState: 'planned' };
  changer.sweeps.put(sweep);
  writeFileSync(join(changer.dir, 'MEMORY.md'), text);
  return sweep;
}

test('killed after the file was replaced: the next sweep records it', () => {
  const { changer, read } = aChanger();
  const after = planFor(HAND).text;
  killedSweep(changer, after);
  recoverChanges(changer);
  assert.is(changer.sweeps.get(SWEEP.id)?.memoryState, 'applied');
  assert.is(changer.entries.get(KEY)?.fate, 'promoted');
  assert.is(read(), after);
});

test('killed before the file was replaced: the next sweep starts over', () => {
  const { changer } = aChanger();
  killedSweep(changer, HAND);
  recoverChanges(changer);
  assert.is(changer.sweeps.get(SWEEP.id)?.memoryState, null);
  assert.is(changer.entries.get(KEY)?.fate, 'open');
});

test('killed, and then a person edited around the entry: it still counts as written', () => {
  const { changer } = aChanger();
  killedSweep(changer, `${planFor(HAND).text}\nedited\n`);
  recoverChanges(changer);
  assert.is(changer.entries.get(KEY)?.fate, 'promoted');
});

test('a wording that was not written because of an entry does not stay promoted without it', () => {
  const { changer } = aChanger();
  const wording = 'The nightly backup starts at 02:30.';
  const unrelated = 'Mira owns the billing service.';
  const place = {
    source: 'memory',
    path: 'memory/2026-11-18.md',
    startLine: 1,
    endLine: 1,
  } as const;
  const record = (text: string): ClaimKey => {
    const key = claimKeyOf(text);
    const signal = { key, text, ...place, score: 0.9, atMs: NOW, day: '2026-11-20' };
    changer.entries.put(withSignal(undefined, { kind: 'recall', ...signal }));
    return key;
  };
  const [said, later, other] = [
    record(wording),
    record('A nightly backup runs at 02:30.'),
    record(unrelated),
  ];
  const applied = changeMemory(changer, SWEEP, (text) => ({
    ...planFor(text),
    decided: [KEY, said],
  }));
  const nothing = (text: string) => ({
    ...editMemory(text, [], NEXT.day),
    decided: [later, other],
  });
  changeMemory(changer, NEXT, nothing);
  undoRecordedSweep(changer, applied);
  const fates = [KEY, said, later, other].map((key) => changer.entries.get(key)?.fate);
  assert.equal(fates, ['rejected', 'rejected', 'rejected', 'promoted']);
});

test('a sweep whose only entry was edited stays applied, with its claim promoted', () => {
  const { changer, file, read } = aChanger();
  const applied = changeMemory(changer, SWEEP, planFor);
  writeFileSync(file, read().replace(TEXT, `${TEXT} Or so.`));
  const { sweep, undone, kept } = undoRecordedSweep(changer, applied);
  assert.equal([undone, kept], [0, [{ key: KEY, why: 'edited' }]]);
  assert.is(sweep.memoryState, 'applied');
  assert.is(changer.sweeps.get(SWEEP.id)?.memoryState, 'applied');
  assert.is(changer.entries.get(KEY)?.fate, 'promoted');
});

test('a sweep that changed nothing cannot be undone', () => {
  const { changer, file } = aChanger();
  assert.throws(() => undoRecordedSweep(changer, SWEEP), /changed nothing/);
  const applied = changeMemory(changer, SWEEP, planFor);
  const undone = undoRecordedSweep(changer, applied);
  assert.throws(() => undoRecordedSweep(changer, undone.sweep), /already undone/);
  assert.ok(existsSync(file));
});

const ARCHIVE = 'notes/memory/archive/2026-11.md';
const NEXT: SweepRecord = { ...SWEEP, id: '20261121T030000', day: '2026-11-21' };

/** A file with an entry, and a plan that retires it. */
function aRetirement() {
  const world = aChanger();
  changeMemory(world.changer, SWEEP, planFor);
  const retire = (text: string) => ({
    ...editMemory(text, [{ kind: 'retire', prior: KEY, because: { why: 'space' } }], NEXT.day),
    decided: [],
  });
  const archive = (): string | undefined =>
    existsSync(world.home.at(ARCHIVE)) ? readFileSync(world.home.at(ARCHIVE), 'utf8') : undefined;
  return { ...world, before: world.read(), retire, archive };
}

test('a retired entry is in the archive with its provenance; undo puts it back to the byte', () => {
  const { changer, read, retire, archive, before } = aRetirement();
  const applied = changeMemory(changer, NEXT, retire);
  assert.equal(promotedEntries(read()), []);
  const [entry] = promotedEntries(archive() ?? '');
  assert.is(entry?.text, TEXT);
  assert.is(entry?.path, 'memory/2026-11-18.md');
  assert.match(archive() ?? '', /recalls=4 retired=2026-11-21 why=space -->/);
  // It stays decided: the next night does not promote it again.
  assert.is(changer.entries.get(KEY)?.fate, 'promoted');
  const { undone, kept } = undoRecordedSweep(changer, applied);
  assert.is(undone, 1);
  assert.equal(kept, []);
  assert.is(read(), before);
  assert.is(archive(), undefined);
});

test('a replaced entry stays in the archive until undoing brings it back', () => {
  const { changer, file, read, archive, before } = aRetirement();
  const text = 'The nightly backup runs at 03:30.';
  const [prior] = promotedEntries(before);
  assert.ok(prior);
  const entry = { ...prior, key: claimKeyOf(text), sweepId: NEXT.id };
  const applied = changeMemory(changer, NEXT, (now) => ({
    ...editMemory(now, [{ kind: 'replace', prior: KEY, entry, text }], NEXT.day),
    decided: [entry.key],
  }));
  const written = read();
  const archived = archive();
  assert.is(promotedEntries(archived ?? '').length, 1);
  for (const edited of [written.replace(text, `${text} Or so.`), HAND]) {
    writeFileSync(file, edited);
    assert.is(undoRecordedSweep(changer, applied).undone, 0);
    assert.is(archive(), archived);
  }
  writeFileSync(file, written);
  undoRecordedSweep(changer, applied);
  assert.is(read(), before);
  assert.is(archive(), undefined);
});

test('what a person wrote in the archive stays, before and after an undo', () => {
  const { home, changer, retire, archive } = aRetirement();
  home.write(ARCHIVE, '# Kept by hand\n\n- an old note');
  const applied = changeMemory(changer, NEXT, retire);
  assert.ok(archive()?.startsWith('# Kept by hand\n\n- an old note\n<!-- svc:'));
  undoRecordedSweep(changer, applied);
  assert.is(archive(), '# Kept by hand\n\n- an old note');
});

/** Leaves what a sweep leaves that was killed before it was recorded as applied. */
function killed(changer: MemoryChanger, id = NEXT.id): void {
  const sweep = changer.sweeps.get(id);
  if (sweep === undefined || sweep.memoryState === null) throw new Error('not planned');
  changer.sweeps.put({ ...sweep, memoryState: 'planned' });
}

test('killed after the archive was written: the entry is in MEMORY.md only', () => {
  const { changer, file, read, retire, archive, before } = aRetirement();
  changeMemory(changer, NEXT, retire);
  killed(changer);
  writeFileSync(file, before);
  recoverChanges(changer);
  assert.is(read(), before);
  assert.is(archive(), undefined);
  assert.is(changer.sweeps.get(NEXT.id)?.memoryState, null);
});

test('killed after the archive was written: a dry run leaves the files to the next sweep', () => {
  const { changer, file, retire, archive, before } = aRetirement();
  changeMemory(changer, NEXT, retire);
  killed(changer);
  writeFileSync(file, before);
  const archived = archive();
  recoverChanges({ ...changer, dryRun: true });
  assert.is(archive(), archived);
});

test('killed after both files were written, and then edited: the entry is in the archive only', () => {
  const { changer, file, read, retire, archive } = aRetirement();
  changeMemory(changer, NEXT, retire);
  killed(changer);
  writeFileSync(file, `${read()}\nedited\n`);
  recoverChanges(changer);
  assert.equal(promotedEntries(read()), []);
  assert.is(promotedEntries(archive() ?? '').length, 1);
  assert.is(changer.sweeps.get(NEXT.id)?.memoryState, 'applied');
});

test('killed before MEMORY.md was written, which was then edited: nothing was promoted', () => {
  const { changer, file } = aChanger();
  changeMemory(changer, SWEEP, planFor);
  killed(changer, SWEEP.id);
  writeFileSync(file, `${HAND}\nedited\n`);
  recoverChanges(changer);
  assert.is(changer.sweeps.get(SWEEP.id)?.memoryState, null);
});

test('an archive that cannot be written leaves MEMORY.md as it is', () => {
  const { home, changer, read, retire, before } = aRetirement();
  home.write('elsewhere.md', 'of somebody else');
  mkdirSync(home.at('notes/memory/archive'), { recursive: true });
  symlinkSync(home.at('elsewhere.md'), home.at(ARCHIVE));
  assert.throws(() => changeMemory(changer, NEXT, retire), /symbolic link/);
  assert.is(read(), before);
  assert.is(readFileSync(home.at('elsewhere.md'), 'utf8'), 'of somebody else');
});

test.run();
