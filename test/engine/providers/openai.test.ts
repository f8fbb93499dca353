import { OPENAI_KEY, startOpenAiFake } from '../../fakes/openai.js';
import { conformanceSuite, testSettings } from './conformance.js';
import { openVendor } from './support.js';

conformanceSuite({
  name: 'openai',
  startFake: () => startOpenAiFake({ dimensions: 256 }),
  settings: (fake) =>
    testSettings({
      adapter: 'openai',
      baseUrl: `${fake.origin}/v1`,
      credential: { value: OPENAI_KEY, source: 'env OPENAI_API_KEY' },
    }),
  createVendor: openVendor,
  secret: OPENAI_KEY,
  dimensions: 256,
});
