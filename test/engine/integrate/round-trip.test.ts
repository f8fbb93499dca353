import fc from 'fast-check';
import { applyEdits, modify, parse as parseJson } from 'jsonc-parser';
import { parse as parseToml } from 'smol-toml';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isSameData, valueAt } from '../../../src/engine/config/config-path.js';

import { type HookFormat, hasHook } from '../../../src/engine/integrate/agent.js';
import { AGENTS } from '../../../src/engine/integrate/agents.js';
import { withValue } from '../../../src/engine/integrate/edit/document-editor.js';
import { jsonEditor } from '../../../src/engine/integrate/edit/json-editor.js';
import { tomlEditor } from '../../../src/engine/integrate/edit/toml-editor.js';
import { hookEntries, serverEntry } from '../../../src/engine/integrate/entry.js';
import {
  addEntry,
  type EditedFile,
  inOrderOfRemoval,
  type LayeredText,
  removeEntry,
} from '../../../src/engine/integrate/plan-file.js';
import { PROGRAM, SERVER_CALL } from './support.js';

/** Any file that an agent could have, with an entry of svc put in and taken back out. */
const test = suite('removing an integration');

/** Other memories, under names of their own. */
const SERVERS = ['svc-b', 'svc-c'] as const;
const JSON_FILE: EditedFile = { path: 'settings.json', editor: jsonEditor, newFile: null };
const TOML_FILE: EditedFile = { path: 'config.toml', editor: tomlEditor, newFile: null };

function geminiHook(): HookFormat {
  const { hook } = AGENTS['gemini-cli'];
  if (!hasHook(hook)) throw new Error('Gemini CLI has a hook');
  return hook;
}

const SERVER = serverEntry(AGENTS['gemini-cli'].server, 'svc', SERVER_CALL, PROGRAM);
const HOOKS = [
  ...hookEntries('gemini-cli', geminiHook(), {
    kind: 'recall',
    call: { words: ['/n', '/svc', 'memory', 'recall', '--hook', 'gemini-cli'], env: {} },
    timeoutMs: 20_000,
  }),
  ...hookEntries('gemini-cli', geminiHook(), {
    kind: 'capture',
    call: { words: ['/n', '/svc', 'memory', 'capture', '--agent-hook', 'gemini-cli'], env: {} },
    timeoutMs: 10_000,
  }),
];
const SPECS = [SERVER, ...HOOKS];
const CODEX = serverEntry(AGENTS.codex.server, 'svc', SERVER_CALL, PROGRAM);

/** The formatting of a document: the text between its tokens. */
interface Noise {
  readonly gaps: readonly string[];
  readonly trailingCommas: boolean;
}

const GAPS = ['', '', ' ', '\n', '\n  ', '\r\n\t', ' // note\n', ' /* [ { */ ', '\n\n'];

/** Writes a value with noise between its tokens; every comment says which it is. */
function written(value: unknown, { gaps, trailingCommas }: Noise): string {
  let count = 0;
  const gap = (): string => {
    count += 1;
    return (gaps[count % gaps.length] ?? '').replace('note', `note ${count}`);
  };
  const list = (open: string, items: readonly string[], close: string): string => {
    const comma = trailingCommas && items.length > 0 ? `,${gap()}` : '';
    return `${open}${gap()}${items.join(`,${gap()}`)}${gap()}${comma}${close}`;
  };
  const print = (item: unknown): string => {
    if (Array.isArray(item)) return list('[', item.map(print), ']');
    if (typeof item !== 'object' || item === null) return JSON.stringify(item);
    const entries = Object.entries(item);
    return list(
      '{',
      entries.map(([key, inner]) => `${JSON.stringify(key)}${gap()}:${gap()}${print(inner)}`),
      '}',
    );
  };
  return `${gap()}${print(value)}${gap()}`;
}

const key = fc.oneof(
  fc.string({ maxLength: 6 }).filter((name) => name !== '__proto__'),
  fc.constantFrom('theme', 'hooksConfig', 'a//b', '"'),
);
const anything = fc.jsonValue({ maxDepth: 2 }).map(withoutOddities);
const servers = fc.dictionary(
  fc.constantFrom('github', 'docs', 'svc-notes'),
  fc.record({ command: fc.string(), args: fc.array(fc.string(), { maxLength: 2 }) }),
  { maxKeys: 2 },
);
const hooks = fc.record(
  {
    BeforeAgent: fc.array(fc.record({ hooks: fc.array(anything, { maxLength: 2 }) })),
    SessionEnd: fc.array(fc.record({ hooks: fc.array(anything, { maxLength: 2 }) })),
  },
  { requiredKeys: [] },
);
const documents = fc
  .tuple(
    fc.dictionary(key, anything, { maxKeys: 4 }),
    fc.record({ mcpServers: servers, hooks }, { requiredKeys: [] }),
  )
  .map(([rest, ours]) => {
    const { svc: _, mcpServers: __, hooks: ___, ...others } = rest;
    return { ...others, ...ours };
  });
