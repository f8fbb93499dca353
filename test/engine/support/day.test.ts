import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { dayFormatter } from '../../../src/engine/support/day.js';

const test = suite('the day of a moment');

const hostZone = process.env['TZ'];
test.after(() => {
  if (hostZone === undefined) delete process.env['TZ'];
  else process.env['TZ'] = hostZone;
});

for (const zone of [
  'UTC',
  'America/St_Johns',
  'Pacific/Apia',
  'Africa/Casablanca',
  'Asia/Kathmandu',
]) {
  test(`is the same for the host's zone and for ${zone} by name`, () => {
    process.env['TZ'] = zone;
    const [ofHost, ofZone] = [dayFormatter(undefined), dayFormatter(zone)];
    const moment = fc.integer({ min: Date.UTC(1970), max: Date.UTC(2100) });
    fc.assert(fc.property(moment, (ms) => ofHost(ms) === ofZone(ms)));
    assert.match(ofHost(0), /^(?:1969-12-31|1970-01-01)$/);
  });
}

test.run();
