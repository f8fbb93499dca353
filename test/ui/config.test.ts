import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ConfigInspection } from '../../src/engine/config/index.js';
import {
  renderConfigValue,
  renderDiscovery,
  renderEdit,
  renderEffective,
  renderValidation,
} from '../../src/ui/config/config-text.js';
import { createStyle } from '../../src/ui/style.js';

const test = suite('output of config commands');

const style = createStyle(false);
const options = { style, columns: 80 };
const discovery = { file: '/a/svc.json', origin: 'nearest', searched: [] } as const;

const INVALID: ConfigInspection = {
  file: '/a/svc.json',
  text: '{\n  "memry": {}\n}',
  faults: [
    {
      severity: 'fault',
      code: 'unknown-key',
      path: 'memry',
      location: { file: '/a/svc.json', line: 2, column: 3 },
      message: 'unknown key "memry" in the configuration',
      expected: 'one of memory',
      suggestion: 'memory',
      related: [{ file: '/a/svc.json', line: 1, column: 1 }],
    },
  ],
  warnings: [],
};

test('a fault is shown with place, path, problem, expectation, suggestion and frame', () => {
  assert.is(
    renderValidation(INVALID, options),
    `fault  /a/svc.json:2:3
  path      memry
  problem   unknown key "memry" in the configuration
  expected  one of memory
  did you mean memory?
  see also  /a/svc.json:1:1

  1 | {
> 2 |   "memry": {}
    |   ^
  3 | }

invalid  /a/svc.json: 1 fault
`,
  );
});

test('a valid file is named, and its warnings are counted', () => {
  const [fault] = INVALID.faults;
  assert.ok(fault !== undefined);
  assert.is(
    renderValidation({ ...INVALID, faults: [], warnings: [] }, options),
    'valid  /a/svc.json\n',
  );
  const warnings = [{ ...fault, severity: 'warning' } as const];
  assert.match(
    renderValidation({ ...INVALID, faults: [], warnings }, options),
    'valid  /a/svc.json, 1 warning\n',
  );
});

test('a missing file is reported', () => {
  const none = { discovery, file: undefined, text: undefined, faults: [], warnings: [] };
  assert.match(renderValidation(none, options), 'defaults apply');
});

test('the searched locations are listed in order', () => {
  const searched = [
    { file: '/a/b/svc.json', origin: 'nearest', found: false },
    { file: '/a/svc.json', origin: 'nearest', found: true },
  ] as const;
  const text = renderDiscovery({ ...discovery, searched }, style);
  assert.match(text, /^\/a\/svc\.json {2}\(the nearest svc\.json/);
  assert.match(text, 'not found  /a/b/svc.json\n  found      /a/svc.json');
});

test('values with origins are one line each', () => {
  const location = { file: '/a/svc.json', line: 3, column: 1 };
  const text = renderEffective(
    {
      file: '/a/svc.json',
      config: {},
      warnings: [],
      values: [
        { path: 'a.b', value: 'x\u001B[2J', origins: [{ kind: 'default' }] },
        { path: 'c', value: [1], origins: [{ kind: 'file', scope: 'agents.defaults', location }] },
      ],
    },
    style,
  );
  assert.is(text, 'a.b = "x\\u001b[2J"  # default\nc = [1]  # /a/svc.json:3 agents.defaults\n');
});

test('an edit reports what changed, and text is printed without quotes', () => {
  const edit = { file: '/f', path: 'a', changed: true, warnings: [] };
  assert.is(renderEdit({ ...edit, before: 1, after: 2 }), 'set a to 2 (was 1) in /f\n');
  assert.is(renderEdit({ ...edit, before: 1 }), 'removed a (was 1) from /f\n');
  assert.is(renderEdit({ ...edit, changed: false, after: 2 }), 'a is already 2 in /f\n');
  const value = {
    path: 'a',
    origin: 'file',
    file: '/f',
    fallback: undefined,
    warnings: [],
  } as const;
  assert.is(renderConfigValue({ ...value, value: 'on' }), 'on\n');
  assert.is(renderConfigValue({ ...value, value: [1] }), '[\n  1\n]\n');
});

test.run();