const noises = fc.record({
  gaps: fc.array(fc.constantFrom(...GAPS), { minLength: 1, maxLength: 7 }),
  trailingCommas: fc.boolean(),
});
const texts = fc.oneof(
  fc.tuple(documents, noises).map(([value, noise]) => written(value, noise)),
  documents.map((value) => JSON.stringify(value)),
  documents.map((value) => `${JSON.stringify(value, null, '\t').replaceAll('\n', '\r\n')}\r\n`),
  fc.constantFrom('', '\n', '{}', '{ }', '{\n}\n', '// nothing yet\n', '/* nothing */'),
);

/** -0 is 0 once it was written, and `__proto__` is no key of ours to set. */
function withoutOddities(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value).replaceAll('__proto__', 'proto'));
}

function data(text: string): unknown {
  return text.trim() === '' ? {} : (parseJson(text, [], { allowTrailingComma: true }) ?? {});
}

function added(text: string): LayeredText {
  return SPECS.reduce<LayeredText>((now, spec) => addEntry(JSON_FILE, now, spec), {
    text,
    layers: [],
  });
}

function removed(edited: LayeredText): LayeredText {
  let now = edited;
  for (const spec of inOrderOfRemoval(SPECS, edited.layers)) {
    now = removeEntry(JSON_FILE, now, spec);
  }
  return now;
}

test('from any JSON file, to the byte, and the data has just the entries more', () => {
  fc.assert(
    fc.property(texts, (text) => {
      const now = added(text);
      const wanted = SPECS.reduce(
        (before, spec) => withValue(before, spec.pathFor(before), spec.value),
        data(text),
      );
      assert.ok(isSameData(data(now.text), wanted), now.text);
      for (const [comment] of text.matchAll(/\/\/ note \d+/g))
        assert.ok(now.text.includes(comment));
      assert.is(removed(now).text, text);
      assert.equal(removed(now).layers, []);
    }),
    { numRuns: 150 },
  );
});

test('also after entries were changed, and whichever goes first', () => {
  const more = SERVERS.map((name) => {
    const call = { ...SERVER_CALL, env: { SVC_HOME: name } };
    return serverEntry(AGENTS['gemini-cli'].server, name, call, PROGRAM);
  });
  const orders = fc.shuffledSubarray([...SPECS, ...more], {
    minLength: SPECS.length + more.length,
  });
  const known = fc.constantFrom(JSON_FILE, { ...JSON_FILE, newFile: { folder: null } });
  fc.assert(
    fc.property(texts, known, orders, orders, orders, (text, file, adding, changing, removing) => {
      let now: LayeredText = { text, layers: [] };
      for (const spec of adding) now = addEntry(file, now, spec);
      const asAdded = data(now.text);
      for (const spec of changing) {
        const value = { ...Object(spec.value), timeout: 5 };
        const updates = { timeout: 5 };
        const find = (all: unknown) => {
          const found = spec.find(all);
          return found && { ...found, updates };
        };
        if (spec.part === 'server') now = addEntry(file, now, { ...spec, value, find });
      }
      assert.not(isSameData(data(now.text), asAdded));
      for (const spec of removing) now = removeEntry(file, now, spec);
      assert.is(now.text, text);
      assert.equal(now.layers, []);
    }),
    { numRuns: 150 },
  );
});

test('a second run changes nothing', () => {
  fc.assert(
    fc.property(texts, (text) => {
      const now = added(text);
      for (const spec of SPECS) {
        const again = addEntry(JSON_FILE, now, spec);
        assert.is(again.text, now.text);
        assert.is(again.change, undefined);
      }
    }),
    { numRuns: 100 },
  );
});

