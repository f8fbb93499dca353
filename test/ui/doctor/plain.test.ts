import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { renderDoctor } from '../../../src/ui/doctor/finding-lines.js';
import { textWidth } from '../../../src/ui/fit.js';
import { createStyle } from '../../../src/ui/style.js';
import { resultOf, SICK } from './doctor-builders.js';

const style = createStyle(false);
const homeDir = '/home/ada';

test('a text report has each problem, its location, its cause and its fix', () => {
  const text = renderDoctor(SICK, [], { style, columns: undefined, homeDir });
  assert.is(
    text,
    `svc · doctor  3 ok · 0 warnings · 2 faults
✗ configuration  configuration checked
  ✗ unknown key "enabeld" in plugins.entries.webhooks  ~/.svc/svc.json:4:5
      2 | "plugins": {
      3 |   "webhooks": {
    > 4 |     "enabeld": true,
        |     ^
      5 |   }
      6 | }
    → did you mean "enabled"?
    safe fix: rename "enabeld" to "enabled"
          "webhooks": {
      -     "enabeld": true,
      +     "enabled": true,
✗ permissions    permissions checked
  ✗ the secret file /home/ada/.svc/auth/github-copilot.json is not yours alone  ~/.svc/auth/github-copilot.json
    mode 0644, should be 0600: a login lets whoever has it act in your name
    → chmod 0600 /home/ada/.svc/auth/github-copilot.json
    safe fix: set the mode of /home/ada/.svc/auth/github-copilot.json to 0600
          "webhooks": {
      -     "enabeld": true,
      +     "enabled": true,
✓ index          index checked
  · 3 changed files are not in the index of agent main yet
    the next search indexes them
✓ disk           disk checked
✓ clock          clock checked

run it again with --fix to apply 2 safe fixes
`,
  );
});

test('a fix that just failed is not suggested again', () => {
  const titles = SICK.checks.flatMap(({ findings }) => findings.flatMap(({ fix }) => fix ?? []));
  const applied = titles.map(({ title }) => ({ check: 'any', title, failure: 'read-only' }));
  const options = { style, columns: undefined, homeDir };
  const suggestion = /run it again with --fix.*/;
  const one = renderDoctor(SICK, applied.slice(1), options);
  assert.is(suggestion.exec(one)?.[0], 'run it again with --fix to apply 1 safe fix');
  const none = renderDoctor(SICK, applied, options);
  assert.not.match(none, suggestion);
  assert.match(none, 'the remaining problems have to be fixed by hand');
});

test('fixes come first, and failed ones give their reason', () => {
  const applied = [
    { check: 'configuration', title: 'rename "a" to "b"' },
    { check: 'disk', title: 'make room', failure: 'there is none' },
  ];
  const report = {
    ok: true,
    counts: { ok: 1, warnings: 0, faults: 0 },
    checks: [resultOf('disk')],
  };
  assert.is(
    renderDoctor(report, applied, { style, columns: undefined, homeDir }),
    `fixed  rename "a" to "b"
not fixed  make room: there is none

svc · doctor  1 ok · 0 warnings · 0 faults
✓ disk           disk checked
`,
  );
});

test('each folder of a summary below the home folder is shortened', () => {
  const summary = '/home/ada/main, /home/ada/work, /srv/notes';
  const report = { ...SICK, checks: [{ ...resultOf('workspace'), summary }] };
  const text = renderDoctor(report, [], { style, columns: undefined, homeDir });
  assert.match(text, /^✓ workspace +~\/main, ~\/work, \/srv\/notes$/mu);
});

test('no line is wider than the terminal', () => {
  for (const columns of [60, 80, 200]) {
    const text = renderDoctor(SICK, [], { style, columns, homeDir });
    for (const line of text.split('\n')) assert.ok(textWidth(line) <= columns, line);
  }
});

test('no finding can control the terminal', () => {
  const finding = { code: 'x', severity: 'fault', message: 'a\u001B[2Jb', cause: 'c\nd' } as const;
  const report = { ...SICK, checks: [resultOf('disk', [finding])] };
  const text = renderDoctor(report, [], { style, columns: 80, homeDir });
  assert.not.ok(text.includes('\u001B'));
  assert.ok(text.includes('c\\nd'));
});

test.run();
