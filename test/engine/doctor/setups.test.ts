import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { BROKEN_SETUPS, endSetups } from './setups.js';
import { codesOf, findingOf, healthyPatient, look } from './support.js';

for (const setup of BROKEN_SETUPS) {
  const [check = ''] = setup.finds.split('/');
  test(`${setup.finds}: ${setup.name}`, async () => {
    const patient = healthyPatient();
    await setup.breaks(patient);
    const report = await look(patient, [check]);
    const found = findingOf(report, setup.finds);
    // A model can lack something although no provider embeds.
    if (found.severity !== 'note' && check !== 'provider') {
      assert.not.match(report.checks[0]?.summary ?? '', /^no(?:ne)?\b/);
    }
    assert.is(found.severity, setup.severity);
    assert.match(found.message, setup.says ?? '');
    if (setup.at !== undefined) {
      assert.is(`${found.place?.line}:${found.place?.column}`, setup.at);
    }
    if (typeof setup.fix === 'string') {
      assert.is(found.fix?.safe, setup.fix === 'safe');
      assert.ok((found.fix?.diff.length ?? 0) > 0);
      await found.fix?.apply(new AbortController().signal);
    } else {
      assert.is(found.fix, undefined);
      assert.ok(found.severity === 'note' || found.hint !== undefined, 'what to do');
      await setup.fix(patient);
    }
    const after = codesOf(await look(patient, [check]));
    // A renamed key may bring others to light; the one that was fixed is gone.
    const left = after.filter((code) => code === setup.finds).length;
    assert.is(left, setup.name.includes('above another') ? 1 : 0, after.join());
    if (setup.after !== undefined) assert.ok(setup.after(patient));
  });
}

test('the table covers enough set-ups', () => {
  assert.ok(BROKEN_SETUPS.length >= 40, String(BROKEN_SETUPS.length));
});

test.after(endSetups);
test.run();
