/** Records deliveries in a state folder until it is killed, and prints the number of each. */
import pino from 'pino';
import { DeliveryRecorder } from '../../../../src/engine/webhooks/deliveries/delivery-recorder.js';
import { newDelivery } from '../../../support/deliveries.js';

const [stateDir = ''] = process.argv.slice(2);
const recorder = new DeliveryRecorder({
  stateDir,
  limits: { keep: 5000, days: 7, maxBodyBytes: 65_536, maxMegabytes: 64 },
  mask: { text: (text) => text },
  clock: { now: Date.now },
  log: pino({ level: 'warn' }, process.stderr),
});
let n = 0;
setInterval(() => {
  n += 1;
  recorder.record(newDelivery({ body: JSON.stringify({ n }) }));
  process.stdout.write(`${n}\n`);
}, 2);