test('if someone edited around the entries, only the entries are removed', () => {
  fc.assert(
    fc.property(texts, key, anything, (text, name, value) => {
      fc.pre(!['mcpServers', 'hooks'].includes(name));
      const now = added(text);
      const options = { formattingOptions: { insertSpaces: true, tabSize: 2, eol: '\n' } };
      const edits = modify(now.text, [name], value, options);
      const theirs = applyEdits(now.text, edits);
      fc.pre(theirs !== now.text);
      const after = removed({ ...now, text: theirs });
      assert.ok(isSameData(data(after.text), withValue(data(text), [name], value)), after.text);
    }),
    { numRuns: 150 },
  );
});

test('additions next to the entries stay when these are removed', () => {
  fc.assert(
    fc.property(texts, (text) => {
      const now = added(text);
      const other = { command: 'other' };
      const edits = modify(now.text, ['mcpServers', 'later'], other, {});
      const after = removed({ ...now, text: applyEdits(now.text, edits) });
      const wanted = withValue(data(text), ['mcpServers', 'later'], other);
      assert.ok(isSameData(data(after.text), wanted), after.text);
    }),
    { numRuns: 120 },
  );
});

test('without a receipt the entries are recognised and removed', () => {
  fc.assert(
    fc.property(texts, (text) => {
      const after = removed({ text: added(text).text, layers: [] });
      assert.is(valueAt(data(after.text), ['mcpServers', 'svc']), undefined);
      for (const hook of HOOKS) assert.is(hook.find(data(after.text)), undefined);
    }),
    { numRuns: 120 },
  );
});

const tomlKeys = fc.constantFrom('model', '"a.b"', "'it'", 'x.y', 'notes', 'z-1');
const tomlValues = fc.constantFrom(
  '"plain"',
  "'C:\\path'",
  '"""\n[mcp_servers.svc]\ncommand = "trap" """',
  "'''\n[[list]]\n'''''",
  '[\n  "a", # [b]\n  ["c"],\n]',
  '{ a = 1, b = "]" }',
  '1_000',
  '2026-11-20T10:00:00Z',
  'true # on',
);
const tomlTables = fc.constantFrom(
  '[mcp_servers.docs]\ncommand = "npx" # docs\n',
  '[mcp_servers."my.server".env]\nKEY = "v"\n',
  '[[profiles]]\nname = "a"\n',
  '[projects."/home/ada/[x]"]\ntrust_level = "trusted"\n\n',
  '# a comment of its own\n[tui]\n\n# inside\ntheme = "x"\n',
);
const tomlTexts = fc
  .tuple(
    fc.uniqueArray(tomlKeys, { maxLength: 4 }),
    fc.array(tomlValues, { minLength: 4, maxLength: 4 }),
    fc.uniqueArray(tomlTables, { maxLength: 4 }),
    fc.constantFrom('', '\n', '\n\n', '# end', '   '),
    fc.boolean(),
  )
  .map(([keys, values, tables, end, windows]) => {
    const root = keys.map((name, at) => `${name} = ${values[at] ?? 'true'}\n`).join('');
    const text = `${root}${tables.join('')}${end}`;
    return windows ? text.replaceAll('\n', '\r\n') : text;
  });

test('from any TOML file, to the byte, and a whole parser sees the table', () => {
  fc.assert(
    fc.property(tomlTexts, (text) => {
      const now = addEntry(TOML_FILE, { text, layers: [] }, CODEX);
      const wanted = withValue(parseToml(text), ['mcp_servers', 'svc'], CODEX.value);
      assert.ok(isSameData(parseToml(now.text), wanted), now.text);
      assert.is(removeEntry(TOML_FILE, now, CODEX).text, text);
    }),
    { numRuns: 120 },
  );
});

test('of a TOML file edited later, only the table is removed', () => {
  fc.assert(
    fc.property(tomlTexts, tomlTables, (text, table) => {
      fc.pre(!text.replaceAll('\r\n', '\n').includes(table));
      const now = addEntry(TOML_FILE, { text, layers: [] }, CODEX);
      const theirs = `${now.text}enabled = true\n\n[mcp_servers.svc.tools.memory_get]\nx = 1\n# next\n${table}`;
      const after = removeEntry(TOML_FILE, { ...now, text: theirs }, CODEX);
      const end = text === '' || text.endsWith('\n') ? '' : '\n';
      assert.ok(isSameData(parseToml(after.text), parseToml(`${text}${end}${table}`)), after.text);
      assert.ok(after.text.startsWith(text.trimEnd()), after.text);
      assert.ok(after.text.includes('# next\n'), after.text);
    }),
    { numRuns: 120 },
  );
});

test.run();
