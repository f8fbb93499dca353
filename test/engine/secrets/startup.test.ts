import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { askBundle, bundleSecrets, removeLazyCode } from './bundle.js';
import { contextOf, ref, secretFile } from './support.js';

const test = suite('what a secret loads');

test('a variable is read where the code for files and programs is not even there', async () => {
  const bundle = await bundleSecrets();
  const file = secretFile('{"key": "value"}');
  const variable = contextOf({}, { env: { API_KEY: 'value' } });
  assert.is(await askBundle(bundle, ref('file', 'vault', '/key'), file.context), 'found');
  removeLazyCode(bundle);
  assert.is(await askBundle(bundle, ref('env', 'default', 'API_KEY'), variable), 'found');
  const lost = await askBundle(bundle, ref('file', 'vault', '/key'), file.context);
  assert.match(lost, 'Cannot find module');
});

test.run();
