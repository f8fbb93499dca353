import * as z from 'zod/mini';
import { httpUrl, key, later, requiredKey, text } from './keys.js';
import { headers, secret } from './secret.js';

const provider = () =>
  z.strictObject({
    api: key(text(), 'Adapter that speaks to this endpoint, by id or kind'),
    baseUrl: key(httpUrl(), 'Address of the endpoint'),
    apiKey: key(secret(), 'Key for the endpoint; see [Secrets](#secrets)'),
    headers: key(headers(), 'Further request headers; values are treated as secrets'),
    models: key(
      z.array(z.strictObject({ id: requiredKey(text(), 'Name of the model at the endpoint') })),
      'Models that the endpoint offers',
    ),
  });

/** `models`: endpoints by id, for chat as well as embeddings (spec/memory-search §2.1). */
export function models() {
  return z.strictObject({
    providers: key(
      z.record(text(), later(provider)),
      'Endpoints by an id of your choice, or by an adapter id',
    ),
  });
}
