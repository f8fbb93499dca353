import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { jsonEditor } from '../../../src/engine/integrate/edit/json-editor.js';
import { tomlEditor } from '../../../src/engine/integrate/edit/toml-editor.js';
import { withInsertions } from '../../../src/engine/support/insertions.js';

/** What a person finds in a file afterwards. */
const test = suite('an entry looks like the rest of its file');

const VALUE = { command: 'c', args: ['mcp'] };

function inserted(text: string): string {
  return withInsertions(text, jsonEditor.insert('f.json', text, ['servers', 'svc'], VALUE));
}

const TABS = `{
\t"servers": {
\t\t"a": {}
\t}
}`;

for (const [what, before, after] of [
  [
    'with a comment behind the last entry',
    '{\n  "servers": {\n    "a": {} // of a\n    // and this\n  }\n}\n',
    '{\n  "servers": {\n    "a": {}, // of a\n    // and this\n    "svc": {\n      "command": "c",\n      "args": [\n        "mcp"\n      ]\n    }\n  }\n}\n',
  ],
  [
    'with a comma behind the last entry',
    '{\n  "servers": {\n    "a": {}, // of a\n  },\n}\n',
    '{\n  "servers": {\n    "a": {}, // of a\n    "svc": {\n      "command": "c",\n      "args": [\n        "mcp"\n      ]\n    },\n  },\n}\n',
  ],
  [
    'with tabs',
    TABS,
    '{\n\t"servers": {\n\t\t"a": {},\n\t\t"svc": {\n\t\t\t"command": "c",\n\t\t\t"args": [\n\t\t\t\t"mcp"\n\t\t\t]\n\t\t}\n\t}\n}',
  ],
  [
    'with other line ends',
    '{\r\n    "servers": {}\r\n}',
    '{\r\n    "servers": {\r\n        "svc": {\r\n            "command": "c",\r\n            "args": [\r\n                "mcp"\r\n            ]\r\n        }\r\n    }\r\n}',
  ],
  [
    'on one line, written by a program',
    '{"a":1,"servers":{"a":{}},"z":[]}',
    '{"a":1,"servers":{"a":{},"svc":{"command":"c","args":["mcp"]}},"z":[]}',
  ],
  [
    'on one line, written by a person',
    '{ "a": 1 }',
    '{ "a": 1, \n  "servers": {\n    "svc": {\n      "command": "c",\n      "args": [\n        "mcp"\n      ]\n    }\n  }\n}',
  ],
  [
    'with an object on one line',
    '{\n  "servers": { "a": {} }\n}',
    '{\n  "servers": { "a": {}, \n    "svc": {\n      "command": "c",\n      "args": [\n        "mcp"\n      ]\n    }\n  }\n}',
  ],
  [
    'with nothing but a comment',
    '// mine',
    '// mine\n{\n  "servers": {\n    "svc": {\n      "command": "c",\n      "args": [\n        "mcp"\n      ]\n    }\n  }\n}\n',
  ],
] as const) {
  test(`a file ${what}`, () => {
    assert.is(inserted(before), after);
  });
}

test('a table is added at the end, after one empty line', () => {
  const add = (text: string): string =>
    withInsertions(text, tomlEditor.insert('f.toml', text, ['mcp_servers', 'svc'], VALUE));
  const table = '[mcp_servers.svc]\ncommand = "c"\nargs = ["mcp"]\n';
  assert.is(add(''), table);
  assert.is(add('a = 1'), `a = 1\n\n${table}`);
  assert.is(add('a = 1\n'), `a = 1\n\n${table}`);
  assert.is(add('a = 1\n\n'), `a = 1\n\n${table}`);
  assert.is(add('a = 1\r\n'), `a = 1\r\n\r\n${table.replaceAll('\n', '\r\n')}`);
});

test('brackets inside texts and lists begin no table', () => {
  const text = [
    '[mcp_servers.svc]',
    'args = [',
    '  "a",',
    '["mcp_servers.other"],',
    '] # ]',
    'note = """',
    '[mcp_servers.trap]',
    '"""',
    "path = 'C:\\'",
    '[mcp_servers.kept]',
    'x = 1',
    '',
  ].join('\n');
  const rest = tomlEditor.remove(text, ['mcp_servers', 'svc']);
  assert.is(rest, '[mcp_servers.kept]\nx = 1\n');
});

test.run();
