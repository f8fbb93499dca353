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

/** The program, as far as it registers collections. */
class Program {
  readonly collections = new Map<string, Pick<Collection, 'pattern' | 'root'>>();
  readonly commands: string[] = [];
  /** A flag of newer releases, and whether the program ignores it without a complaint. */
  unknownFlag: string | undefined;
  isSilent = false;
  /** Ends svc after it has run this command. */
  killsAfter: string | undefined;

  readonly run: Run = async (args) => {
    const [, verb, ...rest] = args;
    this.commands.push(args.slice(0, 3).join(' '));
    if (verb === 'remove') this.collections.delete(rest[0] ?? '');
    if (verb === 'add') this.add(rest);
    if (verb === this.killsAfter) throw new Error('killed');
    return { stdout: verb === 'list' ? this.list() : 'Indexed: 1 new', stderr: '' };
  };

  private add([root = '', , name = '', flag = '', pattern = '']: readonly string[]): void {
    const [word = '', value] = flag.split('=');
    const isUnknown = word === this.unknownFlag;
    if (isUnknown && !this.isSilent) {
      throw new ToolFailure('BACKEND_FAILED', `Unknown option '${word}'`, 'none');
    }
    this.collections.set(name, { root, pattern: isUnknown ? '**/*' : (value ?? pattern) });
  }

  private list(): string {
    return [...this.collections]
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
  let configured: readonly Collection[] = [collection('a'), collection('b')];
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
    collections: () => configured,
  } as const;
  return {
    program,
    configure: (...collections: readonly Collection[]) => {
      configured = collections;
    },
    register: () => registerCollections(settings, FEATURES, program.run),
    recorded: () => readExtState(settings.dir).collections.map(({ name }) => name),
    forget: () => updateExtState(settings.dir, () => ({ collections: [] })),
    names: () => [...program.collections.keys()].toSorted(),
  };
}

test('new collections are registered, once', async () => {
  const { register, program, names, recorded } = world();
  assert.equal(await register().then(({ hasKept, hasNew }) => [hasKept, hasNew]), [false, true]);
  assert.equal(
    [names(), recorded()],
    [
      ['a', 'b'],
      ['a', 'b'],
    ],
  );
  program.commands.length = 0;
  assert.equal(await register().then(({ hasKept, hasNew }) => [hasKept, hasNew]), [true, false]);
  assert.equal(program.commands, ['collection list']);
});

test('collections no longer configured are removed; those that svc did not add stay', async () => {
  const { register, program, names, configure, recorded } = world();
  program.collections.set('person', { root: '/elsewhere', pattern: '*' });
  await register();
  configure(collection('b'));
  await register();
  assert.equal([names(), recorded()], [['b', 'person'], ['b']]);
});

test('a changed pattern or folder is registered again', async () => {
  const { register, program, configure } = world();
  await register();
  configure(collection('a', '*.txt'), collection('b'));
  const { hasKept, hasNew } = await register();
  assert.equal([hasKept, hasNew, program.collections.get('a')?.pattern], [true, true, '*.txt']);
});

test('a missing folder is registered once it exists, and removed when it is gone', async () => {
  const { register, names, configure } = world();
  configure(collection('a'), collection('later'));
  await register();
  assert.equal(names(), ['a']);
  folder.write('later/z.md', '');
  assert.is((await register()).hasNew, true);
  assert.equal(names(), ['a', 'later']);
});

test('collections that the program lost are registered again', async () => {
  const { register, program, names } = world();
  await register();
  program.collections.delete('b');
  assert.is((await register()).hasNew, true);
  assert.equal(names(), ['a', 'b']);
});

test('killed right after adding one, svc still knows that it is its own', async () => {
  const { register, program, names, configure, recorded } = world();
  program.killsAfter = 'add';
  await register().catch(() => undefined);
  assert.equal([names(), recorded()], [['a'], ['a']]);
  program.killsAfter = undefined;
  // It is no longer configured when svc runs again.
  configure(collection('b'));
  await register();
  assert.equal(names(), ['b']);
});

test('a registration that was killed is repeated', async () => {
  const { register, program, names, forget } = world();
  await register();
  forget();
  assert.is((await register()).hasNew, true);
  assert.equal(names(), ['a', 'b']);
  assert.ok(program.commands.includes('collection remove a'));
});

test('the other flag is tried if the program complains or silently takes every file', async () => {
  for (const isSilent of [false, true]) {
    const { register, program } = world();
    program.unknownFlag = '--mask';
    program.isSilent = isSilent;
    await register();
    assert.equal(
      [...program.collections.values()].map(({ pattern }) => pattern),
      ['**/*.md', '**/*.md'],
    );
  }
});

test('a pattern that looks like an option is not read as one', async () => {
  const { register, program, configure } = world();
  configure(collection('a', '-draft*.md'));
  await register();
  assert.is(program.collections.get('a')?.pattern, '-draft*.md');
});

test.run();
