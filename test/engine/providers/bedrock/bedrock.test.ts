import type { AdapterSettings } from '../../../../src/engine/embeddings/embedding-adapter.js';
import { AWS_KEYS, BEDROCK_TOKEN, startBedrockFake } from '../../../fakes/bedrock.js';
import { conformanceSuite, testSettings } from '../conformance.js';
import { openVendor } from '../support.js';

const withEnv = (env: Readonly<Record<string, string>>) => (settings: AdapterSettings) =>
  openVendor(settings, { env });

conformanceSuite({
  name: 'bedrock, one text a request, signed',
  startFake: () => startBedrockFake(),
  settings: (fake) => testSettings({ adapter: 'bedrock', baseUrl: fake.origin, dimensions: 256 }),
  createVendor: withEnv({ ...AWS_KEYS, AWS_BEARER_TOKEN_BEDROCK: '' }),
  secret: AWS_KEYS.AWS_SECRET_ACCESS_KEY,
  dimensions: 256,
});

conformanceSuite({
  name: 'bedrock, many texts a request, with an API key',
  startFake: () => startBedrockFake(),
  settings: (fake) =>
    testSettings({
      adapter: 'bedrock',
      baseUrl: fake.origin,
      model: 'cohere.embed-multilingual-v3',
    }),
  // The token is not sent to an address of the configuration.
  createVendor: ({ baseUrl = '', ...settings }) => {
    const env = {
      AWS_BEARER_TOKEN_BEDROCK: BEDROCK_TOKEN,
      AWS_ENDPOINT_URL_BEDROCK_RUNTIME: baseUrl,
    };
    return openVendor({ ...settings, baseUrl: undefined }, { env });
  },
  secret: BEDROCK_TOKEN,
  dimensions: 1024,
});
