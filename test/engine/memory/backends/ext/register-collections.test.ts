import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { resolveConfig } from '../../../../../src/engine/config/index.js';
import type { Collection } from '../../../../../src/engine/memory/backends/ext/collections.js';
import {
  readExtState,
  updateExtState,
} from '../../../../../src/engine/memory/backends/ext/ext-state.js';
import {
  type Run,
  registerCollections,
} from '../../../../../src/engine/memory/backends/ext/register-collections.js';
import { ToolFailure } from '../../../../../src/engine/memory/backends/ext/tool/open-tool.js';
import { folderOf } from '../../../../support/temp-folder.js';

const test = suite('registering collections with the external program');

const FEATURES = {
  release: '2.8.3',
  patternFlag: '--mask',
  manyCollections: true,
  json: ['--json'],
  vectorSearch: true,
} as const;

interface Kept {
  readonly root: string;
  readonly pattern: string;
}

/** A program that has collections, as far as telling them goes. */
class Program {
  readonly has = new Map<string, Kept>();
  readonly ran: string[] = [];
  /** What it does not know, and whether it says so. */
  unknownFlag: string | undefined;
  isSilent = false;
  /** Ends svc with this command, after it was done. */
  killsAfter: string | undefined;

  readonly run: Run = async (args) => {
    const [, verb, ...rest] = args;
    this.ran.push(args.slice(0, 3).join(' '));
    if (verb === 'remove') this.has.delete(rest[0] ?? '');
    if (verb === 'add') this.add(rest);
    if (verb === this.killsAfter) throw new Error('killed');
    return { stdout: verb === 'list' ? this.list() : 'Indexed: 1 new', stderr: '' };
  };

  private add([root = '', , name = '', flag = '', pattern = '']: readonly string[]): void {
    const [word = '', given] = flag.split('=');
    const isUnknown = word === this.unknownFlag;
    if (isUnknown && !this.isSilent) {
      throw new ToolFailure('BACKEND_FAILED', `Unknown option '${word}'`, 'none');
    }
    this.has.set(name, { root, pattern: isUnknown ? '**/*' : (given ?? pattern) });
  }

  private list(): string {
    return [...this.has]
      .map(
        ([name, { pattern }]) => `${name} (qmd://${name}/)\n  Pattern:  ${pattern}\n  Files:  1\n`,
      )
      .join('\n');
  }
}

const folder = folderOf({ 'a/x.md': '', 'b/y.md': '' });
const collection = (name: string, pattern = '**/*.md'): Collection => ({
  name,
  root: folder.at(name),
  pattern,
  source: 'memory',
});

function world() {
  let wanted: readonly Collection[] = [collection('a'), collection('b')];
  const program = new Program();
  const { update, limits } = resolveConfig({}).memory.ext;
  const settings = {
    command: 'qmd',
    mode: 'search',
    searchTool: undefined,
    dir: folderOf({}).path,
    workspaceDir: folder.path,
    sessions: { enabled: false, exportDir: '', retentionDays: undefined },
    limits,
    update: { ...update, intervalMs: 0, embedIntervalMs: 0 },
    collections: () => wanted,
  } as const;
  return {
    program,
    want: (...collections: readonly Collection[]) => {
      wanted = collections;
    },
    tell: () => registerCollections(settings, FEATURES, program.run),
    known: () => readExtState(settings.dir).collections.map(({ name }) => name),
    forget: () => updateExtState(settings.dir, () => ({ collections: [] })),
    names: () => [...program.has.keys()].toSorted(),
  };
}

test('new collections are registered, once', async () => {
  const { tell, program, names, known } = world();
  assert.equal(await tell().then(({ hasKept, hasNew }) => [hasKept, hasNew]), [false, true]);
  assert.equal(
    [names(), known()],
    [
      ['a', 'b'],
      ['a', 'b'],
    ],
  );
  program.ran.length = 0;
  assert.equal(await tell().then(({ hasKept, hasNew }) => [hasKept, hasNew]), [true, false]);
  assert.equal(program.ran, ['collection list']);
});

test('collections no longer configured are removed; those that svc did not add stay', async () => {
  const { tell, program, names, want, known } = world();
  program.has.set('person', { root: '/elsewhere', pattern: '*' });
  await tell();
  want(collection('b'));
  await tell();
  assert.equal([names(), known()], [['b', 'person'], ['b']]);
});

test('a changed pattern or folder is registered again', async () => {
  const { tell, program, want } = world();
  await tell();
  want(collection('a', '*.txt'), collection('b'));
  const { hasKept, hasNew } = await tell();
  assert.equal([hasKept, hasNew, program.has.get('a')?.pattern], [true, true, '*.txt']);
});

test('a missing folder is registered once it exists, and removed when it is gone', async () => {
  const { tell, names, want } = world();
  want(collection('a'), collection('later'));
  await tell();
  assert.equal(names(), ['a']);
  folder.write('later/z.md', '');
  assert.is((await tell()).hasNew, true);
  assert.equal(names(), ['a', 'later']);
});

test('collections that the program lost are registered again', async () => {
  const { tell, program, names } = world();
  await tell();
  program.has.delete('b');
  assert.is((await tell()).hasNew, true);
  assert.equal(names(), ['a', 'b']);
});

test('killed right after adding one, svc still knows that it is its own', async () => {
  const { tell, program, names, want, known } = world();
  program.killsAfter = 'add';
  await tell().catch(() => undefined);
  assert.equal([names(), known()], [['a'], ['a']]);
  program.killsAfter = undefined;
  // It is not wanted any more by the time that svc runs again.
  want(collection('b'));
  await tell();
  assert.equal(names(), ['b']);
});

test('a registration that was killed is repeated', async () => {
  const { tell, program, names, forget } = world();
  await tell();
  forget();
  assert.is((await tell()).hasNew, true);
  assert.equal(names(), ['a', 'b']);
  assert.ok(program.ran.includes('collection remove a'));
});

test('the other flag is tried if the program complains or silently takes every file', async () => {
  for (const isSilent of [false, true]) {
    const { tell, program } = world();
    program.unknownFlag = '--mask';
    program.isSilent = isSilent;
    await tell();
    assert.equal(
      [...program.has.values()].map(({ pattern }) => pattern),
      ['**/*.md', '**/*.md'],
    );
  }
});

test('a pattern that looks like an option is not read as one', async () => {
  const { tell, program, want } = world();
  want(collection('a', '-draft*.md'));
  await tell();
  assert.is(program.has.get('a')?.pattern, '-draft*.md');
});

test.run();
