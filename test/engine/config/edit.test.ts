import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  changeConfigValue,
  getConfigValue,
  setConfigValue,
  unsetConfigValue,
} from '../../../src/engine/config/authoring.js';
import { checkConfigText } from '../../../src/engine/config/check.js';
import { formatPath, parsePath, valueAt } from '../../../src/engine/config/config-path.js';
import { editJson } from '../../../src/engine/config/edit-json.js';
import { loadConfig } from '../../../src/engine/config/index.js';
import { failureOf } from '../../support/failure.js';
import { inWorld } from './support.js';

const test = suite('editing a configuration');
const { signal } = new AbortController();

const COMMENTED = `// first
{
  /* roots */
  "memory": { "citations": "auto" }, // inline
  // about agents
  "agents": {
    "defaults": {
      "memorySearch": {
        "provider": "openai", // why openai
        "extraPaths": [
          "a", // one
          "b" // two
        ],
      }
    },
  }
}
// last
`;

const commentsOf = (text: string): string[] => text.match(/\/\/.*|\/\*.*?\*\//g) ?? [];

test('setting a value changes that value and nothing else', () =>
  inWorld(async ({ context, write }) => {
    const file = write('project/svc.json', COMMENTED);
    const edit = await setConfigValue(
      context,
      { path: 'memory.citations', value: 'on' },
      { signal },
    );
    assert.is(readFileSync(file, 'utf8'), COMMENTED.replace('"auto"', '"on"'));
    assert.equal(edit, {
      file,
      path: 'memory.citations',
      before: 'auto',
      after: 'on',
      changed: true,
      warnings: [],
    });
  }));

test('setting a key below a value that is not an object reports the fault in the file', () =>
  inWorld(async ({ context, write }) => {
    const file = write('project/svc.json', '{"memory": 5, "agents": {"list": {}}}');
    for (const path of ['memory.citations', 'agents.list[0].id']) {
      const error = await failureOf(() =>
        setConfigValue(context, { path, value: 'on' }, { signal }),
      );
      assert.is(error.code, 'CONFIG_INVALID');
      assert.is(error.location?.line, 1);
      assert.match(error.hint ?? '', 'nothing was written; fix the file first');
    }
    assert.is(readFileSync(file, 'utf8'), '{"memory": 5, "agents": {"list": {}}}');
  }));

test('removing values keeps every comment and leaves a valid file', () => {
  for (const path of [
    'memory',
    'agents',
    'memory.citations',
    'agents.defaults.memorySearch.provider',
    'agents.defaults.memorySearch.extraPaths[0]',
    'agents.defaults.memorySearch.extraPaths[1]',
  ]) {
    const edited = editJson(COMMENTED, parsePath(path), undefined);
    const checked = checkConfigText('f', edited);
    assert.equal(checked.faults, [], path);
    // The content of a removed group is removed with it.
    if (path !== 'agents') assert.equal(commentsOf(edited), commentsOf(COMMENTED), path);
  }
});

test('a new key goes where a person would put it, and moves nothing', () => {
  for (const [text, path, value, expected] of [
    ['{\n  "a": 1 // of a\n}\n', 'b', 2, '{\n  "a": 1, // of a\n  "b": 2\n}\n'],
    ['{\n  "a": 1, // of a\n}\n', 'b', 2, '{\n  "a": 1, // of a\n  "b": 2,\n}\n'],
    [
      '{\n\t"l": [\n\t\t{ "id": "x" }\n\t]\n}',
      'l[0].n',
      1,
      '{\n\t"l": [\n\t\t{ "id": "x", "n": 1 }\n\t]\n}',
    ],
    ['{ "l": ["x", "y"] }', 'l[2]', 'z', '{ "l": ["x", "y", "z"] }'],
    ['{"a":{"b":1}}', 'a.c', [1, 2], '{"a":{"b":1,"c":[1,2]}}'],
    ['{\r\n  "a": {}\r\n}', 'a.b', true, '{\r\n  "a": {\r\n    "b": true\r\n  }\r\n}'],
    ['// none yet', 'a', 1, '// none yet\n{\n  "a": 1\n}\n'],
  ] as const) {
    assert.is(editJson(text, parsePath(path), value), expected);
  }
});

test('a duplicate key is removed twice', () => {
  assert.is(editJson('{"a":1,"b":2,"a":3}', ['a'], undefined), '{"b":2}');
});

test('nothing is left of what is removed from a line, and setting a value and removing it changes nothing', () => {
  for (const [text, path, expected] of [
    ['{ "a": 1, "b": 2, "c": 3 }', 'a', '{ "b": 2, "c": 3 }'],
    ['{ "a": 1, "b": 2, "c": 3 }', 'b', '{ "a": 1, "c": 3 }'],
    ['{ "a": 1, "b": 2, "c": 3, }', 'c', '{ "a": 1, "b": 2, }'],
    ['{\n  "l": [1, 2]\n}', 'l[0]', '{\n  "l": [2]\n}'],
    ['{ "a": 1 }', 'a', '{}'],
  ] as const) {
    assert.is(editJson(text, parsePath(path), undefined), expected);
  }
  for (const text of [
    '{ "a": 1 }',
    '{"a": 1}',
    '{"a":1}',
    '{}\n',
    '{ "a": 1, }',
    '{\r\n\t"a": 1 // c\r\n}',
  ]) {
    assert.is(editJson(editJson(text, ['b'], 2), ['b'], undefined), text);
  }
});

test('values are parsed by the type of the key', () =>
  inWorld(async ({ context, write }) => {
    write('project/svc.json', '{}');
    const set = async (path: string, value: string): Promise<unknown> =>
      (await setConfigValue(context, { path, value }, { signal })).after;
    assert.is(await set('agents.defaults.memorySearch.query.maxResults', '8'), 8);
    assert.is(await set('agents.list[0].id', '8'), '8');
    assert.is(await set('agents.list.1.id', 'true'), 'true');
    assert.is(await set('agents.list[0].default', 'true'), true);
    assert.equal(await set('agents.defaults.memorySearch.sources', '["sessions"]'), ['sessions']);
    assert.is(await set('models.providers["my.host"].api', 'openai'), 'openai');
    const { input } = await loadConfig(context);
    assert.is(input.agents?.list?.[1]?.id, 'true');
    assert.is(input.models?.providers?.['my.host']?.api, 'openai');
  }));

test('null is not a text, and sets nothing', () =>
  inWorld(async ({ context, write }) => {
    const file = write('project/svc.json', '{}');
    for (const path of ['agents.defaults.workspace', 'memory.citations', 'gateway.port']) {
      const error = await failureOf(() =>
        setConfigValue(context, { path, value: 'null' }, { signal }),
      );
      assert.is(error.message, `${path} cannot be null`);
      assert.is(error.hint, `to remove it: svc config unset ${path}`);
    }
    assert.is(readFileSync(file, 'utf8'), '{}');
  }));

test("without a file the user's is created, readable only by its owner", () =>
  inWorld(async ({ context, at }) => {
    const { file } = await setConfigValue(
      context,
      { path: 'memory.citations', value: 'on' },
      { signal },
    );
    assert.is(file, at('home/.svc/svc.json'));
    assert.equal(JSON.parse(readFileSync(file, 'utf8')), { memory: { citations: 'on' } });
    assert.is(statSync(file).mode & 0o777, 0o600);
  }));

test('the mode of the file and a link to it are kept, and no temporary file is left', () =>
  inWorld(async ({ context, write, at }) => {
    const real = write('real/settings.json', '{}');
    chmodSync(real, 0o640);
    symlinkSync(real, at('project/svc.json'));
    await setConfigValue(context, { path: 'memory.citations', value: 'on' }, { signal });
    assert.ok(lstatSync(at('project/svc.json')).isSymbolicLink());
    assert.is(statSync(real).mode & 0o777, 0o640);
    assert.match(readFileSync(real, 'utf8'), '"on"');
    assert.equal(readdirSync(at('real')), ['settings.json']);
  }));

test('an edit that would make the file invalid is refused and nothing is written', () =>
  inWorld(async ({ context, write }) => {
    const file = write('project/svc.json', COMMENTED);
    const edit = { path: 'agents.defaults.memorySearch.fallback', value: 'openai' };
    const error = await failureOf(() => setConfigValue(context, edit, { signal }));
    assert.is(error.code, 'CONFIG_INVALID');
    assert.match(error.message, 'fallback and provider are both "openai"');
    assert.match(error.hint ?? '', 'nothing was written');
    assert.is(readFileSync(file, 'utf8'), COMMENTED);
    const hintOf = async (path: string, value: string) =>
      (await failureOf(() => setConfigValue(context, { path, value }, { signal }))).hint;
    assert.match(
      (await hintOf('agents.defaults.memorySearch.query.rerank', '{"provider":"local"}')) ?? '',
      /^nothing was written; expected query\.rerank\.model: /u,
    );
    assert.is(
      await hintOf('agents.defaults.memorySearch.extraPaths', '~/notes'),
      `nothing was written; write a list as JSON, such as '["a", "b"]'`,
    );
    assert.is(
      await hintOf('gateway.tls.cert', 'a.pem'),
      'nothing was written; expected cert and key, or neither; to set both at once: svc config set gateway.tls JSON',
    );
    assert.match(
      (await hintOf('plugins.entries.webhooks.config.routes.a.verify.scheme', 'github')) ?? '',
      / at once: svc config set plugins\.entries\.webhooks\.config\.routes\.a(?:\.verify)? JSON$/u,
    );
    assert.is(
      await hintOf('agents.defaults.memorySearch.provider', 'opneai'),
      'did you mean "openai"? Nothing was written',
    );
    write(
      'project/svc.json',
      '{"agents":{"list":[{"id":"a","memorySearch":{"provider":"corp"}}]},"models":{"providers":{"corp":{"api":"openai"},"corp2":{"api":"openai"}}}}',
    );
    const hintWithout = async (path: string) =>
      (await failureOf(() => unsetConfigValue(context, { path }, { signal }))).hint;
    assert.is(
      await hintWithout('agents.list[0].id'),
      "nothing was written; to remove all of it: svc config unset 'agents.list[0]'",
    );
    assert.is(
      await hintWithout('models.providers.corp'),
      'nothing was written; change agents.list[0].memorySearch.provider first, which depends on it',
    );
  }));

test('a number that JSON cannot hold is refused as it was written', () =>
  inWorld(async ({ context }) => {
    const edit = { path: 'gateway.port', value: '1e309' };
    const error = await failureOf(() => setConfigValue(context, edit, { signal }));
    assert.match(error.message, '(got "1e309")');
  }));

test('an edit may fix one of several faults, and a warning has those that are left', () =>
  inWorld(async ({ context, write }) => {
    const file = write('project/svc.json', '{\n  "memory": { "citations": 1, "backend": 2 }\n}');
    const set = (path: string, value: string) =>
      setConfigValue(context, { path, value }, { signal });
    const { before, warnings } = await set('memory.citations', 'on');
    assert.is(before, 1);
    assert.equal(
      warnings.map(({ code, message }) => [code, message]),
      [
        [
          'CONFIG_INVALID',
          `the file is still invalid: ${file}:2:45 "backend" must be one of "builtin", "ext" (got 2)`,
        ],
      ],
    );
    for (const path of ['memory.backend', 'memory']) {
      const { message, hint } = await failureOf(() => set(path, '{"backend":3}'));
      assert.match(message, '"backend" must be');
      assert.match(hint ?? '', 'nothing was written');
    }
    assert.match((await failureOf(() => set('ui.theme', 'x'))).message, '"theme" must be');
    assert.is(readFileSync(file, 'utf8'), '{\n  "memory": { "citations": "on", "backend": 2 }\n}');
    assert.equal((await set('memory.backend', 'builtin')).warnings, []);
  }));

test('a key that is written twice can be set', () =>
  inWorld(async ({ context, write }) => {
    const file = write('project/svc.json', '{ "logging": { "level": "warn", "level": "info" } }');
    const setting = { path: 'logging.level', value: 'debug' };
    const { warnings } = await setConfigValue(context, setting, { signal });
    assert.match(warnings[0]?.message ?? '', /still invalid: .* duplicate key "level"/u);
    assert.match(readFileSync(file, 'utf8'), '"level": "debug"');
  }));

test('an edit that fixes a fault may show those behind it', () =>
  inWorld(async ({ context, write }) => {
    const routes = 'plugins.entries.webhooks.config.routes';
    const route = {
      sessionKey: 5,
      secret: 'env:A',
      verify: { scheme: 'github', secrets: ['env:B'] },
    };
    const map = [{}, { when: { event: [] } }, { ignore: true }];
    const all = { a: route, b: { sessionKey: 'b', secret: 'env:C', map } };
    write(
      'project/svc.json',
      JSON.stringify({ plugins: { entries: { webhooks: { config: { routes: all } } } } }),
    );
    const setting = { path: `${routes}.a.sessionKey`, value: 'a' };
    const unset = (path: string) =>
      unsetConfigValue(context, { path: `${routes}.${path}` }, { signal });
    const { warnings } = await setConfigValue(context, setting, { signal });
    assert.match(warnings[0]?.message ?? '', /both secret and verify \(and 2 more\)$/u);
    // What follows in the list has the same fault, and moves up.
    assert.match(
      (await unset('b.map[0]')).warnings[0]?.message ?? '',
      /both secret and verify \(and 1 more\)$/u,
    );
    assert.match((await unset('b.map[0]')).warnings[0]?.message ?? '', /both secret and verify$/u);
    assert.equal((await unset('a.secret')).warnings, []);
  }));

test('what is written in place of a list has no positions', () =>
  inWorld(async ({ context, write }) => {
    write('project/svc.json', '{ "agents": { "list": { "0": { "id": "main" } } } }');
    const { changed, before } = await unsetConfigValue(
      context,
      { path: 'agents.list[0].id' },
      { signal },
    );
    assert.equal([changed, before], [false, undefined]);
  }));

test('an item of a list is removed before one with a fault', () =>
  inWorld(async ({ context, write }) => {
    const text = '{"agents":{"list":[{"id":"a"},{"id":"b","x":1},{"id":"c"}]}}';
    const file = write('project/svc.json', text);
    const path = 'agents.list[0]';
    const { changed, warnings } = await unsetConfigValue(context, { path }, { signal });
    assert.is(changed, true);
    assert.match(warnings[0]?.message ?? '', 'unknown key "x" in agents.list[0]');
    assert.is(readFileSync(file, 'utf8'), '{"agents":{"list":[{"id":"b","x":1},{"id":"c"}]}}');
    write('project/svc.json', '{"agents":{"list":[{"id":"a"},{"x":1},{"id":"c"}]}}');
    const error = await failureOf(() =>
      unsetConfigValue(context, { path: 'agents.list[2].id' }, { signal }),
    );
    assert.match(error.message, '"id" is missing in agents.list[2]');
  }));

test('an unknown key of the file is removed without showing its value', () =>
  inWorld(async ({ context, write }) => {
    const file = write(
      'project/svc.json',
      '{"models":{"providers":{"corp":{"apKey":"hunter2"}}},"a":1}',
    );
    const unset = (path: string) => unsetConfigValue(context, { path }, { signal });
    const { before, warnings } = await unset('a');
    assert.is(before, '********');
    assert.match(warnings[0]?.message ?? '', 'unknown key "apKey"');
    assert.is((await unset('models')).before, '********');
    assert.is(readFileSync(file, 'utf8'), '{}');
    assert.is((await failureOf(() => unset('a'))).code, 'CONFIG_KEY_UNKNOWN');
  }));

test('a file with broken syntax is not edited', () =>
  inWorld(async ({ context, write }) => {
    write('project/svc.json', '{ "memory": ');
    const error = await failureOf(() =>
      setConfigValue(context, { path: 'memory.citations', value: 'on' }, { signal }),
    );
    assert.is(error.code, 'CONFIG_SYNTAX');
  }));

const UNKNOWN: readonly (readonly [string, string])[] = [
  ['memory.citatons', 'did you mean "memory.citations"?'],
  [
    'agents.defaults.memorySearch.hybrid',
    'did you mean "agents.defaults.memorySearch.query.hybrid"?',
  ],
  ['memory.citations.x', 'it has no keys'],
  // Keys of this name are elsewhere, and none of them is more likely.
  ['storage.enabled', 'known keys: url, origin'],
  ['zzz', 'known keys: $schema, agents'],
];

for (const [path, hint] of UNKNOWN) {
  test(`the unknown path ${path} is refused with help`, () =>
    inWorld(async ({ context }) => {
      const error = await failureOf(() =>
        setConfigValue(context, { path, value: '1' }, { signal }),
      );
      assert.is(error.code, 'CONFIG_KEY_UNKNOWN');
      assert.match(error.hint ?? '', hint);
    }));
}

for (const path of ['', '.', 'a..b', 'a[', 'a[x]', 'a["b', 'a b]']) {
  test(`${JSON.stringify(path)} is not a path`, () => {
    assert.throws(() => parsePath(path), /is not a configuration path/);
  });
}

test('a list position that would leave a gap is refused', () =>
  inWorld(async ({ context }) => {
    const error = await failureOf(() =>
      setConfigValue(context, { path: 'agents.list[2].id', value: 'a' }, { signal }),
    );
    assert.is(error.code, 'USAGE');
    assert.match(error.hint ?? '', 'agents.list[0]');
  }));

test('setting the current value writes nothing', () =>
  inWorld(async ({ context, write }) => {
    const file = write('project/svc.json', COMMENTED);
    const { mtimeMs } = statSync(file);
    const auto = { path: 'memory.citations', value: 'auto' };
    assert.is((await setConfigValue(context, auto, { signal })).changed, false);
    const { changed } = await unsetConfigValue(context, { path: 'memory.backend' }, { signal });
    assert.is(changed, false);
    assert.is(statSync(file).mtimeMs, mtimeMs);
  }));

test('what an editor saves while a value is set is not overwritten', () =>
  inWorld(async ({ context, write }) => {
    const file = write('project/svc.json', COMMENTED);
    const error = await failureOf(() =>
      changeConfigValue(
        context,
        () => {
          write('project/svc.json', '{ "memory": { "citations": "off" } }');
          return { path: 'memory.citations', value: 'on' };
        },
        { signal },
      ),
    );
    assert.is(error.code, 'CONFIG_WRITE_FAILED');
    assert.match(error.message, 'changed in the meantime');
    assert.is(readFileSync(file, 'utf8'), '{ "memory": { "citations": "off" } }');
  }));

test('concurrent changes are made one after the other', () =>
  inWorld(async ({ context }) => {
    const numbers = [0, 1, 2, 3, 4];
    await Promise.all(
      numbers.map(() =>
        changeConfigValue(
          context,
          ({ agents }) => {
            const { length } = agents?.list ?? [];
            return { path: `agents.list[${length}].id`, value: `a${length}` };
          },
          { signal },
        ),
      ),
    );
    const { input } = await loadConfig(context);
    assert.equal(
      input.agents?.list?.map(({ id }) => id),
      numbers.map((number) => `a${number}`),
    );
  }));

test('an unwritable folder is an error, and the old file stays intact', () =>
  inWorld(async ({ context, write, at }) => {
    if (process.getuid?.() === 0) return;
    const file = write('project/svc.json', COMMENTED);
    chmodSync(at('project'), 0o500);
    const error = await failureOf(() =>
      setConfigValue(context, { path: 'memory.citations', value: 'on' }, { signal }),
    );
    chmodSync(at('project'), 0o700);
    assert.is(error.code, 'CONFIG_WRITE_FAILED');
    assert.is(readFileSync(file, 'utf8'), COMMENTED);
  }));

test('a folder cannot be created below a file', () =>
  inWorld(async ({ context, write, at }) => {
    write('plain', 'x');
    mkdirSync(at('x'));
    const options = { configFile: at('plain/svc.json'), signal };
    const error = await failureOf(() =>
      setConfigValue(context, { path: 'memory.citations', value: 'on' }, options),
    );
    assert.is(error.code, 'CONFIG_WRITE_FAILED');
    assert.not.ok(existsSync(at('plain/svc.json')));
  }));

test('secrets are masked when read and in the report of an edit, references are not', () =>
  inWorld(async ({ context, write }) => {
    write('project/svc.json', '{}');
    const path = 'models.providers.x.apiKey';
    const secret = 'sk-0123456789012345678901234567';
    const edit = await setConfigValue(context, { path, value: secret }, { signal });
    assert.not.match(JSON.stringify(edit), secret);
    assert.is((await getConfigValue(context, path)).value, '********');
    assert.not.match(JSON.stringify((await getConfigValue(context, 'models')).value), secret);
    await setConfigValue(context, { path, value: 'env:X_KEY' }, { signal });
    assert.is((await getConfigValue(context, path)).value, 'env:X_KEY');
    assert.is(
      (await failureOf(() => setConfigValue(context, { path, value: '********' }, { signal })))
        .code,
      'USAGE',
    );
  }));

test('get shows whether a value is written, a default, or unset, and where defaults are', () =>
  inWorld(async ({ context, write }) => {
    write('project/svc.json', '{ "memory": { "citations": "on" } }');
    const origin = async (path: string) => {
      const { value, origin } = await getConfigValue(context, path);
      return [value, origin];
    };
    assert.equal(await origin('memory.citations'), ['on', 'file']);
    assert.equal(await origin('memory.backend'), ['builtin', 'default']);
    assert.equal(await origin('logging.file'), [undefined, 'unset']);
    write(
      'project/svc.json',
      '{"agents":{"defaults":{"memorySearch":{"exclude":["x"],"query":{"maxResults":9}}},"list":[{"id":"a","memorySearch":{"exclude":["y"]}}]}}',
    );
    const exclude = 'agents.list[0].memorySearch.exclude';
    assert.equal(await origin(exclude), [['x', 'y'], 'file']);
    assert.equal(await origin(`${exclude}[0]`), ['y', 'file']);
    const written = [{ id: 'a', memorySearch: { exclude: ['y'] } }];
    assert.equal(await origin('agents.list'), [written, 'file']);
    const query = 'agents.list[0].memorySearch.query';
    assert.equal(await origin(`${query}.maxResults`), [9, 'file']);
    assert.equal(await origin(`${query}.minScore`), [0.25, 'default']);
    const fallback = async (path: string, stateDir: string, cacheDir = stateDir) => {
      const state = { ...context.state, stateDir, cacheDir };
      return (await getConfigValue({ ...context, state }, `agents.defaults.${path}`)).fallback;
    };
    assert.is(await fallback('workspace', context.state.stateDir), '`~/.svc/workspace`');
    assert.is(await fallback('workspace', '/state', '/cache'), '`/state/workspace`');
    assert.is(
      await fallback('memorySearch.store.path', '/state', '/cache'),
      '`/cache/memory/{agentId}.sqlite`',
    );
  }));

test('a path is read as it was written', () => {
  const key = fc.string({ minLength: 1 });
  fc.assert(
    fc.property(key, fc.array(fc.oneof(key, fc.nat(99))), (first, rest) => {
      assert.equal(parsePath(formatPath([first, ...rest])), [first, ...rest]);
    }),
  );
});

test('set values can be read back, and comments stay', () => {
  const comment = fc.stringMatching(/^[a-z {}[\]",:]{0,20}$/).map((text) => `// ${text}\n`);
  const edit = fc.oneof(
    fc.tuple(fc.constant('agents.defaults.memorySearch.model'), fc.string({ minLength: 1 })),
    fc.tuple(
      fc.constant('agents.defaults.memorySearch.query.maxResults'),
      fc.integer({ min: 1, max: 99 }),
    ),
    fc.tuple(
      fc.constant('agents.defaults.memorySearch.extraPaths'),
      fc.array(fc.string({ minLength: 1 })),
    ),
    fc.tuple(fc.constant('agents.list[0].id'), fc.stringMatching(/^[a-z][a-z0-9]{0,9}$/)),
    fc.tuple(fc.constant('memory.citations'), fc.constantFrom('on', 'off')),
  );
  fc.assert(
    fc.property(
      fc.array(comment, { minLength: 6, maxLength: 6 }),
      fc.boolean(),
      fc.array(edit),
      (comments, trailing, edits) => {
        const [a, b, c, d, e, f] = comments;
        const end = trailing ? ',' : '';
        let text = `${a}{${b}"agents": {${c}"defaults": {}${end}${d}},${e}"memory": {${f}}${end}\n}`;
        for (const [path, value] of edits) {
          text = editJson(text, parsePath(path), value);
          const { document } = checkConfigText('f', text);
          assert.equal(document.syntaxFaults, []);
          assert.equal(
            JSON.stringify(valueAt(document.value, parsePath(path))),
            JSON.stringify(value),
          );
        }
        for (const written of comments) assert.ok(text.includes(written.trim()));
        for (const [path] of edits) {
          text = editJson(text, parsePath(path), undefined);
          const { document } = checkConfigText('f', text);
          assert.equal(document.syntaxFaults, []);
          assert.is(valueAt(document.value, parsePath(path)), undefined);
        }
      },
    ),
  );
});

test.run();
