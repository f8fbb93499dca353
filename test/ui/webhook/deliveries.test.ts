import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createSecretMask } from '../../../src/engine/masking/index.js';
import { recordedDelivery } from '../../../src/engine/webhooks/deliveries/delivery.js';
import type { Delivery } from '../../../src/engine/webhooks/index.js';
import { renderDeliveries, renderDelivery } from '../../../src/ui/webhook/deliveries.js';
import { newDelivery, type TestDelivery } from '../../support/deliveries.js';
import { PIPED_VIEW } from '../../support/piped-view.js';

const NOW = 1_795_000_000_000;
const PIPED = { ...PIPED_VIEW, nowMs: NOW };

/** The line about the body, and what follows. */
function bodyLines(delivery: TestDelivery, maxBodyBytes = 1000): string | undefined {
  const recorded = recordedDelivery(newDelivery(delivery), createSecretMask(), maxBodyBytes);
  const text = renderDelivery({ ...recorded, seq: 1 }, PIPED);
  return /^ +body +(.*)$/msu.exec(text)?.[1];
}

test('a body is shown if it was kept, and its size if it was read', () => {
  assert.is(bodyLines({ body: '{"n":1}' }), '7 B\n\n{\n  "n": 1\n}\n');
  assert.is(bodyLines({ body: '{"n":1}' }, 3), '7 B, cut\n\n{"n\n');
  assert.is(bodyLines({ body: '{"n":1}' }, 0), '7 B, not kept\n');
  assert.is(bodyLines({ isVerified: false, reason: 'The secret is wrong.' }), 'not kept\n');
});

test('a client whose address is not known is not taken for an operator', () => {
  const recorded = { ...recordedDelivery(newDelivery(), createSecretMask(), 1000), seq: 1 };
  const shown = (more: Partial<Delivery>) => {
    const delivery = { ...recorded, clientIp: null, ...more };
    const [list, details] = [
      renderDeliveries([delivery], 1, PIPED),
      renderDelivery(delivery, PIPED),
    ];
    return [
      list.includes('unknown'),
      list.includes('replay'),
      /^ +from +(.*)$/mu.exec(details)?.[1],
    ];
  };
  assert.equal(shown({}), [true, false, 'unknown']);
  assert.equal(shown({ replayOf: 'abcd' }), [false, true, 'an operator']);
});

test('a narrow list leaves out the time before the ID, which commands take', () => {
  const delivery = { ...recordedDelivery(newDelivery(), createSecretMask(), 1000), seq: 1 };
  const [titles] = renderDeliveries([delivery], 1, { ...PIPED, columns: 30 }).split('\n');
  assert.is(titles, 'delivery    route  status  what');
});

test.run();
